"""An inspector's work on the real native store in a process that is killed (SIGKILL) again and again, in the middle of
photos, of a signature, of every step of an order, of opening the app.

Whatever was acknowledged is there when the app starts again, and at most the step under way is there or not. What is
there is gone on with, until all of it is signed; every file that anything names is in the box, whole.
"""

import asyncio
import itertools

from sync.records.macs import fingerprint
from tests.support.evidence_files import m4a
from tests.support.field_desk import PIN, SeededIds, bench, jpeg, ready, signed_facts
from tests.support.field_steps import INLET, nothing_else
from tests.support.killed_process import die_at_operation, forked

# At which operation on the disk the process ends, one start of the app after the other.
KILLS = itertools.cycle((31, 9, 46, 27, 38, 23, 52, 34))
TEXT = "Mud along Mill Street for 40 feet."


def table(work, name):
    return work._desk.store.table(name).all()


def draft(work):
    return next((doc["id"] for doc in table(work, "drafts")), None)


def order(work):
    return next((doc for doc in table(work, "order_drafts") if doc["kind"] == "order"), None)


def entry(work, key):
    found = draft(work)
    return next(item for section in work.inspection(found).sections for card in section.cards for item in card.items
                if item.key == key) if found else None


def photo(key, number, view):
    sha = fingerprint(jpeg(number))
    return (lambda work: work.add_photo(draft(work), key, jpeg(number), source="camera", view=view),
            lambda work: sha in [one.sha256 for one in entry(work, key).photos])


def answer(key, part, value):
    return (lambda work: work.answer(draft(work), key, part, value),
            lambda work: value == work._desk.store.table("drafts").get(draft(work))["entries"].get(key, {}).get(
                "parts", {}).get(part))  # fmt: skip


def signed(kind):
    return lambda work: bool(signed_facts(work, kind))


def stage(*names):
    return lambda work: order(work) is not None and order(work)["stage"] in names


async def photograph_the_placard(work):
    """Kept at the tap; signed at once where the PIN still holds, else when it is typed."""
    if fingerprint(jpeg(9)) not in {row["sha256"] for row in table(work, "evidence")}:
        await work.add_order_photo(order(work)["number"], jpeg(9), source="camera")
    if not signed_facts(work, "photo_added"):
        await work.sign_order_photos(order(work)["number"], PIN)


# Each step and how one sees that it was done. Those of the draft are seen until it is signed.
IN_THE_DRAFT = (
    (lambda work: work.begin_inspection("site-01"), lambda work: draft(work) is not None),
    answer("TRK-06", "soil", "clumps"), answer("TRK-06", "distance", "40"), answer("TRK-06", "gutter", "no"),
    (lambda work: work.note(draft(work), "TRK-06", TEXT), lambda work: entry(work, "TRK-06").note == TEXT),
    photo("TRK-06", 1, "wide"),
    answer(INLET, "barrier", "none"), answer(INLET, "runoff", "yes"), answer(INLET, "rain_due", "no"),
    (lambda work: work.note(draft(work), INLET, "No barrier."), lambda work: entry(work, INLET).note == "No barrier."),
    photo(INLET, 2, "wide"), photo(INLET, 3, "close"),
    (lambda work: work.add_voice_note(draft(work), INLET, m4a(), 61_400),
     lambda work: len(entry(work, INLET).voice_notes) == 1),
    (lambda work: nothing_else(work, draft(work)), lambda work: not work.review(draft(work)).missing),
)  # fmt: skip
SIGNING = (lambda work: work.sign_inspection(draft(work), PIN), signed("inspection_signed"))
OF_THE_ORDER = (
    (lambda work: work.begin_order("site-01", signed_facts(work, "inspection_signed")[0].id),
     lambda work: order(work) is not None),
    (lambda work: work.set_order_text(order(work)["id"], "must_stop", TEXT),
     lambda work: work.order(order(work)["id"]).must_stop == TEXT),
    (lambda work: work.set_nobody_present(order(work)["id"], True),
     lambda work: work.order(order(work)["id"]).nobody_present),
    (lambda work: work.make_placard(order(work)["id"]), stage("printed", "up", "done")),
    (lambda work: work.placard_is_up(order(work)["id"]), stage("up", "done")),
    (lambda work: work.post_order(order(work)["id"], PIN), stage("done")),
    (photograph_the_placard, signed("photo_added")),
)  # fmt: skip
STEPS = (*IN_THE_DRAFT, SIGNING, *OF_THE_ORDER)
SIGNED = len(IN_THE_DRAFT)


