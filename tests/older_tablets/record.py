"""Records what a tablet of today says to its office in a day of every kind of act, to be kept and replayed for ever.

``python -m tests.older_tablets.record NAME`` writes ``tests/older_tablets/NAME.zip``: the city's database as it was
before, every request byte by byte as the real app sent it, and what the office answered. One is made for each release,
and for each protocol or ordinance pack; it is never written over (`tests.sync.server.api.test_older_tablets`).
``protocol-1-c6de030`` is what the app of that commit said, which had fewer kinds of acts.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from sync.client.calls import Request
from sync.records.protocol import PROTOCOL
from sync.server.casework import blanks
from sync.server.casework.orders import issue_recommended_order
from tests.model.tablet import png
from tests.support.evidence_files import m4a
from tests.support.field_desk import PIN, Bench, Network, bench, jpeg, settle
from tests.support.field_steps import (
    INLET,
    failing_inspection,
    item,
    nothing_else,
    posted_order,
    recommended_order,
    soil_on_the_road,
    unprotected_inlet,
    written_order,
)
from tests.support.powers import grant

HERE = Path(__file__).parent
# Larger than what goes out at once, so that it goes in parts; a picture of one dot and a long line of them.
LARGE = 1_100_000


class Recorder(Network):
    """The way to the office, which notes all that goes along it. ``kept``: one after the other; ``bodies`` by name."""

    def __init__(self, desk: Bench) -> None:
        super().__init__(desk.city)
        self.clock, self.kept, self.bodies = desk.clock, [], {}

    async def _ask(self, request: Request, headers: dict[str, str], content: bytes | None) -> Any:
        at = self.clock.now().isoformat()
        answer = await super()._ask(request, headers, content)
        told = {name: value for name, value in answer.headers.items()
                if name.startswith(("siltwatch-", "upload-", "tus-")) or name in ("location", "content-type")}
        self.bodies[name := f"body-{len(self.kept):03}"] = content or b""
        self.kept.append({
            "at": at, "method": request.method, "path": request.path, "headers": headers, "body": name,
            "answer": {"status": answer.status_code, "headers": told, "body": _shown(answer)},
        })
        return answer

    def deed(self, name: str, *arguments: Any) -> None:
        self.kept.append({"at": self.clock.now().isoformat(), "deed": [name, *arguments]})


def _shown(answer: Any) -> Any:
    """What the tablet reads of it; a file that came down is no part of the protocol."""
    return json.loads(answer.content) if "json" in answer.headers.get("content-type", "") and answer.content else None


def database(desk: Bench) -> bytes:
    raw = desk.city.db.engine.raw_connection()
    try:
        return bytes(raw.driver_connection.serialize())
    finally:
        raw.close()


async def day(desk: Bench) -> dict[str, bytes]:
    """Everything that a tablet records, once, as its people do it: the files to be kept, by name."""
    grant(desk.city, "ada", "release", "void_and_supersede", "revise", "administer")
    code, ada, ben = desk.enrolment_code(), desk.personal_code("ada"), desk.personal_code("ben")
    before = database(desk)
    desk.network = network = Recorder(desk)
    async with desk.work() as work:
        await work.enrol(code)
        await signs_in(work, ben)
        await settle(work)
        await recommended_order(work, await failing_inspection(work))
        await settle(work)
        await work.stop_sync()
        tablet = work._desk.tablet()
        [row] = work.site("site-01").orders
        network.deed("issue", row.fact)
        await desk.office(issue_recommended_order, "carol", row.fact)
        network.deed("print", tablet["tablet_code"], 2)
        await desk.office(blanks.print_blanks, "carol", tablet["tablet_code"], 2)
        await settle(work, lambda: work.site("site-01").orders[0].status == "issued" and len(work.blanks().free) == 2)
        await work.stop_sync()
        await signs_in(work, ada)
        await ada_works(desk, work, row.number)
        await settle(work)
        await work.send_diagnosis(work.diagnosis().text)
        await work.stop_sync()
        desk.clock.advance(days=20)  # the token is old by then
        view = await work.begin_inspection("site-02")
        await nothing_else(work, view.id)
        await work.sign_inspection(view.id, PIN)
        await settle(work)
        await work.stop_sync()
        assert {one.state for one in work.outbox().rows} == {"safe"}, work.outbox().rows
    about = {
        "protocol": PROTOCOL, "city": {"id": desk.city.id, "name": desk.city.name, "zone": str(desk.city.zone)},
        "secret": desk.city.secret.hex(), "public_url": desk.city.public_url, "receipt_key": tablet["receipt_key"],
        "messages": network.kept,
    }
    return {"day.json": json.dumps(about, sort_keys=True, indent=1).encode(), "city.sqlite": before, **network.bodies}


async def signs_in(work: Any, code: str) -> None:
    if await work.sign_in(code) is not None:
        await work.set_pin(PIN, PIN)


async def ada_works(desk: Bench, work: Any, issued: str) -> None:
    affixing = await work.begin_affixing(issued)
    await work.set_affix_place(affixing.id, "Main gate")
    await work.make_placard(affixing.id)
    await work.placard_is_up(affixing.id)
    await work.affix_order(affixing.id, PIN)

    view = await work.begin_inspection("site-01")
    await soil_on_the_road(work, view.id)
    await unprotected_inlet(work, view.id)
    await work.add_voice_note(view.id, INLET, m4a(), 61_400)
    await work.add_photo(view.id, "TRK-06", png(1, LARGE), source="gallery", view="wide")
    await work.add_place(view.id, "inlet", "CB-9", "Oak Street")
    await work.add_photo(view.id, "TRK-06", jpeg(6, (640, 480)), source="camera", view="close")
    sha = item(work.inspection(view.id), "TRK-06").photos[-1].sha256
    await work.add_mark(view.id, sha, (640, 480), "arrow", [[10, 10], [300, 200]], "red")
    await nothing_else(work, view.id)
    signed = await work.sign_inspection(view.id, PIN)

    first = await posted_order(work, signed)
    await work.add_order_photo(first.number, jpeg(9), source="camera")
    await work.sign_order_photos(first.number, PIN)
    orders = {row.number: row.fact for row in work.site("site-01").orders}
    await work.repost_placard(orders[first.number], "Main gate", "The wind took it.", PIN)
    paper, spoilt = work.blanks().free
    await work.spoil_blank(spoilt, "Torn by the wind")
    order = await written_order(work, signed)
    await work.bind_blank(order, paper)
    await work.blank_is_dated(order)
    await work.placard_is_up(order)
    await work.post_order(order, PIN)
    orders = {row.number: row.fact for row in work.site("site-01").orders}
    await work.void_order(orders[first.number], "It names the wrong parcel.", PIN, replaced_by=orders[paper])
    await work.release_order(orders[paper], "The street is clean.", PIN)

    again = await work.begin_correction(signed.fact)
    await work.set_details(again.id, revise_reason="I measured again: 60 feet.")
    await work.sign_inspection(again.id, PIN)

    report = (await work.begin_report()).id
    for field, text in {"address": "Across from 40 Oak Street", "observed": "A trench along the road."}.items():
        await work.set_report_text(report, field, text)
    await work.locate_report(report)
    await work.add_report_photo(report, jpeg(7))
    await work.answer_need(report, "road_work", "local")
    await work.save_report(report)
    await work.record_rain("", "0.70", ("2026-08-27", "01:00"), ("2026-08-27", "06:00"), "city yard")

    act = (await work.begin_site_act("site-01", "emergency")).id
    await work.set_act_text(act, "condition", "The basin overflows.")
    await work.set_threat(act, "surface water")
    await work.set_act_text(act, "no_approval", "The line is dead.")
    await work.sign_site_act(act, PIN)
    act = (await work.begin_site_act("site-01", "revision")).id
    await work.set_act_text(act, "conditions", "4 inches of rain")
    await work.set_act_text(act, "inadequate", "The fence is washed around.")
    await work.set_revision_device(act, 0, "A trap at the low corner", "2026-08-29", "17:00")
    await work.set_act_nobody(act, True)
    await work.sign_site_act(act, PIN)


def main(name: str) -> None:
    place = HERE / f"{name}.zip"
    if place.exists():
        sys.exit(f"{place} is kept as it is")
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(day(bench(Path(folder))))
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry, data in found.items():
            archive.writestr(zipfile.ZipInfo(entry), data, zipfile.ZIP_DEFLATED)
    print(len(found), "entries,", place.stat().st_size, "bytes")


if __name__ == "__main__":
    main(sys.argv[1])
