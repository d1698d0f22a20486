// Only in a build made with --test-clock. A test calls setSiltwatchClock("2026-08-27T14:03:00-05:00"); the offset
// to the real time is kept over reloads and told to Python at once. setSiltwatchClock(null) takes it back.
(function () {
  "use strict";
  const KEY = "siltwatch-test-clock-offset-ms";
  const channel = new BroadcastChannel("siltwatch-test-clock");
  flet.pageFacts.clockOffsetMs = Number(localStorage.getItem(KEY) || 0);
  window.setSiltwatchClock = function (moment) {
    const offset = moment === null ? 0 : new Date(moment).getTime() - Date.now();
    if (Number.isNaN(offset)) throw new Error("not a moment: " + moment);
    localStorage.setItem(KEY, String(offset));
    channel.postMessage(offset);
  };
})();
