"""What a tablet reported about itself, in the office: the newest first, what matters in front, its words unharmed."""

import html
import json

from sync.records.problems import CATALOGUE
from sync.server.casework.diagnoses import take_diagnosis


def test_the_reports_of_a_tablet(office, carol):
    tablet = office.tablet.tablet
    page = f"/office/tablets/{tablet.code}/reports"
    assert page in carol.get(f"/office/tablets/{tablet.code}/held").text
    assert "Nothing was sent yet" in carol.get(page).text
    report = {
        "report": 1, "app": {"version": "0.1.0", "kind": "browser"}, "made": "2026-08-27T19:00:00+00:00",
        "outbox": {"records": {"waiting": 3}, "errors": {"evidence-hash-mismatch": 1}},
        "link": {"up": False, "code": "wifi-login"}, "storage": {"free": 10_737_418_240}, "clock": {"offset_ms": -279},
        "log": ["<script>alert(1)</script>"],
    }
    take_diagnosis(office.city, tablet, json.dumps(report))
    office.clock.advance(minutes=1)
    take_diagnosis(office.city, tablet, '{"app":"odd","outbox":[]}')  # another version's shape: shown as it is
    text = carol.get(page).text
    assert text.index("odd") < text.index("0.1.0")
    for said in ("3 waiting", f"1 × {CATALOGUE['evidence-hash-mismatch'].title} (evidence-hash-mismatch)",
                 "a Wi-Fi that wants a log-in first", "10.7 GB", "web app", "Thu Aug 27, 2026 at 2:00 PM",
                 "right, to within 1 second"):
        assert html.escape(said) in text, said
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text
    assert "Report of a tablet about itself received" in carol.get("/office/audit").text
    assert carol.get("/office/tablets/T99/reports").status_code == 404


def test_only_who_is_signed_in_sees_them(office, stranger):
    found = stranger.get(f"/office/tablets/{office.tablet.tablet.code}/reports", follow_redirects=False)
    assert found.status_code in (303, 401, 403)
