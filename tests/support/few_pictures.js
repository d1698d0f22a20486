// At most five pictures a second. Without a graphics card each one is drawn by the processor, and three of four would
// only move a ripple or a shadow on.
(() => {
  const APART_MS = 200;
  const request = window.requestAnimationFrame.bind(window);
  const cancel = window.cancelAnimationFrame.bind(window);
  const waiting = new Map(); // number given out -> how to take it back
  let last = -APART_MS;
  let given = 0;
  window.requestAnimationFrame = (draw) => {
    const number = (given += 1);
    const drawn = (time) => {
      waiting.delete(number);
      last = performance.now();
      draw(time);
    };
    const asked = () => {
      const frame = request(drawn);
      waiting.set(number, () => cancel(frame));
    };
    const timer = setTimeout(asked, Math.max(0, last + APART_MS - performance.now()));
    waiting.set(number, () => clearTimeout(timer));
    return number;
  };
  window.cancelAnimationFrame = (number) => {
    waiting.get(number)?.();
    waiting.delete(number);
  };
})();