def done(work) -> int:
    """How many steps are done: the first that is not is the one that is gone on with."""
    if not STEPS[SIGNED][1](work):
        steps = range(SIGNED)
        return next((number for number in steps if not STEPS[number][1](work)), SIGNED)
    return next((number for number in range(SIGNED + 1, len(STEPS)) if not STEPS[number][1](work)), len(STEPS))


async def go_on(desk, acknowledge):
    async with desk.work() as work:
        for number in range(done(work), len(STEPS)):
            await STEPS[number][0](work)
            acknowledge(number + 1)


def killed_at(desk, operation, life):
    """Goes on with the work in a process that kills itself at its n-th operation on the disk, in the middle of it where
    it writes. Gives whether it came to that, and how many steps it acknowledged (0: none in this life)."""

    def live(acknowledge):
        die_at_operation(operation)
        desk.ids = SeededIds(1_000 + life)
        asyncio.run(go_on(desk, acknowledge))

    died, acknowledged = forked(live)
    return died, acknowledged[-1] if acknowledged else 0


async def looked_at(desk):
    """How many steps are done, after everything that must hold was looked at."""
    async with desk.work() as work:
        for row in table(work, "evidence"):
            data = await work._desk.box.read(row["sha256"])
            assert (fingerprint(data), len(data)) == (row["sha256"], row["size"])
        counters = sorted(row["counter"] for row in table(work, "facts"))
        assert counters == list(range(1, len(counters) + 1))
        bound = {doc["used"]: doc["number"] for doc in table(work, "lease") if doc["used"]}
        assert bound == {doc["id"]: doc["number"] for doc in table(work, "order_drafts")}
        return done(work)


def test_nothing_acknowledged_is_lost_and_at_most_the_step_under_way(tmp_path):
    desk = bench(tmp_path, native=True)

    async def begin():
        async with desk.work() as work:
            await ready(desk, work)

    asyncio.run(begin())
    desk.network.up = False
    there, kills, life, stalled, stages = 0, 0, 0, 0, set()
    while there < len(STEPS):
        # Opening alone takes some operations: whoever gets nowhere lives longer next time.
        killed, acknowledged = killed_at(desk, next(KILLS) + 5 * stalled, life := life + 1)
        now = asyncio.run(looked_at(desk))
        assert now >= max(there, acknowledged), f"life {life}: {acknowledged} acknowledged, {now} there"
        assert now <= max(there, acknowledged) + 1, f"life {life}: {now} there, {acknowledged} were acknowledged"
        stalled = 0 if now > there else stalled + 1
        there, kills = now, kills + killed
        stages.add(now)
        assert life < 60, f"it gets nowhere after {there}"
    assert kills >= 7 and len(stages) >= 5, "it was hardly ever in the middle of anything"

    async def look():
        async with desk.work() as work:
            [inspection] = signed_facts(work, "inspection_signed")
            [posted], [added] = signed_facts(work, "order_posted"), signed_facts(work, "photo_added")
            assert {file.sha256 for file in inspection.evidence} >= {fingerprint(jpeg(n)) for n in (1, 2, 3)}
            assert len(inspection.body["voice_notes"]) == 1 and posted.body["must_stop"] == TEXT
            assert added.body["photo"]["sha256"] == fingerprint(jpeg(9))

    asyncio.run(look())
