// Keeps the whole app on the tablet. Made from a template: VERSION, BASE and FILES are written by the build.
//
// Invariants:
// - a cache counts only once every file in it was read back and has the SHA-256 of the build;
// - which version is served is written down in a cache of its own and changes only by "apply" (sent by the page
//   when the app says that no draft is open) or "go-back"; the browser's own life cycle never swaps versions;
// - the version before stays until a page of the new one has said that it opened the store;
// - fonts for rare signs come once the app itself is whole, and are kept over versions: without them it starts too;
// - pieces of the city's map that were seen or asked for ahead are kept over versions, MOST_TILES of them.

"use strict";

const VERSION = "{{version}}";
const BASE = "{{base}}";
const FILES = {{files}}; // path under BASE -> [sha256, size, "" | "chromium" | "full" | "spare"]

const KIT = new URL(self.location.href).searchParams.get("kit") || "full";
const PREFIX = "siltwatch:" + BASE + ":";
const MINE = PREFIX + VERSION + ":" + KIT;
const STATE = PREFIX + "state";
const QUICK = PREFIX + "quick"; // not ours: quick.js keeps there what makes later starts quick
const STATE_URL = BASE + "__state__"; // in STATE: the name of the cache that is served
const INDEX = BASE + "__files__"; // in each complete cache: what is in it
const SPARE = PREFIX + "spare";
const SPARE_INDEX = BASE + "__spare__"; // in SPARE: path -> the SHA-256 it was kept with

const TILES = PREFIX + "tiles";
const TILE = /^\/tiles\/\d+\/\d+\/\d+\.png$/; // on the city's own server, beside the app
const MOST_TILES = 3000; // about 50 MB
const FRESH_MS = 30 * 24 * 3600 * 1000; // older pieces of the map are asked for again when there is a network

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => event.waitUntil(answer(event)));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (TILE.test(url.pathname)) return event.respondWith(tile(event, url.pathname));
  if (!url.pathname.startsWith(BASE)) return;
  event.respondWith(serve(event.request, url));
});

function wanted() {
  return Object.entries(FILES).filter(([, [, , kit]]) => !kit || kit === KIT);
}

async function complete(name) {
  return (await caches.has(name)) && !!(await (await caches.open(name)).match(INDEX));
}

async function completeCaches() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== STATE);
  const whole = [];
  for (const name of names) if (await complete(name)) whole.push(name);
  return whole;
}

// --- install -------------------------------------------------------------------------------------------------

async function install() {
  if (await complete(MINE)) return;
  const cache = await caches.open(MINE);
  const old = [];
  for (const name of await completeCaches()) {
    const other = await caches.open(name);
    old.push([other, await (await other.match(INDEX)).json()]);
  }
  const queue = wanted();
  const fetched = { reused: 0, fetched: 0 };
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await bring(cache, old, next, fetched);
  };
  try {
    await Promise.all([work(), work(), work(), work()]);
  } catch (error) {
    queue.length = 0;
    await caches.delete(MINE);
    throw error;
  }
  const index = Object.fromEntries(wanted().map(([path, [hash]]) => [path, hash]));
  await note(cache, INDEX, index);
  console.info(`Siltwatch ${VERSION}: ${fetched.reused} files reused, ${fetched.fetched} fetched, all verified`);
}

async function bring(cache, old, [path, [hash]], count) {
  const url = BASE + path;
  for (const [other, index] of old) {
    if (index[path] !== hash) continue;
    const held = await other.match(url);
    if (held && await keep(cache, url, held, hash)) {
      count.reused += 1;
      return;
    }
  }
  // "no-cache" lets the browser reuse what the page itself fetched a moment ago, if the server agrees that it is
  // unchanged; "reload" is the second try, past every cache in between.
  for (const mode of ["no-cache", "reload"]) {
    const response = await fetch(new Request(url, { cache: mode, credentials: "omit", redirect: "error" }));
    if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
    if (await keep(cache, url, response, hash)) {
      count.fetched += 1;
      return;
    }
  }
  throw new Error(`${path}: the bytes do not have the SHA-256 of this version`);
}

async function bringSpare() {
  const fonts = Object.entries(FILES).filter(([, [, , kit]]) => kit === "spare");
  if (!fonts.length) return 0;
  const cache = await caches.open(SPARE);
  const held = await cache.match(SPARE_INDEX);
  const index = held ? await held.json() : {};
  const count = { reused: 0, fetched: 0 };
  for (const file of fonts) {
    const [path, [hash]] = file;
    if (index[path] === hash) continue;
    await bring(cache, [], file, count);
    index[path] = hash;
    await note(cache, SPARE_INDEX, index);
  }
  return fonts.length;
}

// Writes down what a cache holds: path -> SHA-256.
function note(cache, url, index) {
  return cache.put(url, new Response(JSON.stringify(index), { headers: { "Content-Type": "application/json" } }));
}

async function keep(cache, url, response, hash) {
  await cache.put(url, response);
  const bytes = await (await cache.match(url)).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found === hash) return true;
  await cache.delete(url);
  return false;
}

