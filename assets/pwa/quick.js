// What makes the second and every later start quick. Runs in the workers, never in the page itself.
//
// Kept on the tablet in a cache of its own, besides the service worker's verified files, which stay the truth:
// - an image of Python's memory right after its own start (about 30 MB), made once per version of Pyodide;
// - the bytecode of the modules that the app imported, made once per version of the app.
//
// Invariants: both are used only under the key they were made for and with the SHA-256 they had when they were made;
// a start that used them and was never reported as good counts against them, and after two of those, or any error
// while using them, both are thrown away and the app starts without, as on its first day.

const base = new URL(".", self.location.href).pathname;
const STORE = "siltwatch:" + base + ":quick";
const IMAGE = base + "__image__", BYTECODE = base + "__bytecode__", TRIES = base + "__tries__";
const FAILURES = 2;

async function digest(bytes) {
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function put(name, key, bytes) {
  const headers = { "X-Key": key, "X-SHA256": await digest(bytes), "Content-Type": "application/octet-stream" };
  await (await caches.open(STORE)).put(name, new Response(bytes, { headers }));
}

async function get(name, key) {
  const held = await (await caches.open(STORE)).match(name);
  if (!held || held.headers.get("X-Key") !== key) return null;
  const bytes = new Uint8Array(await held.arrayBuffer());
  return (await digest(bytes)) === held.headers.get("X-SHA256") ? bytes : null;
}

async function tries() {
  const held = await (await caches.open(STORE)).match(TRIES);
  return held ? Number(await held.text()) : 0;
}

async function setTries(count) {
  await (await caches.open(STORE)).put(TRIES, new Response(String(count)));
}

export function imageKey(facts) {
  return facts.python + " " + navigator.userAgent; // another browser may lay its memory out otherwise
}

// --- telling the page how far the start is ----------------------------------------------------------------------

// The page's port is Python's from the first screen on; until then it carries this. There is none in image.js.
function tellPage(step, bytes) {
  if (self.pagePort) self.pagePort.postMessage({ kind: "starting", step, bytes });
}

let counting = null;
function countBytes() {
  if (!self.pagePort || !self.PerformanceObserver) return;
  counting = new PerformanceObserver(
    (list) => tellPage(0, list.getEntries().reduce((sum, one) => sum + one.decodedBodySize, 0)));
  counting.observe({ type: "resource", buffered: true });
}

// --- starting -------------------------------------------------------------------------------------------------

// Pyodide, from the image when there is a good one. `facts` is what the page handed over (start.js).
export async function load(loadPyodide, facts, options) {
  countBytes();
  let image = null;
  try {
    const failed = await tries();
    if (failed >= FAILURES) await forget();
    else image = await get(IMAGE, imageKey(facts));
    if (image || await holds(BYTECODE)) await setTries(failed >= FAILURES ? 0 : failed + 1);
  } catch (error) {
    console.warn("Starting without the quick start:", error);
  }
  if (image) {
    try {
      const py = await loadPyodide({ ...options, _loadSnapshot: image });
      // The generator's state is in the image: without this every start would draw the same numbers.
      py.runPython("import sys\nif 'random' in sys.modules: sys.modules['random'].seed()");
      self.quickStart = true;
      return py;
    } catch (error) {
      console.warn("The image of Python's memory is of no use:", error);
      await forget();
    }
  }
  return loadPyodide(options);
}

async function holds(name) {
  return !!(await (await caches.open(STORE)).match(name));
}

async function forget() {
  await caches.delete(STORE);
}

// Unpacks the app's archive, and the bytecode that belongs to it, into `folder` of Pyodide's file system.
export async function unpack(py, packed, facts, folder) {
  if (counting) counting.disconnect(); // what is fetched from now on is no part of the start
  tellPage(2, 0);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  untar(py, new Uint8Array(await new Response(stream).arrayBuffer()), folder);
  const bytecode = await get(BYTECODE, facts.version).catch(() => null);
  self.bytecodeHeld = bytecode ? untar(py, bytecode, folder) : 0;
  tellPage(3, 0);
}

function untar(py, tar, folder) {
  const made = new Set();
  const text = new TextDecoder();
  const field = (at, length) => text.decode(tar.subarray(at, at + length)).split("\0")[0];
  let longName = null, files = 0;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = parseInt(field(at + 124, 12), 8);
    const kind = String.fromCharCode(tar[at + 156]);
    const data = tar.subarray(at + 512, at + 512 + size);
    if (kind === "L") {
      longName = text.decode(data).split("\0")[0]; // GNU: the next entry's name is longer than its field
    } else {
      const name = longName || field(at, 100);
      longName = null;
      if (kind === "0" || kind === "\0") {
        const path = folder + "/" + name;
        const parent = path.slice(0, path.lastIndexOf("/"));
        if (!made.has(parent)) {
          py.FS.mkdirTree(parent);
          made.add(parent);
        }
        py.FS.writeFile(path, data);
        files += 1;
      }
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

// --- after a good start -----------------------------------------------------------------------------------------

// The app runs: what was used is good. With `keep` (its store is open, or it goes to the back) bytecode that is not
// kept yet is kept, once the first taps are over.
export async function good(py, facts, keep) {
  await setTries(0);
  if (!keep) return;
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const found = py.runPython(COLLECT + `collect("/home/pyodide", ${self.bytecodeHeld})`);
  if (!found) return;
  const [count, bytes] = found.toJs();
  found.destroy();
  await put(BYTECODE, facts.version, bytes);
  self.bytecodeHeld = count;
}

// Bytecode without a date: each start writes the sources anew, so their dates say nothing. The version is the key.
const COLLECT = `
def collect(folder, held):
    import io, os, tarfile
    names = sorted(
        os.path.join(place, name)
        for place, _, found in os.walk(folder) if os.path.basename(place) == "__pycache__" for name in found
    )
    if len(names) <= held:
        return None
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in names:
            with open(name, "rb") as file:
                code = file.read()
            code = code[:4] + (1).to_bytes(4, "little") + bytes(8) + code[16:]
            entry = tarfile.TarInfo(os.path.relpath(name, folder))
            entry.size = len(code)
            tar.addfile(entry, io.BytesIO(code))
    return len(names), out.getvalue()
`;

// In a worker of its own (image.js): a Pyodide that will be imaged sees its world through proxies.
export async function makeImage(facts) {
  if (await get(IMAGE, imageKey(facts))) return false;
  const { loadPyodide } = await import(base + "pyodide/pyodide.mjs");
  const py = await loadPyodide({ _makeSnapshot: true });
  await put(IMAGE, imageKey(facts), py.makeMemorySnapshot());
  return true;
}
