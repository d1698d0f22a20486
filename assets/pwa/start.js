// The page around the app: runs before Flutter and Python start, and talks to Python over a private port.
//
// Invariants: an enrolment code is taken out of the address before anything else can read it, is handed to Python once
// for each start, on request, and outlives a reload of its tab until Python says that it was used; a new version is put
// in use only after Python has said that no draft is open.

var flet = {
  // What Flet's own scripts read. The names are checked against them by a test.
  pyodide: true,
  multiView: false,
  noCdn: true,
  webSocketEndpoint: "",
  entrypointBaseUrl: "{{base}}",
  assetBase: "{{base}}",
  routeUrlStrategy: "hash",
  canvasKitBaseUrl: "{{base}}canvaskit/",
  pyodideUrl: "{{base}}pyodide/pyodide.mjs",
  webRenderer: "canvaskit",
  fontFallbackBaseUrl: "{{base}}assets/fonts/",
  appPackageUrl: "{{archive}}",
  micropipIncludePre: false,
  pythonModuleName: "main",
  // Ours: handed to the Python worker by patched scripts.
  pagePort: null,
  pageFacts: { version: "{{version}}", base: "{{base}}", origin: location.origin, python: "{{python}}",
    shares: papers.shares },
  pythonWorker: null, // set by them; see 5
};

