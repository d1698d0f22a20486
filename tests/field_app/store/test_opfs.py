"""The store's contract on OPFS, sealed by WebCrypto, in a worker of a real Chromium, and what only a browser has."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.store.keyring import data_of, open_box
from field_app.store.memory import Medium, open_memory
from sync.records.recovery import user_key_label
from tests.contract import store_contract
from tests.support.again import Lost
from tests.support.pyodide_page import worker_page

PROJECT = ("field_app/__init__.py", "field_app/store", "field_app/hardware", "sync/__init__.py", "sync/records",
           "tests/contract")
pytestmark = pytest.mark.browser
PRIVATE, PUBLIC = asyncio.run(NativeCrypto().new_pair())


@pytest.fixture(scope="module")
def worker():
    with worker_page(*PROJECT, warm="import tests.contract.kill_model, field_app.store") as page:
        yield page


@pytest.fixture(scope="module")
def results(worker):
    return worker.run("from tests.contract.opfs_world import run_store_contract\nawait run_store_contract()")


@pytest.mark.parametrize("name", store_contract.CHECKS)
def test_contract(name, results):
    assert results[name] is None, results[name]


OPEN = """
import json
from tests.contract import kill_model
from field_app.store import StoreBusy, StoreFull
from field_app.hardware.webcrypto import WebCrypto
from field_app.store import opfs

CIPHERS = WebCrypto()


async def open_opfs(name, **options):
    return await opfs.open_opfs(name, ciphers=CIPHERS, **options)
"""

WRITE = OPEN + """
import js
kill_model.compact_often()
js.say("opening")
store = await open_opfs("killed", patience=10)
n = kill_model.found(store)
js.say(f"found {n}")
await kill_model.write_on(store, n, lambda n: js.say(f"did {n}"))
"""

KILL = """
async ({code, after, delay}) => {
  const worker = window.worker;
  window.worker = begin();  // The next one gets ready while this one writes.
  let failed = null;
  worker.run(code).catch((error) => { failed = String(error); });
  while (!failed && worker.heard.length < after) await new Promise((yes) => setTimeout(yes, 1));
  await new Promise((yes) => setTimeout(yes, delay));
  worker.terminate();
  return {heard: worker.heard, failed};
}
"""


def test_a_worker_ended_at_50_random_moments(worker):
    random, acknowledged, wrote = Random(11), 0, 0
    for round in range(50):
        # Every other one is ended while it opens and recovers, the rest after some changes.
        after, delay = (1, random.uniform(0, 60)) if round % 2 else (random.randint(2, 30), random.uniform(0, 4))
        order = {"code": WRITE, "after": after, "delay": delay}
        result = worker.page.evaluate(KILL, order)
        assert result["failed"] is None, f"round {round}, {acknowledged} acknowledged: {result['failed']}"
        for said, number in (line.split() for line in result["heard"][1:]):
            if said == "found":
                if int(number) < acknowledged:
                    raise Lost(f"round {round}: {acknowledged} was acknowledged, {number} is there")
            acknowledged = max(acknowledged, int(number))
            wrote += said == "did"
    found = worker.run(OPEN + """
store = await open_opfs("killed", patience=10)
n = kill_model.found(store)
await store.close()
json.dumps(n)""")
    if found < acknowledged:
        raise Lost(f"{acknowledged} was acknowledged, {found} is there")
    assert wrote > 150


def test_another_worker_is_told_that_the_store_is_open_and_can_take_over(worker):
    worker.run(OPEN + """
store = await open_opfs("shared")
async with store.change() as tx:
    tx.put("sites", "s1", {"n": 1})
json.dumps(None)""")
    first = worker.page.evaluate_handle("window.worker")
    worker.begin()
    refused = worker.run(OPEN + """
try:
    store, said = await open_opfs("shared", patience=0.2), "opened"
except StoreBusy as busy:
    said = busy.code
