"""A report about the tablet itself, for whoever repairs: read on the screen before it is sent or saved.

It is made of versions, counts, states, codes and clocks. No name, no address, no answer, no note, no picture and no key
goes into it: every value is a number, a code of ours or a line of `log_lines`, which keeps nothing that a person wrote.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from field_app.store.change import TABLES
from field_app.work import clocks, log_lines, preferences, settings
from field_app.work.syncing import metered, tries, wifi_only
from field_app.work.views.tablet import DiagnosisView
from sync.client.diagnosis import send_diagnosis
from sync.records.problems import CATALOGUE, Problem
from sync.records.protocol import MAX_DIAGNOSIS_BYTES, PROTOCOL

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SENT = "diagnosis_sent"


def report(desk: Desk) -> dict[str, Any]:
    """The report as it stands now; see the module for what never goes into it."""
    view, hardware, link = desk.outbox.view(), desk.hardware, desk.link()
    secrets = desk.store.table("secrets").get("tablet") or {}
    contact = clocks.contact(desk)
    network = hardware.network.state() if hardware.network is not None else None
    return {
        "report": 1,
        "made": desk.hardware.clock.now().isoformat(timespec="seconds"),
        "tablet": secrets.get("tablet_code", ""),
        "app": {
            "version": settings.version(), "kind": hardware.kind, "python": ".".join(map(str, sys.version_info[:3])),
            "platform": sys.platform, "protocol": PROTOCOL, "pack": _pack(desk),
        },
        "chosen": {name: preferences.chosen(desk, name) for name in preferences.CHOICES}
        | {"tries": tries(desk) if secrets else 0, "photos_wifi_only": wifi_only(desk)},
        "store": {name: count for name in TABLES if (count := len(desk.store.table(name)))},
        "outbox": {
            "records": dict(Counter(row.state for row in view.facts)),
            "files": dict(Counter(row.state for row in view.files)),
            "bytes_left": sum(row.size for row in view.files if not row.held),
            "answers": dict(Counter(row.answer or "none" for row in view.facts)),
            "errors": dict(Counter(_codes(view))),
            "most_tries": max((row.tries for row in (*view.facts, *view.files)), default=0),
            "numbers_left": view.lease_free, "withdrawn": view.withdrawn, "copied": view.copied,
            "cursor": view.cursor.seq, "epoch": view.epoch,
        },
        "link": {
            "running": bool(desk.driver is not None and desk.driver.status.running),
            "up": bool(link and link.up), "code": link.code if link else "", "notice": link.notice if link else "",
            "trouble": desk.driver.status.trouble if desk.driver is not None else "",
            "online": network.online if network else None, "metered": metered(desk),
        },
        "clock": {
            "offset_ms": contact.get("offset_ms"), "last_contact": contact.get("at"),
            "gps_offset_ms": clocks.gps_offset_ms(desk), "set_back_ms": clocks.set_back_ms(desk),
            "zone": desk.zone, "since_start_ms": hardware.clock.monotonic_ms() - desk.began_ms,
        },
        "storage": {"free": desk.room.free, "used": desk.room.used, "kept": desk.room.kept},
        "installed": desk.install.installed if desk.install is not None else None,
        "driver": _driver(desk),
        "log": log_lines.lines(),
    }


def _codes(view: Any) -> list[str]:
    """A code for each item that something is wrong with, by what set it aside or what the server said."""
    found = [row.park.code if row.park else row.reason for row in view.facts if row.park or row.reason]
    found += [row.park.code for row in view.files if row.park]
    return [code if code in CATALOGUE else "other" for code in found]


def _driver(desk: Desk) -> dict[str, Any]:
    steps = desk.driver.steps if desk.driver is not None else None
    return {"steps": steps.count, "longest_ms": round(steps.longest_ms)} if steps is not None else {}


def _pack(desk: Desk) -> str:
    try:
        return desk.pack().ref
    except Problem:
        return ""


def text(desk: Desk) -> str:
    """The report as it is read, sent and saved; the oldest lines of the log go when it would be too long."""
    made = report(desk)
    while True:
        said = json.dumps(made, indent=1, ensure_ascii=False)
        if len(said.encode()) <= MAX_DIAGNOSIS_BYTES or not made["log"]:
            return said
        made["log"] = made["log"][len(made["log"]) // 2 + 1 :]


def view(desk: Desk) -> DiagnosisView:
    """The report to read, and when one was last sent."""
    sent = desk.store.table("meta").get(SENT)
    link = desk.link()
    return DiagnosisView(
        text=text(desk), sent=desk.moment_words(sent["at"]) if sent else "",
        can_send=desk.store.table("secrets").get("tablet") is not None and bool(link and link.up),
    )


async def send(desk: Desk, said: str) -> None:
    """Send the report that was read. Raises Problem: the server's code, "offline", "not-enrolled"."""
    target = desk.target()
    await send_diagnosis(desk.hardware.transport(target.server), target, said, _pause)
    async with desk.store.change() as tx:
        tx.put("meta", SENT, {"at": desk.now().isoformat()})


async def save(desk: Desk, said: str) -> str | None:
    """Save the report that was read to a file; its name, None when it was cancelled."""
    code = (desk.store.table("secrets").get("tablet") or {}).get("tablet_code", "new")
    name = f"siltwatch-{code}-{desk.now():%Y%m%d-%H%M}.json"
    return name if await desk.hardware.save_file(name, said.encode(), "application/json") else None


async def _pause(milliseconds: int) -> None:
    await asyncio.sleep(milliseconds / 1000)
