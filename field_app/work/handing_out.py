"""A paper given to the person: to the device's sheet that prints and shares, or saved where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from field_app.hardware.ports import SAVED, SHARED

if TYPE_CHECKING:
    from field_app.work.desk import Desk

PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class HandedOut:
    """`said`: what became of the file, "" when the person changed their mind."""

    name: str
    said: str


async def hand_out(desk: Desk, name: str, data: bytes) -> HandedOut:
    """Hands a PDF to the person."""
    _, hardware = desk.words, desk.hardware
    if hardware.share_file is not None:
        how = await hardware.share_file(name, data, PDF)
    else:
        how = SAVED if await hardware.save_file(name, data, PDF) else ""
    words = {SHARED: _("Handed over: {file}").format(file=name), SAVED: _("Saved: {name}").format(name=name)}
    return HandedOut(name, words.get(how, ""))
