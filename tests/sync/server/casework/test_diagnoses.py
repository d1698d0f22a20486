"""Reports of a tablet about itself: kept once, bounded in size and number, audited, refused when they are none."""

import json

import pytest

from sync.records.problems import Problem
from sync.records.protocol import MAX_DIAGNOSIS_BYTES
from sync.server.casework.audit import entries, verify
from sync.server.casework.diagnoses import KEPT, diagnoses_of, take_diagnosis
from tests.support.city import field_tablet, memory_city
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


def test_the_same_report_is_kept_once_and_audited_once(city):
    tablet = field_tablet(city).tablet
    text = json.dumps({"report": 1, "app": {"version": "0.1.0"}})
    first = take_diagnosis(city, tablet, text)
    city.clock.advance(minutes=5)
    assert take_diagnosis(city, tablet, text) == first
    (kept,) = diagnoses_of(city, tablet.code)
    assert (kept.text, kept.at, kept.tablet) == (text, first, tablet.code)
    arrivals = [one for one in entries(city) if one.what == "diagnosis_received"]
    assert [one.subject for one in arrivals] == [f"tablet:{tablet.code}"]
    assert verify(city) > 0


def test_only_the_newest_of_a_tablet_are_kept_and_others_stay(city):
    one, other = field_tablet(city).tablet, field_tablet(city).tablet
    take_diagnosis(city, other, '{"n":0}')
    for n in range(KEPT + 3):
        city.clock.advance(minutes=1)
        take_diagnosis(city, one, json.dumps({"n": n}))
    assert [json.loads(kept.text)["n"] for kept in diagnoses_of(city, one.code)] == list(range(KEPT + 2, 2, -1))
    assert len(diagnoses_of(city, other.code)) == 1


@pytest.mark.parametrize(("text", "code"), [
    ("no json", "wire-malformed"), ("[]", "wire-malformed"), ('{"a":1.5}', "wire-malformed"),
    (json.dumps({"log": "x" * MAX_DIAGNOSIS_BYTES}), "wire-too-large"),
])
def test_what_is_no_report_is_refused_and_nothing_kept(city, text, code):
    tablet = field_tablet(city).tablet
    with pytest.raises(Problem) as refused:
        take_diagnosis(city, tablet, text)
    assert refused.value.code == code
    assert diagnoses_of(city, tablet.code) == []