json.dumps(said)""")
    assert refused == "store-busy"
    first.evaluate("worker => worker.run('await store.close()')")
    taken = worker.run(OPEN + """
store = await open_opfs("shared")
said = store.table("sites").get("s1")
await store.close()
json.dumps(said)""")
    assert taken == {"n": 1}
    first.evaluate("worker => worker.terminate()")


def test_a_full_quota_leaves_the_old_data_and_says_so(worker):
    origin = worker.page.evaluate("location.origin")
    quota = worker.page.context.new_cdp_session(worker.page)
    used = int(worker.page.evaluate("navigator.storage.estimate().then(({usage}) => usage)"))
    quota.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": used + 3_000_000})
    try:
        result = worker.run(OPEN + """
store = await open_opfs("full")
n = 0
while True:
    n += 1
    try:
        async with store.change() as tx:
            tx.put("facts", f"f{n}", {"n": n, "text": "x" * 200_000})
    except StoreFull as full:
        said = full.detail
        break
    assert n < 1000, "the quota was never reached"
held = len(store.table("facts"))
await store.close()
store = await open_opfs("full")
again = [doc["n"] for doc in store.table("facts").all()]
repairs = len(store.repairs)
await store.close()
json.dumps([n, held, again, repairs, said])""")
    finally:
        quota.send("Storage.overrideQuotaForOrigin", {"origin": origin})
    refused, held, again, repairs, detail = result
    assert held == refused - 1 > 0 and again == list(range(1, refused)) and repairs == 0
    assert "no room" in detail
    worker.run(OPEN + """
store = await open_opfs("full")
async with store.change() as tx:
    tx.put("facts", "later", {"n": 1})
await store.close()
json.dumps(None)""")


def test_what_a_browser_seals_opens_with_its_pin_alone_and_a_native_tablet_reads_the_same(worker):
    """PIN, drafts and recovery box, made by WebCrypto; the files are then opened by the native ciphers."""
    worker.run(OPEN + """
store = await open_opfs("sealed")
async with store.change() as tx:
    tx.put("sites", "s1", {"address": "12 Mud Lane"})
await store.keys.trust(bytes.fromhex("PUBLIC"))
await store.keys.add("ada", "Ada Lindqvist", "271828", 1000)
async with store.change() as tx:
    tx.put("drafts", "d1", {"note": "half a silt fence"})
await store.compact()
async with store.change() as tx:
    tx.put("drafts", "d2", {"note": "mud on Elm Street"})
await store.close()
store = await open_opfs("sealed")
assert store.locked and await store.keys.fits("ada", "271829") is None
await store.unlock("ada", await store.keys.fits("ada", "271828"))
assert len(store.table("drafts")) == 2 and store.table("sites").get("s1")
await store.close()
json.dumps(None)""".replace("PUBLIC", PUBLIC.hex()))
    found = worker.run(OPEN + """
from tests.contract.opfs_world import OpfsWorld
from field_app.store.disk import NAMES
json.dumps({name: (await OpfsWorld("sealed").peek(name)).hex() for name in NAMES})""")
    medium = Medium()
    medium.files = {name: bytes.fromhex(data) for name, data in found.items()}
    raw = b"".join(medium.files.values())
    assert not [known for known in (b"Mud Lane", b"silt fence", b"Elm Street", b"drafts") if known in raw]

    async def natively():
        store = await open_memory(medium, NativeCrypto())
        box = data_of(store.keys.entry("ada")["recovery"]["box"])
        key = await open_box(NativeCrypto(), PRIVATE, PUBLIC, box, user_key_label("ada"))
        assert key == await store.keys.fits("ada", "271828")
        await store.unlock("ada", key)
        assert {doc["note"] for doc in store.table("drafts").all()} == {"half a silt fence", "mud on Elm Street"}

    with ThreadPoolExecutor(1) as beside:  # a loop runs here already
        beside.submit(asyncio.run, natively()).result()
