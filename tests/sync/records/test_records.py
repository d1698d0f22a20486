"""Records survive the wire byte for byte, say what is wrong with them, and cannot be forged."""

import json
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.records import down, facts, macs, numbers, receipts, wire
from sync.records.problems import CATALOGUE, Problem
from sync.records.times import At, parse_date
from tests.support.samples import inspection_body, order_body, sample_fact

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values)
def test_what_is_encoded_reads_back_and_encodes_to_the_same_bytes(value):
    data = wire.encode(value)
    assert wire.decode(data) == value
    assert wire.encode(wire.decode(data)) == data


@pytest.mark.parametrize(
    "text",
    ["1.0", "1e3", "NaN", "[Infinity]", '{"a":1,"a":2}', "", "{", '"\\ud800"', "9" * 50, "[" * 3000 + "]" * 3000,
     '{"a":1, "b":[{"c" :":", "c":{}}]}', '{"a":"x","a":["y",":"]}', "[" * 34 + '"x"' + "]" * 34, "[" * 34 + "]" * 34],
)
def test_bytes_that_are_not_strict_json_are_refused(text):
    for data in (text, text.encode()):
        with pytest.raises(Problem) as caught:
            wire.decode(data)
        assert caught.value.code == "wire-malformed"


spoken = st.sampled_from(['"a"', '"b"', '":"', '"{"', '"\\""', '"\\u0061"', '"\\ud800"', '"\u00e9"', '""'])
json_texts = st.recursive(
    spoken | st.sampled_from(["1", "null", "true", "1.5"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]") | st.lists(
        st.tuples(spoken, st.sampled_from([":", " : "]), inner).map("".join), max_size=3).map(
            lambda parts: f"{{{','.join(parts)}}}"),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(json_texts)
def test_bytes_are_read_as_their_text_is(text):
    """Most bytes are looked through in a quicker way than a text is; what it says of them is the same."""

    def read(data):
        try:
            return wire.decode(data)
        except Problem as problem:
            return problem.code

    assert read(text.encode()) == read(text)


def test_what_is_as_deep_as_it_may_be_is_read():
    text = "[" * 33 + '"x"' + "]" * 33
    assert wire.decode(text.encode()) == wire.decode(text)


@pytest.mark.parametrize("value", [1.5, {"a": [0.0]}, float("nan"), {1: 2}, b"x", "\ud800"])
def test_values_that_cannot_travel_are_refused(value):
    with pytest.raises(Problem) as caught:
        wire.encode(value)
    assert caught.value.code == "wire-malformed"


def test_a_fact_reads_back_as_it_was_frozen_and_keeps_what_it_does_not_know():
    fact = replace(sample_fact(), extra={"mood": "rainy"})
    data = facts.freeze(fact)
    assert facts.parse(data) == fact
    assert facts.freeze(facts.parse(data)) == data


@pytest.mark.parametrize("key", ["v", "city", "id", "kind", "tablet", "counter", "user", "at", "pack", "body", "needs"])
def test_a_fact_without_one_of_its_parts_is_refused_and_the_part_is_named(key):
    raw = json.loads(facts.freeze(sample_fact()))
    del raw[key]
    with pytest.raises(Problem) as caught:
        facts.parse(wire.encode(raw))
    assert caught.value.code == "fact-malformed"
    assert key in caught.value.where


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("site", "", "body.site"),
        ("type", "monthly", "body.type"),
        ("inspected_on", "2026-02-30", "body.inspected_on"),
        ("began", "2026-08-27T10:00:00", "body.began"),
        ("outcome", "fine", "body.outcome"),
        ("findings", [{}], "body.findings[0].id"),
        ("signed", {"name": "A"}, "body.signed.title"),
        ("weather", {"rain_24h_in": "half", "source": "gauge"}, "body.weather.rain_24h_in"),
    ],
)
def test_a_malformed_body_names_the_field(path, value, where):
    body = {**inspection_body(), path: value}
    with pytest.raises(Problem) as caught:
        facts.freeze(replace(sample_fact(), body=body, evidence=()))
    assert caught.value.where == where


def test_a_position_of_zero_zero_is_refused():
    body = inspection_body()
    body["photos"] = [{**body["photos"][0], "position": {"lat_udeg": 0, "lon_udeg": 0, "accuracy_cm": 500,
                                                         "fixed_at": "2026-08-27T10:00:00-05:00"},
                       "no_position": None}]
    with pytest.raises(Problem) as caught:
        facts.freeze(replace(sample_fact(), body=body))
    assert "position" in caught.value.where


def test_a_file_named_in_the_body_but_not_in_the_envelope_is_refused():
    with pytest.raises(Problem) as caught:
        facts.freeze(replace(sample_fact(), evidence=()))
    assert caught.value.where == "evidence"


def test_an_order_posted_on_another_day_than_its_time_is_refused():
    body = {**order_body(), "posted_on": "2026-08-28"}
    with pytest.raises(Problem) as caught:
        facts.freeze(replace(sample_fact(), kind="order_posted", body=body, evidence=()))
    assert caught.value.where == "body.posted_on"


def test_a_kind_of_a_newer_tablet_is_read_and_known_as_unknown():
    fact = facts.parse(facts.freeze(replace(sample_fact(), kind="drone_flown", body={"height": "12"})))
    assert not fact.known


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(data):
    with pytest.raises(Problem):
        facts.parse(data)


