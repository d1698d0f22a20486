"""A process of its own: an inspector takes 30 photos of 50 megapixels; its peak memory after 3 and after 30.

The real use cases on a native store and evidence box: hashed and kept, shown small, preview made behind the screen;
then the report of the inspection with all of them. Prints JSON: {"after_3_kb", "after_30_kb", "after_report_kb",
"kept", "previews", "on_paper"}.
"""

import asyncio
import json
import resource
import sys
from pathlib import Path

from field_app.work import darkroom
from tests.support.field_desk import PIN, bench, ready
from tests.support.field_steps import nothing_else
from tests.support.large_photos import another


def peak_kb() -> int:
    """The most memory that this process has ever had in use (VmHWM)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def day(folder: Path, photo: Path) -> dict:
    desk = bench(folder, native=True)
    seen = {}
    async with desk.work() as work:
        await ready(desk, work)
        desk.network.up = False
        draft = (await work.begin_inspection("site-01")).id
        for number in range(1, 31):
            await work.shoot(draft, "", another(photo.read_bytes(), number), view="other")
            kept = work.photo_capture(draft).kept
            assert await work.thumbnail(kept[-1].sha256), "shown small"
            while await darkroom.step(work._desk):
                pass
            if number in (3, 30):
                seen[f"after_{number}_kb"] = peak_kb()
        await nothing_else(work, draft)
        fact = (await work.sign_inspection(draft, PIN)).fact
        paper = await work.inspection_report_pdf(fact, "en")
        seen |= {"after_report_kb": peak_kb(), "on_paper": paper.count(b"/Subtype /Image")}
        made = [doc for doc in work._desk.store.table("evidence").all() if doc.get("preview") == darkroom.MADE]
        return {**seen, "kept": len(kept), "previews": len(made)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(day(Path(sys.argv[1]), Path(sys.argv[2])))))
