// How a file leaves the page: saved as a download, or given to the sheet with which a tablet or phone prints and shares.
//
// The sheet of a computer is of little use: there, and where the sheet is missing or fails, the file is saved.

const papers = (function () {
  "use strict";

  const sample = () => ({ files: [new File(["%PDF-"], "a.pdf", { type: "application/pdf" })] });

  function save(name, media, bytes) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: media }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    return { saved: true };
  }

  async function share(name, media, bytes) {
    try {
      await navigator.share({ files: [new File([bytes], name, { type: media })], title: name });
      return { shared: true };
    } catch (error) {
      if (error.name === "AbortError") return {}; // the person closed the sheet
      return save(name, media, bytes); // the tap was too long ago for this browser, or the sheet failed
    }
  }

  const shares = Boolean(
    matchMedia("(pointer: coarse)").matches && navigator.share && navigator.canShare && navigator.canShare(sample()));
  return { save, share, shares };
})();