(function () {
  "use strict";

  // 1. A code of the office, for enrolment or of a person who signs in, leaves the address bar and the history before
  // Flet sees the address. This tab keeps it, and no other: it is good once, and a reload must not lose it.
  const LINK = /^#(enrol|signin)=([A-Za-z0-9._~-]{1,200})$/;
  const kept = (work) => { try { return work(sessionStorage); } catch { return null; } }; // a browser may forbid it
  const codes = {};
  for (const kind of ["enrol", "signin"]) codes[kind] = kept((tab) => tab.getItem("siltwatch." + kind));
  function takeLink(address) {
    const [, kind, code] = LINK.exec(location.hash);
    codes[kind] = code;
    kept((tab) => tab.setItem("siltwatch." + kind, code));
    history.replaceState(null, "", address);
  }
  if (LINK.test(location.hash)) takeLink(location.pathname + location.search);
  // A link that is opened where the app runs already changes the address alone. Flet must not take the code for the
  // path of a screen; Python hears of it and fetches the code, so that nothing which is being written is lost.
  addEventListener("popstate", (event) => { if (LINK.test(location.hash)) event.stopImmediatePropagation(); });
  addEventListener("hashchange", (event) => {
    if (!LINK.test(location.hash) || event.newURL !== location.href) return;
    event.stopImmediatePropagation();
    takeLink(event.oldURL);
    tell({ kind: "link" });
  });
  const takeCode = (kind) => { const code = codes[kind]; codes[kind] = null; return { code }; };
  const codeUsed = (kind) => { kept((tab) => tab.removeItem("siltwatch." + kind)); return {}; };

  flet.flutterAppLoaded = new Promise((resolve) => { flet.flutterAppResolve = resolve; });

  // WebKit restores a Flutter page from its back/forward cache with dead frame scheduling: start anew there.
  addEventListener("pageshow", (event) => {
    if (event.persisted && (navigator.vendor || "").startsWith("Apple")) location.reload();
  });

  // 2. The port to Python. Messages are {kind, id?, ...}; a message with an id gets one answer with that id.
  const channel = new MessageChannel();
  flet.pagePort = channel.port2;
  const tell = (message) => channel.port1.postMessage(message);

  const answers = {
    "take-enrol-code": () => takeCode("enrol"),
    "enrol-code-used": () => codeUsed("enrol"),
    "take-signin-code": () => takeCode("signin"),
    "signin-code-used": () => codeUsed("signin"),
    "keep-tiles": (message) => tellWorker({ kind: "tiles", paths: message.paths }, 0),
    "save-file": (message) => papers.save(message.name, message.media, message.bytes),
    "share-file": (message) => papers.share(message.name, message.media, message.bytes),
    "system-camera": () => systemCamera(),
    "chosen-files": () => { const files = chosen; chosen = []; return { files }; },
    "grab-frame": () => grabFrame(),
    "play-sound": (message) => playSound(message.media, message.bytes),
    // Also in a tab that may not open the store. The first screen of its own comes at once.
    "started": () => { setTimeout(endStart, 300); return sayGood(false); },
    "starting": (message) => { startStep(message.step, message.bytes || 0); return {}; },
    "store-opened": () => {
      sayGood(true);
      document.addEventListener("visibilitychange", () => { if (document.hidden) sayGood(true); });
      setTimeout(makeImage, 15000);
      return tellWorker({ kind: "store-opened", version: flet.pageFacts.version });
    },
    "drafts": (message) => { drafts = message.open; return {}; },
    "apply-update": () => applyUpdate(),
    "ready": () => { endStart(); setTimeout(becomeOffline, 2000); return {}; }, // the first screen and the first tap go first
  };
  channel.port1.onmessage = async (event) => {
    const { kind, id } = event.data;
    let answer;
    try {
      answer = answers[kind] ? (await answers[kind](event.data)) || {} : { error: "unknown request " + kind };
    } catch (error) {
      answer = { error: String(error) };
    }
    if (id !== undefined) tell({ ...answer, kind: "answer", id });
  };

  // What the camera's preview shows in this moment. The frame is only held at first: drawing it takes the page's time,
  // and the answer to the tap goes first. It is packed beside everything else and stays a Blob.
  async function grabFrame() {
    // A camera that was closed may leave its element behind, which shows its last picture for ever.
    const live = (one) => one.srcObject && one.videoWidth && !one.paused
      && one.srcObject.getVideoTracks().some((track) => track.readyState === "live");
    const video = [...document.querySelectorAll("video")].filter(live).pop();
    if (!video) return {};
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const frame = heldFrame(video);
    if (frame) await painted();
    canvas.getContext("2d").drawImage(frame || video, 0, 0);
    if (frame) frame.close();
    return { blob: await canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 }) };
  }

  // The frame without a copy of it; null where the browser has none, or one that stands otherwise than it is shown.
  function heldFrame(video) {
    if (!self.VideoFrame) return null;
    const frame = new VideoFrame(video);
    if (frame.displayWidth === video.videoWidth && frame.displayHeight === video.videoHeight) return frame;
    frame.close();
    return null;
  }

  // Once what was asked of the screen before has been drawn; a page that nobody sees draws nothing.
  function painted() {
    return new Promise((done) => {
      setTimeout(done, 250);
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
    });
  }

  // The files that a person chose. Flet's client tells Python their names; the files stay here until they are asked for.
  let chosen = [];
  const openChooser = HTMLInputElement.prototype.click;
  HTMLInputElement.prototype.click = function () {
    if (this.type === "file") this.addEventListener("change", () => { chosen = [...this.files]; }, { once: true });
    return openChooser.call(this);
  };

  // The tablet's own camera app. The browser opens it because the person has just tapped.
  function systemCamera() {
    return new Promise((resolve) => {
      const input = document.createElement("input");
      input.type = "file";
      input.accept = "image/*";
      input.capture = "environment";
      input.hidden = true;
      const asked = Date.now();
      const end = (answer) => { input.remove(); resolve(answer); };
      input.addEventListener("cancel", () => end({}));
      input.addEventListener("change", () => {
        const file = input.files[0];
        end(file ? { file, name: file.name, fresh: file.lastModified >= asked - 2000 } : {});
      });
      document.body.append(input);
      openChooser.call(input);
    });
  }

  // One recording at a time; no bytes: silence.
  let sound = null;
  async function playSound(media, bytes) {
    if (sound) { sound.pause(); URL.revokeObjectURL(sound.src); sound = null; }
    if (!bytes || !bytes.length) return {};
    sound = new Audio(URL.createObjectURL(new Blob([bytes], { type: media })));
    await sound.play();
    return {};
  }

  // How much room there is for us, and the browser's promise to keep it: only the page may ask for that.
  async function storage() {
    const { quota, usage } = await navigator.storage.estimate();
    return { quota: quota, usage: usage, persisted: await navigator.storage.persisted() };
  }
  answers.storage = storage;
  answers["keep-storage"] = async () => { await navigator.storage.persist(); return storage(); };

  // The home screen: whether we are on it, how this device does that, and the browser's own question where it has one.
  let offer = null;
  const agent = navigator.userAgent;
  const apple = /iPad|iPhone|iPod/.test(agent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
  const installed = () => matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;
  addEventListener("beforeinstallprompt", (event) => { event.preventDefault(); offer = event; });
  answers["install-state"] = () => ({
    installed: installed(), way: apple ? "ios" : /Android/.test(agent) ? "android" : "desktop", offers: !!offer,
  });
  answers.install = async () => {
    if (!offer) return { installed: installed() };
    const asked = offer;
    offer = null;
    await asked.prompt();
    return { installed: (await asked.userChoice).outcome === "accepted" };
  };

  // What the browser says of the network. The type is told on phones and tablets alone.
  const link = navigator.connection;
  const network = () => ({
    online: navigator.onLine, type: (link && link.type) || "", saveData: !!(link && link.saveData),
  });
  const tellNetwork = () => tell({ ...network(), kind: "network" });
  answers.network = network;
  addEventListener("online", tellNetwork);
  addEventListener("offline", tellNetwork);
  if (link) link.addEventListener("change", tellNetwork);

  addEventListener("visibilitychange", () => tell({ kind: "visibility", visible: !document.hidden }));
  addEventListener("online", () => tell({ kind: "online" }));
  addEventListener("offline", () => tell({ kind: "offline" }));

  // 3. The service worker. It is asked for once the app runs, so that the first start has the network to itself.
  let drafts = null; // unknown until Python has opened the store
  let asked = false;

  function kit() {
    // The same choice as Flutter's loader makes; the worker keeps only the drawing engine that is used here.
    const blink = navigator.vendor === "Google Inc." || navigator.userAgent.includes("Edg/");
    const chromium = blink && typeof ImageDecoder !== "undefined"
      && typeof Intl.v8BreakIterator !== "undefined" && typeof Intl.Segmenter !== "undefined";
    return chromium ? "chromium" : "full";
  }

  async function becomeOffline() {
    if (asked || !("serviceWorker" in navigator)) return;
    asked = true;
    try {
      const registration = await navigator.serviceWorker.register("sw.js?kit=" + kit());
      registration.addEventListener("updatefound", () => watch(registration.installing));
      if (registration.waiting) await look();
      watch(registration.installing);
      await navigator.serviceWorker.ready;
      await look();
      document.addEventListener("visibilitychange", () => { if (!document.hidden) checkForUpdate(registration); });
      setInterval(() => checkForUpdate(registration), 15 * 60 * 1000);
    } catch (error) {
      console.warn("Not ready for offline use:", error);
      document.documentElement.dataset.offline = "failed";
      asked = false;
      tell({ kind: "offline-copy", ready: false, why: String(error) });
    }
  }

  function checkForUpdate(registration) {
    registration.update().catch(() => { /* no network: nothing to do */ });
  }

  function watch(worker) {
    if (!worker) return;
    worker.addEventListener("statechange", () => {
      if (worker.state === "installed" || worker.state === "activated") look();
      if (worker.state === "redundant" && document.documentElement.dataset.offline !== "ready") {
        document.documentElement.dataset.offline = "failed";
        tell({ kind: "offline-copy", ready: false, why: "a file did not arrive as it should" });
      }
    });
  }

  async function look() {
    const registration = await navigator.serviceWorker.getRegistration();
    if (!registration || !registration.active) return;
    const state = await askWorker(registration.active, { kind: "state" });
    document.documentElement.dataset.offline = state.serving ? "ready" : "failed";
    document.documentElement.dataset.serving = state.serving || "";
    tell({ kind: "offline-copy", ready: !!state.serving });
    if (state.serving && !spare) {
      spare = true;
      setTimeout(bringSpare, 3000);
    }
    const newer = registration.waiting || state.newest !== state.serving;
    if (newer) {
      document.documentElement.dataset.update = "waiting";
      tell({ kind: "update-waiting" });
    }
  }

  // The fonts for rare signs, once everything else is here. What does not come now comes with the next start.
  let spare = false;
  async function bringSpare() {
    const { kept } = await tellWorker({ kind: "spare" }, 0).catch(() => ({})); // megabytes: however long it takes
    if (kept !== undefined) document.documentElement.dataset.spare = "ready";
  }

  function askWorker(worker, message, patience = 10000) {
    return new Promise((resolve, reject) => {
      const once = new MessageChannel();
      const timer = patience && setTimeout(() => reject(new Error("the service worker did not answer")), patience);
      once.port1.onmessage = (event) => { clearTimeout(timer); resolve(event.data); };
      worker.postMessage(message, [once.port2]);
    });
  }

  async function tellWorker(message, patience) {
    const registration = "serviceWorker" in navigator && await navigator.serviceWorker.getRegistration();
    return registration && registration.active ? askWorker(registration.active, message, patience) : {};
  }

  // Only ever called by Python's word; refused while a draft is open or the number of drafts is unknown.
  async function applyUpdate() {
    if (drafts !== 0) return { applied: false, why: "a draft is open" };
    const registration = await navigator.serviceWorker.getRegistration();
    const worker = registration && (registration.waiting || registration.active);
    if (!worker) return { applied: false, why: "no version is waiting" };
    const state = await askWorker(worker, { kind: "apply", openDrafts: drafts });
    if (!state.applied) return state;
    if (navigator.serviceWorker.controller !== worker && worker.state !== "activated") {
      await new Promise((resolve) => worker.addEventListener("statechange", () => {
        if (worker.state === "activated") resolve();
      }));
    }
    setTimeout(() => location.reload(), 50); // after the answer to Python has left
    return { applied: true };
  }

  // Later starts are quicker: the worker keeps its bytecode, and an image of Python's memory is made once (quick.js).
  function sayGood(keep) {
    if (python) python.postMessage({ siltwatch: "good", keep });
  }

  function makeImage() {
    const worker = new Worker("{{base}}image.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      document.documentElement.dataset.quick = data.failed ? "failed" : "ready";
      if (data.failed) console.warn("No image of Python's memory was kept:", data.failed);
      worker.terminate();
    };
    worker.postMessage(flet.pageFacts);
  }

  // 4. Screen readers, and our tests, need Flutter's semantics tree: it is on from the first frame.
  addEventListener("flutter-first-frame", () => {
    let tries = 0;
    const timer = setInterval(() => {
      const placeholder = document.querySelector("flt-semantics-placeholder");
      if (placeholder) placeholder.click();
      if (placeholder || ++tries > 200) clearInterval(timer);
    }, 50);
    // Whatever Python says or does not say, a first visit becomes usable offline.
    setTimeout(becomeOffline, 20000);
  }, { once: true });

  // 5. The words while it starts: what is done, and how far it is. They lie over everything until Python runs or has
  // failed: what Flet shows meanwhile says nothing.
  const spoken = (navigator.language || "").startsWith("es") ? {
    steps: ["Paso 1 de 3: cargar la aplicación", "Paso 1 de 3: traer la aplicación", "Paso 2 de 3: desempaquetarla", "Paso 3 de 3: ponerla en marcha"],
    insecure: "Esta dirección no es segura (https): la cámara, la posición y la copia sin conexión no funcionan aquí. "
      + "Pida a su oficina la dirección segura.",
    first: "El primer inicio trae la aplicación, unos {{megabytes}} MB. Después no hace falta red.",
    slow: "Todavía se trae. Con una red lenta tarda unos minutos; deje esta página abierta.",
    late: "Tarda más que de costumbre. No se pierde nada: lo que anotó está guardado en esta tableta.",
    before: "Iniciar la versión anterior",
  } : {
    steps: ["Step 1 of 3: loading the app", "Step 1 of 3: fetching the app", "Step 2 of 3: unpacking it", "Step 3 of 3: starting it"],
    insecure: "This address is not secure (https), so the camera, the position and the offline copy "
      + "do not work here. Ask your office for the secure address.",
    first: "The first start fetches the app, about {{megabytes}} MB. After that no network is needed.",
    slow: "Still fetching. A slow network takes some minutes; keep this page open.",
    late: "This takes longer than usual. Nothing is lost: what you entered is stored on this tablet.",
    before: "Start the version from before",
  };
  const first = !(navigator.serviceWorker && navigator.serviceWorker.controller);
  let step = 1, fetched = 0, counting = null;

  // Bytes as they lie unpacked, here and in the worker: what a server compresses is its own matter.
  function startStep(now, bytes) {
    step = Math.max(step, now || 0);
    fetched += bytes;
    const box = document.getElementById("loading");
    if (!box) return;
    const words = box.querySelector(".words"), far = box.querySelector(".far");
    const said = spoken.steps[step === 1 && !first ? 0 : step]; // a later start fetches nothing
    if (words.textContent !== said) words.textContent = said;
    far.hidden = !first;
    far.value = step === 1 ? Math.min(80, Math.round(80 * fetched / {{bytes}})) : 75 + 5 * step;
  }

  function endStart() {
    const box = document.getElementById("loading");
    if (box) box.remove();
    if (counting) counting.disconnect();
  }

  let python = null;
  Object.defineProperty(flet, "pythonWorker", {
    get: () => python,
    set: (worker) => {
      python = worker;
      worker.addEventListener("message", ({ data }) => {
        if (typeof data === "string" && data !== "initialized") endStart(); // Flet shows why it failed
      });
      worker.addEventListener("error", endStart);
    },
  });

  addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("loading");
    const advice = box.querySelector(".advice");
    box.querySelector(".back").textContent = spoken.before;
    startStep(1, 0);
    if (window.PerformanceObserver) {
      counting = new PerformanceObserver(
        (list) => startStep(0, list.getEntries().reduce((sum, one) => sum + one.decodedBodySize, 0)));
      counting.observe({ type: "resource", buffered: true });
    }
    if (!window.isSecureContext) {
      advice.textContent = spoken.insecure;
      return;
    }
    if (first) advice.textContent = spoken.first;
    setTimeout(() => {
      if (!box.isConnected) return;
      advice.textContent = first ? spoken.slow : spoken.late;
      if (!first) offerVersionBefore(box);
    }, 45000);
  });

  async function offerVersionBefore(box) {
    const state = await tellWorker({ kind: "state" });
    if (!state.before) return;
    const button = box.querySelector(".back");
    button.hidden = false;
    button.addEventListener("click", async () => {
      await tellWorker({ kind: "go-back" });
      location.reload();
    });
  }
})();
