"""Voice notes of a signed inspection: what the office hears and reads, on the page and on the report."""

from sync.records.facts import Evidence
from sync.server.casework.evidence import hold_bytes
from tests.support.city import finding, inspection_body
from tests.support.evidence_files import m4a, webm
from tests.support.finds import report_body
from tests.support.office import sha
from tests.support.papers import flat
from tests.support.samples import order_body
from tests.support.site_acts import emergency_body

FOUND = "3" * 32
HERE, AWAY = m4a(), webm()


def spoken(office) -> str:
    taken = office.tablet.fact("rain_recorded", {}).at.to_wire()
    notes = [{"sha256": sha(HERE), "recorded": taken, "ms": 61_400, "item": "TRK-06", "finding": FOUND},
             {"sha256": sha(AWAY), "recorded": taken, "ms": 7_000, "item": None, "finding": None}]
    gone = [{"sha256": "5" * 64, "taken": taken, "removed_at": "2026-08-27T14:10:00-05:00"}]
    body = inspection_body(findings=[finding(FOUND)], voice_notes=notes, removed_voice_notes=gone)
    evidence = (Evidence(sha(HERE), "voice_note", len(HERE), "audio/mp4"),
                Evidence(sha(AWAY), "voice_note", len(AWAY), "audio/webm"))
    fact = office.tablet.fact("inspection_signed", body, evidence=evidence)
    office.tablet.push(fact)
    hold_bytes(office.city, office.tablet.tablet, sha(HERE), "voice_note", HERE)
    return fact.id


def test_the_page_plays_what_is_here_and_says_what_is_not(office, carol, read):
    page = read(carol.get(f"/office/inspections/{spoken(office)}"))
    assert [one["attrs"]["src"] for one in page.all("audio")] == [f"/office/evidence/{sha(HERE)}"]
    for sentence in ("Voice note, 61 seconds, ", "the whole inspection", "Voice note, 7 seconds, ",
                     "This voice note has not arrived yet.", "Voice notes taken off before signing",
                     "555555555555", sha(AWAY)):
        assert sentence in page.text, sentence
    sound = carol.get(f"/office/evidence/{sha(HERE)}")
    assert sound.headers["content-type"] == "audio/mp4" and sound.content == HERE
    part = carol.get(f"/office/evidence/{sha(HERE)}", headers={"Range": "bytes=0-1"})
    assert part.status_code == 206 and part.content == HERE[:2], "Safari asks for this first, and plays nothing without"
    assert part.headers["content-range"] == f"bytes 0-1/{len(HERE)}" and sound.headers["accept-ranges"] == "bytes"
    rest = carol.get(f"/office/evidence/{sha(HERE)}", headers={"Range": "bytes=2-", "If-Range": part.headers["etag"]})
    assert rest.status_code == 206 and HERE[:2] + rest.content == HERE
    past = carol.get(f"/office/evidence/{sha(HERE)}", headers={"Range": f"bytes={len(HERE)}-"})
    assert past.status_code == 416 and past.headers["content-range"] == f"bytes */{len(HERE)}"
    assert "media-src 'self'" in carol.get("/office/").headers["content-security-policy"]


def test_the_report_names_them_by_their_fingerprints(office, carol):
    text = flat(carol.get(f"/office/inspections/{spoken(office)}/report.pdf").content)
    assert "Voice notes" in text and "1. Voice note, 61 seconds, " in text
    assert sha(HERE) in text.replace(" ", "") and sha(AWAY)[:32] in text


def test_an_emergency_a_find_and_an_order_are_heard_on_their_pages_and_named_on_their_papers(office, carol, read):
    recorded = office.tablet.fact("rain_recorded", {}).at.to_wire()

    def pushed(kind, body):
        note = {"sha256": sha(HERE), "recorded": recorded, "ms": 9_000, "item": None, "finding": None}
        evidence = (Evidence(sha(HERE), "voice_note", len(HERE), "audio/mp4"),)
        fact = office.tablet.fact(kind, {**body, "voice_notes": [note]}, evidence=evidence)
        office.tablet.push(fact)
        return fact.id

    emergency, find = pushed("emergency_reported", emergency_body()), pushed("site_reported", report_body())
    leased = office.tablet.enrolled.lease[10]
    order = pushed("order_posted", order_body() | {"number": leased.number, "token": leased.token})
    hold_bytes(office.city, office.tablet.tablet, sha(HERE), "voice_note", HERE)
    for page, about in ((f"/office/site-acts/{emergency}", "the report"), (f"/office/sites/{'5' * 32}", "the report"),
                        (f"/office/orders/{order}", "the order")):
        shown = read(carol.get(page))
        assert [one["attrs"]["src"] for one in shown.all("audio")] == [f"/office/evidence/{sha(HERE)}"], page
        assert f"{about} Voice note, 9 seconds, " in " ".join(shown.text.split()), page
    assert find
    for paper in (f"/office/site-acts/{emergency}/paper.pdf", f"/office/orders/{order}/order.pdf"):
        assert sha(HERE) in flat(carol.get(paper).content).replace(" ", ""), paper