// --- which version is served -----------------------------------------------------------------------------------

let serving; // name of the cache, read once per life of this worker

async function readState() {
  const held = await (await caches.open(STATE)).match(STATE_URL);
  return held ? held.json() : {};
}

async function writeState(name) {
  await (await caches.open(STATE)).put(STATE_URL, new Response(JSON.stringify({ serve: name })));
  serving = name;
}

async function served() {
  if (serving && await caches.has(serving)) return serving;
  const { serve } = await readState();
  if (serve && await complete(serve)) return (serving = serve);
  // Nothing written down, or the browser threw that cache away: the newest whole one there is.
  if (await complete(MINE)) {
    await writeState(MINE);
    return serving;
  }
  return null;
}

async function activate() {
  serving = undefined;
  await served();
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX) || [STATE, QUICK, SPARE, TILES, MINE].includes(name)) continue;
    if (!(await complete(name))) await caches.delete(name); // left over from an install that never finished
  }
  await self.clients.claim();
}

async function serve(request, url) {
  const name = await served();
  if (name) {
    const cache = await caches.open(name);
    const path = request.mode === "navigate" ? BASE + "index.html" : url.pathname;
    const held = await cache.match(path, { ignoreSearch: true, ignoreVary: true });
    if (held) return held;
    const spare = await caches.match(url.pathname, { cacheName: SPARE, ignoreSearch: true, ignoreVary: true });
    if (spare) return spare;
  }
  return fetch(request);
}

// --- the city's map ------------------------------------------------------------------------------------------------

const isOld = (held) => !(Date.now() - Date.parse(held.headers.get("date")) < FRESH_MS);

async function tile(event, path) {
  const cache = await caches.open(TILES);
  const held = await cache.match(path);
  if (held) {
    if (isOld(held)) event.waitUntil(renew(cache, path)); // for the next time: nobody waits for it now
    return held;
  }
  const answer = await fetch(path, { credentials: "omit" });
  if (answer.ok && (await cache.keys()).length < MOST_TILES) { // what is only seen takes no place of what is to be kept
    await cache.put(path, answer.clone()).catch(() => {}); // no room: shown all the same
  }
  return answer;
}

// False where there is no network, or no room: what is here stays.
async function renew(cache, path) {
  try {
    const answer = await fetch(path, { cache: "no-cache", credentials: "omit" });
    if (answer.ok) await cache.put(path, answer);
    return answer.ok;
  } catch {
    return false;
  }
}

// Fetches the pieces that are not here, or are old, and says how many of them are here then.
async function bringTiles(paths) {
  const cache = await caches.open(TILES);
  let held = 0;
  for (const path of paths.filter((one) => TILE.test(one)).slice(0, MOST_TILES)) {
    const old = await cache.match(path);
    const here = old && !isOld(old) || await renew(cache, path);
    if (here || old) held += 1;
  }
  await trim(cache);
  return held;
}

async function trim(cache) {
  const all = await cache.keys(); // the oldest first
  for (const one of all.slice(0, Math.max(0, all.length - MOST_TILES))) await cache.delete(one);
}

// --- messages from the page -----------------------------------------------------------------------------------

async function answer(event) {
  const message = event.data || {};
  const reply = (what) => event.ports[0] && event.ports[0].postMessage(what);
  const version = (name) => (name ? name.slice(PREFIX.length).split(":")[0] : null);
  if (message.kind === "state") {
    const name = await served();
    const before = (await completeCaches()).find((other) => other !== name && other !== MINE) || null;
    return reply({ serving: version(name), newest: VERSION, before: version(before) });
  }
  if (message.kind === "apply") {
    if (message.openDrafts !== 0) return reply({ applied: false, why: "a draft is open" });
    if (!(await complete(MINE))) return reply({ applied: false, why: "the new version is not whole" });
    await writeState(MINE);
    self.skipWaiting(); // not awaited: it may settle only after this event
    return reply({ applied: true, serving: VERSION });
  }
  if (message.kind === "store-opened") {
    const name = await served();
    // Only the page of the served version counts: then the one before has done its service. While another worker
    // installs or waits, its cache may look like an old one, so nothing is thrown away.
    const alone = !self.registration.waiting && !self.registration.installing;
    if (alone && version(name) === message.version) {
      for (const other of await completeCaches()) if (other !== MINE && other !== name) await caches.delete(other);
    }
    return reply({ kept: (await completeCaches()).map(version) });
  }
  if (message.kind === "spare") {
    return reply(await bringSpare().then((kept) => ({ kept }), (error) => ({ error: String(error) })));
  }
  if (message.kind === "tiles") {
    return reply(await bringTiles(message.paths).then((held) => ({ held }), (error) => ({ error: String(error) })));
  }
  if (message.kind === "go-back") {
    const before = (await completeCaches()).find((other) => other !== MINE);
    if (before) await writeState(before);
    return reply({ serving: version(before) });
  }
  return reply({ error: "unknown request" });
}
