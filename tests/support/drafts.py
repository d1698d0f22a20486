"""A draft of an inspection with inlets, control devices, a timetable, conditions and open findings, to be tapped on."""

from field_app.capture import form as forms
from field_app.capture.draft import Draft, Subject
from sync.ordinance.pack import load_pack
from sync.records.problems import Problem
from sync.where import pack_files

PACK = load_pack(pack_files("demo"))
AT = "2026-08-27T14:03:22-05:00"
SIGNED = {"name": "Ada", "title": "Inspector", "credential_no": "", "statement": "I saw this."}
START = Draft(
    id="d" * 32,
    site="site-01",
    user="ada",
    pack=PACK.ref,
    began="2026-08-27T14:00:00-05:00",
    permit="permit-01",
    topics=forms.CORE_TOPICS,
    subjects=(
        Subject("inlet", "in-1", "CB-1", "Mill Street"),
        Subject("inlet", "in-2", "CB-2"),
        Subject("device", "dev-1", "Silt fence north", "north line", "", "silt_fence"),
        Subject("device", "dev-2", "Exit 1", "", "", "stone_exit"),
        Subject("timetable", "row-1", "Strip the topsoil", "Aug 1 to Aug 20"),
        Subject("condition", "c1", "Keep the exit 50 feet long.", "", "D4"),
        Subject("condition", "c2", "Sweep daily."),
    ),
    earlier=(
        {
            "id": "e1",
            "item": "TRK-07",
            "subject": None,
            "severity": "major",
            "found_on": "2026-08-20",
            "status": "open",
        },
        {
            "id": "e2",
            "item": "INL-02",
            "subject": {"kind": "inlet", "id": "in-1"},
            "severity": "major",
            "found_on": "2026-08-20",
            "status": "open",
        },
        {
            "id": "e3",
            "item": "ECD-06",
            "subject": {"kind": "device", "id": "dev-1"},
            "severity": "major",
            "found_on": "2026-08-20",
            "first_found_on": "2026-08-13",
            "status": "open",
        },
    ),
)
FORM = forms.build(PACK, START)
CARDS = [*sorted({q.card for q in FORM.questions}), "nowhere"]


def photo(number: int, view: str = "wide") -> dict:
    where = {"position": None, "no_position": "switched off"}
    if number == 4:  # one that was taken far from the site
        fix = {"lat_udeg": 43_100_000, "lon_udeg": -89_400_000, "accuracy_cm": 900, "fixed_at": AT}
        where = {"position": fix, "no_position": None, "site_m": 2_700,
                 "site_position": {"lat_udeg": 43_073_100, "lon_udeg": -89_401_200}}  # fmt: skip
    return {
        **where,
        "sha256": f"{number:064x}",
        "taken": {"wall": AT, "zone": "America/Chicago", "mono_ms": 1, "boot": "b", "offset_ms": None},
        "source": "camera",
        "view": view,
        "name": None,
        "size": 10,
        "media": "image/jpeg",
    }


def tapped(draft: Draft, sequence) -> Draft:
    """The taps one after the other; a refused one changes nothing."""
    for tap in sequence:
        try:
            draft = tap(draft, forms.build(PACK, draft))
        except Problem:
            continue
    return draft