def test_a_receipt_opens_only_under_its_key_and_unaltered():
    receipt = receipts.Receipt("a" * 32, "b" * 64, "applied", None, {"c" * 64: True}, "e1", "2026-08-27T10:00:00Z")
    sealed = receipts.seal(receipt, b"k" * 32)
    assert receipts.open_receipt(sealed, b"k" * 32) == receipt
    forged = {**sealed, "text": sealed["text"].replace("applied", "waiting")}
    for attempt, key in ((sealed, b"x" * 32), (forged, b"k" * 32), (None, b"k"), ({}, b"k"), ("<html>", b"k")):
        with pytest.raises(Problem) as caught:
            receipts.open_receipt(attempt, key)
        assert caught.value.code == "receipt-forged"


def test_a_receipt_for_a_file_does_not_pass_for_one_of_a_fact():
    sealed = receipts.seal(receipts.EvidenceReceipt("c" * 64, 10, "e", "t"), b"k" * 32)
    assert receipts.open_evidence_receipt(sealed, b"k" * 32).size == 10
    with pytest.raises(Problem):
        receipts.open_receipt(sealed, b"k" * 32)


def test_a_receipt_is_whole_only_when_applied_with_every_file_held():
    base = receipts.Receipt("a" * 32, "b" * 64, "applied", None, {"c" * 64: True, "d" * 64: True}, "e", "t")
    assert base.whole
    assert not replace(base, evidence={"c" * 64: True, "d" * 64: False}).whole
    assert not replace(base, answer="waiting").whole


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(2024, 2040), st.integers(1, 99), st.integers(1, 99999), st.data())
def test_a_number_with_one_wrong_or_two_swapped_characters_is_caught(year, tablet, count, data):
    printed = numbers.order_number(year, f"T{tablet:02d}", count)
    assert str(numbers.parse_number(f" {printed.lower()} ")) == printed
    places = [i for i, c in enumerate(printed) if c.isdigit()]
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from([d for d in "0123456789" if d != printed[at]]))
    with pytest.raises(Problem):
        numbers.parse_number(printed[:at] + other + printed[at + 1 :])
    pairs = [i for i in places if i + 1 < len(printed) and printed[i + 1].isdigit() and printed[i] != printed[i + 1]]
    if pairs:
        i = data.draw(st.sampled_from(pairs))
        with pytest.raises(Problem):
            numbers.parse_number(printed[:i] + printed[i + 1] + printed[i] + printed[i + 2 :])


@pytest.mark.parametrize("bad", [(1999, "T07", 1), (2026, "X07", 1), (2026, "T07", 0), (2026, "T7", 1)])
def test_numbers_outside_the_scheme_are_not_made(bad):
    with pytest.raises(Problem):
        numbers.order_number(*bad)


def test_derived_keys_differ_by_every_boundary_between_labels():
    assert macs.derive(b"s", "ab", "c") != macs.derive(b"s", "a", "bc")
    assert macs.verify(b"k", b"data", macs.sign(b"k", b"data"))
    assert not macs.verify(b"k", b"data", "é" * 64)


def test_a_document_keeps_fields_it_does_not_know_and_names_the_one_it_misses():
    raw = {"id": "s1", "name": "Lot 4", "address": "4 Mill St", "parcel": "11-4", "future": [1]}
    assert down.Site.from_wire(raw).to_wire() | raw == down.Site.from_wire(raw).to_wire()
    assert down.Site.from_wire(raw).to_wire()["future"] == [1]
    with pytest.raises(Problem) as caught:
        down.Site.from_wire({"id": "s1"})
    assert caught.value.where == "site.name"


def test_a_power_holds_on_its_first_and_last_day_and_not_beyond():
    person = {"powers": [{"power": "post", "from": "2026-01-01", "until": "2026-08-27"}]}
    assert down.may(person, "post", "2026-01-01") and down.may(person, "post", "2026-08-27")
    assert not down.may(person, "post", "2026-08-28") and not down.may(person, "post", "2025-12-31")
    assert not down.may(person, "issue", "2026-05-05")


def test_a_clock_reading_survives_the_hour_that_comes_twice():
    zone = ZoneInfo("America/Chicago")
    for fold in (0, 1):
        at = At(datetime(2026, 11, 1, 1, 30, tzinfo=zone, fold=fold), "America/Chicago", 5, "b", None)
        again = At.from_wire(at.to_wire())
        assert again.wall.utcoffset() == at.wall.utcoffset()
        assert again.wall.isoformat() == at.wall.isoformat()


def test_every_problem_says_what_to_do_and_no_code_is_made_up():
    for code, kind in CATALOGUE.items():
        assert code == code.lower() and " " not in code
        assert kind.title[0].isupper() and kind.advice.endswith(".") and 400 <= kind.status < 600
    with pytest.raises(KeyError):
        Problem("no-such-code")


@pytest.mark.parametrize("text", ["2026-W35-4", "20260827", "2026-8-270"])
def test_a_day_is_written_in_one_way(text):
    with pytest.raises(Problem, match="is not a date like"):
        parse_date(text, "body.inspected_on")
