"""Whatever stands in a case file, it is evaluated or refused with a CaseError; nothing else ever comes out."""

from datetime import date, datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from sync.ordinance.cases import CaseError, evaluate, read_case
from sync.ordinance.events import KINDS
from sync.ordinance.pack import load_pack
from sync.where import pack_files

PACK = load_pack(pack_files("demo"))
WORDS = st.sampled_from([
    "in_city", "areas", "area_sq_ft", "slope_percent", "slope_degrees", "slope_ratio", "cut_cu_yd", "strip", "depth_in",
    "utility_segments_ft", "issued", "posted", "received", "events", "on", "what", "order", "due", "cost", "amount",
    "required", "yes", "1:20", "0:0", "B", "", "id", "at", "may", "owed", "status", "in_force", *KINDS[:6]])
LEAVES = st.one_of(WORDS, st.booleans(), st.integers(-5, 10**9), st.decimals(-10, 10**6, places=3),
                   st.dates(date(2020, 1, 1), date(2036, 1, 1)), st.just(datetime(2026, 1, 1, 10)),
                   st.just(Decimal("1E+40")))
TABLES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
                      max_leaves=12)
SHAPES = {
    "permit_need": ("given", "expect"), "deadline": ("clock", "given", "expect"), "matter": ("events", "at", "expect")}


@st.composite
def rows(draw):
    table = draw(st.sampled_from(sorted(SHAPES)))
    row = {"id": "X"} if draw(st.booleans()) else {}
    for key in SHAPES[table]:
        row[key] = draw(TABLES)
    if table == "deadline" and draw(st.booleans()):
        row["clock"] = draw(st.sampled_from(("revocation", "entry", "permit_life", "extension")))
    if draw(st.booleans()):
        row["expect"] = {"result": "required"} if table == "permit_need" else {"status": "none"}
    return table, row


@settings(max_examples=500, deadline=None, derandomize=True)
@given(rows())
def test_anything_is_evaluated_or_refused_by_name(drawn):
    table, row = drawn
    try:
        result = evaluate(read_case(table, 1, row), PACK)
    except CaseError as error:
        assert error.case and error.key and error.why
    else:
        assert result.holds or result.line()


EVENTS = st.lists(st.fixed_dictionaries(
    {"on": st.dates(date(2026, 1, 1), date(2026, 12, 1)), "what": st.sampled_from(KINDS)},
    optional={"order": st.sampled_from(("A", "B")), "due": st.dates(date(2026, 1, 1), date(2026, 12, 1)),
              "cost": st.integers(0, 9), "amount": st.integers(0, 9), "until": st.dates(date(2026, 1, 1)),
              "result": st.sampled_from(("upheld", "reversed")), "basis": st.just("consent"),
              "decision": st.sampled_from(("granted", "denied"))}), max_size=8)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(EVENTS, st.dates(date(2026, 1, 1), date(2032, 12, 31)))
def test_any_events_are_taken_or_refused_by_name(events, at):
    try:
        evaluate(read_case("matter", 1, {"id": "M", "events": events, "at": at, "expect": {"status": "none"}}), PACK)
    except CaseError as error:
        assert error.case == "M" and error.key
