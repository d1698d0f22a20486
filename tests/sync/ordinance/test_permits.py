"""Applications and permits: the review and its clocks, validity, extensions to the cap, what a plan must show."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations

import pytest

from sync.ordinance.dates import words
from sync.ordinance.duties import owed
from sync.ordinance.events import Event
from sync.ordinance.matter import fold
from sync.ordinance.permits import REFUSALS, Permit, Step, review, say_refusal
from sync.ordinance.plans import LocatedDevice, Plan, TimetableRow, fee, form_gaps, plan_gaps

RECEIVED = Step("received", date(2026, 6, 26))


def steps(*rows):
    return [Step(row[0], date(2026, row[1] // 100, row[1] % 100), row[2] if len(row) > 2 else ()) for row in rows]


@pytest.mark.parametrize(
    "rows, at, state, owed_, overdue",
    [
        ((), (2026, 6, 26), "not received", (), False),
        ((("received", 626),), (2026, 7, 10), "under review", ("decide_application",), False),
        ((("received", 626),), (2026, 7, 11), "under review", ("decide_application",), True),
        ((("received", 626),), (2027, 7, 11), "under review", ("decide_application",), True),
        ((("received", 626), ("incomplete", 629)), (2026, 8, 1), "incomplete", (), False),
        (
            (("received", 626), ("incomplete", 629), ("completed", 706)),
            (2026, 7, 20),
            "under review",
            ("decide_application",),
            False,
        ),
        ((("received", 626), ("granted", 701)), (2026, 7, 2), "granted", (), False),
        (
            (("received", 626), ("conditional", 701, ("a second trap",))),
            (2026, 7, 2),
            "conditionally approved",
            (),
            False,
        ),
        ((("received", 626), ("denied", 701)), (2026, 7, 2), "denied", ("enumerate_changes",), False),
        ((("received", 626), ("denied", 701, ("show the inlets",))), (2026, 7, 2), "denied", (), False),
        (
            (("received", 626), ("denied", 701), ("changes_enumerated", 702, ("show the inlets",))),
            (2026, 7, 2),
            "denied",
            (),
            False,
        ),
        (
            (("received", 626), ("denied", 701, ("x",)), ("revised_plan_received", 720)),
            (2026, 7, 20),
            "revision under review",
            ("decide_application",),
            False,
        ),
        (
            (("received", 626), ("denied", 701, ("x",)), ("revised_plan_received", 720)),
            (2026, 8, 4),
            "revision under review",
            ("decide_application",),
            True,
        ),
        (
            (
                ("received", 626),
                ("denied", 701, ("x",)),
                ("revised_plan_received", 720),
                ("revision_unsatisfactory", 722),
            ),
            (2026, 8, 4),
            "denied",
            (),
            False,
        ),
        (
            (
                ("received", 626),
                ("denied", 701, ("x",)),
                ("revised_plan_received", 720),
                ("revision_satisfactory", 722),
            ),
            (2026, 7, 22),
            "to be issued",
            ("issue_permit",),
            False,
        ),
        (
            (("received", 626), ("denied", 701), ("revision_satisfactory", 722), ("permit_issued", 723)),
            (2026, 7, 23),
            "issued",
            (),
            False,
        ),
        ((("received", 626), ("withdrawn", 701)), (2026, 7, 23), "withdrawn", (), False),
    ],
)
def test_where_an_application_stands_and_what_is_owed(pack, rows, at, state, owed_, overdue):
    found = review(pack, steps(*rows), date(*at))
    assert (found.state, tuple(name for name, _ in found.owed), found.overdue) == (state, owed_, overdue)


def test_the_conditions_and_the_required_changes_are_kept(pack):
    approved = review(
        pack, steps(("received", 626), ("conditional", 701, ("a second trap", "a wider pad"))), date(2026, 7, 2)
    )
    assert approved.conditions == ("a second trap", "a wider pad")
    denied = review(
        pack,
        steps(("received", 626), ("denied", 701, ("inlets",)), ("changes_enumerated", 701, ("scale",))),
        date(2026, 7, 2),
    )
    assert denied.changes == ("inlets", "scale")


def test_a_revised_plan_has_its_own_ten_working_days(pack):
    found = review(
        pack, steps(("received", 626), ("denied", 701, ("x",)), ("revised_plan_received", 720)), date(2026, 7, 20)
    )
    assert words(found.clock) == "received Mon Jul 20; working day 10 is Mon Aug 3; last day Mon Aug 3"


def test_the_steps_come_to_the_same_in_any_order_of_arrival(pack):
    rows = steps(
        ("received", 626),
        ("denied", 701, ("x",)),
        ("revised_plan_received", 720),
        ("permit_issued", 724),
        ("revision_satisfactory", 724),
    )
    assert len({review(pack, order, date(2026, 8, 1)).state for order in permutations(rows)}) == 1


def test_a_step_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no step"):
        Step("lost", date(2026, 7, 1))


def test_a_permit_from_issue_to_expiry(pack):
    permit = Permit(pack, date(2026, 3, 2))
    days = [(2026, 3, 1), (2026, 3, 2), (2026, 8, 29), (2026, 8, 30)]
    assert [permit.state(date(*day)) for day in days] == ["applied", "in_force", "in_force", "expired"]
    permit.revoke(date(2026, 5, 1))
    assert [permit.state(date(*day)) for day in ((2026, 4, 30), (2026, 5, 1), (2026, 9, 1))] == [
        "in_force",
        "revoked",
        "revoked",
    ]


def test_the_authorization_is_recomputed_and_uses_up_no_extension(pack):
    permit = Permit(pack, date(2026, 3, 2), date(2026, 10, 1))
    permit.authorization(date(2026, 6, 1), date(2026, 12, 1))
    assert (permit.base_expiry, permit.last_valid_day) == (date(2026, 12, 1), date(2026, 12, 1))
    assert permit.cap().last_day == date(2027, 12, 1)
    permit.authorization(date(2026, 7, 1), date(2026, 7, 15))  # ends early: the 180 days remain
    assert permit.last_valid_day == date(2026, 8, 29)
    assert permit.changes == (
        (date(2026, 6, 1), date(2026, 10, 1), date(2026, 12, 1)),
        (date(2026, 7, 1), date(2026, 12, 1), date(2026, 8, 29)),
    )
    assert words(permit.derived()).endswith(
        "the other authorization ends sooner, on Wed Jul 15; last valid day Sat Aug 29"
    )


def test_extensions_reach_to_the_cap_from_the_base_and_no_day_further(pack):
    permit = Permit(pack, date(2026, 3, 2))
    assert permit.extend(date(2026, 8, 1), date(2027, 2, 28), ["mulch the east slope"]) is None
    assert permit.extend(date(2027, 2, 1), date(2027, 8, 30)) == "beyond the cap"
    assert permit.last_valid_day == date(2027, 2, 28) and permit.practices == ("mulch the east slope",)
    assert permit.extend(date(2027, 2, 1), date(2027, 8, 29)) is None
    assert permit.extend(date(2027, 2, 2), date(2027, 8, 1)) == "no longer than before"
    assert permit.extend(date(2027, 8, 30), date(2027, 8, 31)) == "not in force"
    assert permit.extensions == ((date(2026, 8, 1), date(2027, 2, 28)), (date(2027, 2, 1), date(2027, 8, 29)))


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_refusal_is_a_sentence(pack, refusal, language):
    assert "2026" in say_refusal(Permit(pack, date(2026, 3, 2)), refusal, date(2026, 9, 1), date(2026, 9, 2), language)


def test_an_authorization_changed_in_the_middle_of_a_matter(pack):
    rows = [
        Event("permit_issued", date(2026, 3, 2)),
        Event("order_posted", date(2026, 8, 27)),
        Event("authorization_changed", date(2026, 8, 20), data={"until": date(2026, 12, 1)}),
    ]
    assert fold(pack, rows, date(2026, 9, 30)).permit_in_force(date(2026, 9, 30)) is not None
    assert fold(pack, rows[:2], date(2026, 9, 30)).permit_in_force(date(2026, 9, 30)) is None
    late = [*rows[:2], Event("authorization_changed", date(2026, 9, 20), data={"until": date(2026, 12, 1)})]
    assert fold(pack, late, date(2026, 9, 30)).permit_in_force(date(2026, 9, 30)) is None


def test_a_duty_names_its_clause_its_last_day_and_when_it_is_overdue(pack):
    rows = [Event("application_received", date(2026, 6, 26))]
    (duty,) = owed(fold(pack, rows, date(2026, 7, 10)))
    assert (duty.id, duty.since, duty.rule.clause, duty.overdue()) == (
        "decide_application",
        date(2026, 6, 26),
        "B3",
        False,
    )
    assert duty.derived().last_day == date(2026, 7, 10) and duty.label("es") == "Decidir la solicitud"
    assert owed(fold(pack, rows, date(2026, 7, 11)))[0].overdue()


PLAN = Plan(
    factors={
        name: "shown" for name in ("slopes", "soils", "cover", "exits", "stockpiles", "inlets", "waters", "neighbours")
    },
    scale="1:240",
    devices=(
        LocatedDevice("d1", "silt_fence", "east edge"),
        LocatedDevice("d2", "inlet_fabric", "", 43000000, -89000000),
    ),
    timetable=(TimetableRow("grading", Decimal(9000), date(2026, 4, 1), date(2026, 5, 1), "silt fence", "seeding"),),
    standard="technical-standards",
)
ON = date(2026, 3, 1)


def test_a_whole_plan_has_no_gap(pack):
    assert plan_gaps(pack, PLAN, ON) == ()


@pytest.mark.parametrize(
    "change, where",
    [
        ({"factors": {**PLAN.factors, "waters": " "}}, "factors.waters"),
        ({"scale": ""}, "scale"),
        ({"devices": ()}, "devices"),
        ({"devices": (LocatedDevice("d9", "hedge", "there"),)}, "devices.d9"),
        ({"devices": (LocatedDevice("d9", "silt_fence", ""),)}, "devices.d9"),
        ({"timetable": ()}, "timetable"),
        ({"timetable": (replace(PLAN.timetable[0], temporary=""),)}, "timetable.1.temporary"),
        ({"timetable": (replace(PLAN.timetable[0], area_sq_ft=None),)}, "timetable.1.area_sq_ft"),
        ({"timetable": (replace(PLAN.timetable[0], end=date(2026, 3, 1)),)}, "timetable.1"),
        ({"standard": "handbook-1993"}, "standard"),
    ],
)
def test_each_gap_of_a_plan_is_named(pack, change, where):
    (gap,) = plan_gaps(pack, replace(PLAN, **change), ON)
    assert gap.where == where and gap.says["en"] and gap.says["es"]


def test_the_edition_that_counts_is_that_of_the_day(pack):
    assert pack.permits.standard_on(date(2002, 12, 31)).id == "handbook-1993"
    assert pack.permits.standard_on(date(2003, 1, 1)).id == "technical-standards"
    with pytest.raises(LookupError):
        pack.permits.standard_on(date(1990, 1, 1))


def test_the_form_says_what_it_lacks(pack):
    full = {name: "x" for name in pack.permits.asks}
    assert form_gaps(pack, full) == ()
    assert [gap.where for gap in form_gaps(pack, {**full, "parcel": ""})] == ["parcel"]


@pytest.mark.parametrize(
    "area, total, units",
    [("0", "75.00", 0), ("1", "80.00", 1), ("1000", "80.00", 1), ("1000.01", "85.00", 2), ("9000", "120.00", 9)],
)
def test_the_fee_by_the_schedule_of_the_pack(pack, area, total, units):
    amount, lines = fee(pack, Decimal(area))
    assert amount == Decimal(total) and lines[1][1] == units
    assert sum(line for _, _, line in lines) == amount


def test_the_catalogue_holds_what_the_ordinance_names(pack):
    given = {
        "sediment_basin",
        "silt_fence",
        "straw_bales",
        "mulch",
        "tarp",
        "temporary_seeding",
        "permanent_seeding",
        "sodding",
        "channel",
        "other",
    }
    assert given <= {device.id for device in pack.devices.values() if device.clause == "D2"}
    assert {device.id for device in pack.devices.values() if device.at == "inlet"} == {
        "inlet_straw_bale",
        "inlet_fabric",
        "inlet_other",
    }
    assert all(device.name("es") for device in pack.devices.values())
    fence = [
        item.id for item in pack.checklists["devices"].items if item.per == "device" and item.asked_of("silt_fence")
    ]
    assert fence == ["ECD-06", "ECD-07", "ECD-08", "ECD-09", "ECD-16"]
    assert pack.item("ECD-10").asked_of("sediment_basin") and not pack.item("ECD-10").asked_of("silt_fence")
