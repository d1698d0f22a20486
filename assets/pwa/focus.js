// The tab key goes from control to control in the order of reading, as on any page. Flutter's own order is by height on
// the screen alone: it would jump between a list and what stands beside it, and to the buttons at the bottom after each
// card. So the key is the browser's: the semantics tree lies in the page in the order of reading, and each of its nodes
// tells Flutter when it gets the focus. This must be the first script: whoever listens first hears it first.
addEventListener("keydown", (event) => { if (event.key === "Tab") event.stopImmediatePropagation(); }, true);
