"""Whatever people type, a placard can be made: no text breaks it, and the number stands on every page."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sync.documents.placard import placard_pdf
from tests.support.papers import pages
from tests.support.samples import order_body

from .conftest import CREATED, PUBLIC_URL

# Half surrogate pairs cannot travel (records refuse them); everything else can.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=400)
FILLED = TEXT.filter(lambda text: text.strip())
LONG_WORD = st.integers(1, 3000).map(lambda n: "m" * n)
PERSON = st.fixed_dictionaries({"name": FILLED, "role": TEXT, "served": st.booleans()})
CORRECTION = st.fixed_dictionaries(
    {"text": FILLED, "due": st.sampled_from([None, {"on": "2026-08-28", "at": "12:00"}])}
)


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    address=FILLED | LONG_WORD,
    observed=FILLED | LONG_WORD,
    must_stop=FILLED | LONG_WORD,
    may_continue=TEXT,
    corrections=st.lists(CORRECTION, max_size=4),
    met=st.lists(PERSON, max_size=3),
    inspector=st.fixed_dictionaries({"name": FILLED, "title": TEXT, "credential_no": TEXT}),
)
def test_no_text_breaks_a_placard(pack, dates, **words):
    order = order_body() | words
    data = placard_pdf(order, pack, dates=dates, public_url=PUBLIC_URL, created=CREATED)
    found = pages(data)
    assert all(order["number"] in page for page in found)
    assert f"page {len(found)} of {len(found)}" in found[-1]
