"""Photos with marks at the office: the layer lies over the small copy, on page and paper; the original has none."""

from io import BytesIO

import pypdf
from PIL import Image

from sync.records.facts import Evidence
from sync.records.layers import Layer, fitted, layer_bytes
from sync.records.strokes import ANNOTATION_MEDIA
from sync.server.casework.evidence import hold_bytes
from tests.support.city import finding, inspection_body
from tests.support.office import picture, sha
from tests.support.papers import flat
from tests.support.samples import photo

FOUND = "4" * 32
MUD = picture(9, (1024, 768))
OVER = Layer(sha(MUD), 1024, 768, ())
STROKES = (("arrow", [[100, 100], [600, 400]], "red", ""), ("circle", [[700, 500]], "yellow", ""),
           ("text", [[60, 700]], "blue", "mud <b>& water"))
DRAWN = layer_bytes(OVER.of, 1024, 768, [fitted(OVER, *stroke) for stroke in STROKES])


def marked(office, *, arrived: bool = True) -> str:
    shown = {**photo(sha(MUD)), "finding": FOUND, "layer": sha(DRAWN)}
    body = inspection_body(findings=[finding(FOUND, photos=[sha(MUD)])], photos=[shown])
    evidence = (Evidence(sha(MUD), "photo", len(MUD), "image/jpeg"),
                Evidence(sha(DRAWN), "annotation", len(DRAWN), ANNOTATION_MEDIA))
    fact = office.tablet.fact("inspection_signed", body, evidence=evidence)
    office.tablet.push(fact)
    hold_bytes(office.city, office.tablet.tablet, sha(MUD), "photo", MUD)
    if arrived:
        hold_bytes(office.city, office.tablet.tablet, sha(DRAWN), "annotation", DRAWN)
    return fact.id


def test_the_page_lays_the_marks_over_the_copy_and_opens_the_untouched_photo(office, carol, read):
    page = read(carol.get(f"/office/inspections/{marked(office)}"))
    over = f"/office/evidence/{sha(DRAWN)}/preview"
    assert over in [image["attrs"]["src"] for image in page.all("img")]
    assert "With the inspector's marks" in page.text
    drawn = carol.get(over)
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert 'viewBox="0 0 1024 768"' in drawn.text and "<ellipse" in drawn.text
    assert "mud &lt;b&gt;&amp; water" in drawn.text and "<b>" not in drawn.text
    assert carol.get(f"/office/evidence/{sha(MUD)}").content == MUD


def test_the_report_prints_them_over_the_picture(office, carol):
    data = carol.get(f"/office/inspections/{marked(office)}/report.pdf").content
    text = flat(data)
    assert "with the inspector's marks; the photo itself has none" in text and "mud <b>& water" in text
    (image,) = [image for page in pypdf.PdfReader(BytesIO(data)).pages for image in page.images]
    plain = Image.open(BytesIO(image.data)).convert("RGB")
    assert not [c for _n, c in plain.getcolors(1 << 24) if c[0] > 200 and c[1] < 60], "the picture itself has no red"


def test_a_layer_that_is_still_on_the_tablet_stops_nothing(office, carol, read):
    fact = marked(office, arrived=False)
    assert "With the inspector's marks" in read(carol.get(f"/office/inspections/{fact}")).text
    assert carol.get(f"/office/evidence/{sha(DRAWN)}/preview").status_code == 404
    assert "with the inspector's marks" not in flat(carol.get(f"/office/inspections/{fact}/report.pdf").content)
