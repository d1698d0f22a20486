// The keyboard. This must be the first script: whoever listens first hears it first.

// The tab key goes from control to control in the order of reading, as on any page. Flutter's own order is by height on
// the screen alone: it would jump between a list and what stands beside it, and to the buttons at the bottom after each
// card. So the key is the browser's: the semantics tree lies in the page in the order of reading, and each of its nodes
// tells Flutter when it gets the focus.
addEventListener("keydown", (event) => { if (event.key === "Tab") event.stopImmediatePropagation(); }, true);

// Whoever comes into the app from outside of it (the browser's own bar, another window, a screen reader's list) is where
// they came to. Flutter would give the focus back to what had it last: from the last control of a screen the tab key led
// out and to that same control again, for ever. So Flutter does not hear that the focus left the page or came back.
for (const kind of ["focusin", "focusout"])
  addEventListener(kind, (event) => {
    if (event.relatedTarget === null && event.target.closest?.("flt-semantics-host")) event.stopImmediatePropagation();
  }, true);

// Escape answers an open question with its "no": the question itself waits for an answer and lets no key close it.
const NO = ["dialog-no", "-cancel"].map((id) => `[flt-semantics-identifier$="${id}"]`);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const no = document.querySelector(NO.join());
  (no?.matches("[role=button]") ? no : no?.querySelector("[role=button]"))?.click();
}, true);
