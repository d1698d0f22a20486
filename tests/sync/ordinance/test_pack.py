"""A pack is understood whole or refused with the file and the key; what is inferred does not print."""

import re
import tomllib
from dataclasses import replace
from datetime import date

import pytest

from sync.ordinance.items import TOPICS, WHERE, where_words
from sync.ordinance.pack import FILES, PackError, load_pack
from sync.where import pack_files
from tests.sync.ordinance.conftest import small_files

DEMO = pack_files("demo")


def edited(file: str, old: str, new: str, files=None) -> dict[str, str]:
    files = dict(files or DEMO)
    assert old in files[file], f"{file} does not hold {old!r}"
    files[file] = files[file].replace(old, new, 1)
    return files


def test_the_demo_pack_is_what_the_other_rooms_count_on(pack):
    assert (pack.id, pack.version, pack.ref, pack.demo) == ("demo", "2026.1", "demo@2026.1", True)
    assert (pack.zone, pack.end_of_work_day) == ("America/Chicago", "17:00")
    assert list(pack.checklists) == list(TOPICS)
    assert {topic: len(one.items) for topic, one in pack.checklists.items()} == {
        "tracking": 12, "inlets": 12, "waste": 12, "devices": 18, "dewatering": 8}
    assert [(one.letter, one.confirmed, pack.clauses[one.clause].status) for one in pack.grounds.values()] == [
        ("a", True, "confirmed"), ("b", True, "confirmed"), ("c", True, "confirmed")]
    assert pack.item("TRK-06").topic == "tracking"
    assert [item.id for one in pack.checklists.values() for item in one.items if item.recheck_same_day] == ["TRK-06"]
    assert [item.id for one in pack.checklists.values() for item in one.items if item.per == "condition"] == ["CON-01"]


def test_every_question_and_correction_is_there_in_every_language(pack):
    for checklist in pack.checklists.values():
        for item in checklist.items:
            for language in pack.languages:
                assert item.question(language).strip() and item.correction(language).strip()
                assert all(part.label(language).strip() for part in item.parts)


def test_every_inferred_clause_of_the_demo_is_confirmed_by_name_and_day_or_does_not_print(pack):
    assert [clause.slug for clause in pack.unconfirmed()] == ["A"]
    for slug in ("B4a", "B4b", "E1a", "E1b", "E1c"):
        clause = pack.clauses[slug]
        assert clause.printable and clause.confirmed.by and clause.confirmed.on == date(2026, 1, 5)
    assert pack.clauses["E3"].status == "given" and pack.clauses["E3"].confirmed is None


def test_nothing_inferred_prints_from_the_blank_pack(blank):
    assert {clause.slug for clause in blank.unconfirmed()} == {"A", "B4a", "B4b", "E1a", "E1b", "E1c"}
    assert not any(ground.confirmed for ground in blank.grounds.values())


def test_the_correction_of_an_item_asked_of_each_place_names_the_place():
    """Read on a placard, "at this inlet" says nothing; a pack that names no place has it put in front."""
    pack = load_pack(DEMO)
    for item in (item for one in pack.checklists.values() for item in one.items):
        for language in pack.languages:
            assert ("CB-3 (Elm)" in item.correction(language, "CB-3 (Elm)")) and "{" not in item.correction(language)
            if item.per != "site":
                assert WHERE in item.corrections[language], item.id
    inlet = pack.item("INL-01")
    assert inlet.correction("en", where_words("CB-3", "Elm")) == "Install a barrier at inlet CB-3 (Elm)."
    plain = replace(inlet, corrections={"en": "Install it.", "es": "Instálela."})
    assert plain.correction("en", "CB-3") == "CB-3: Install it."
    assert plain.correction_in("CB-3: Install it.", "es") == "CB-3: Instálela."


def test_a_pack_in_english_alone_is_read_in_english_by_all():
    """Every Spanish text taken out: the law's words come in English, the program's own in Spanish."""
    files = {name: re.sub(r', es = "(?:[^"\\\\]|\\\\.)*"', "", text) for name, text in DEMO.items()}
    files["pack.toml"] = files["pack.toml"].replace('languages = ["en", "es"]', 'languages = ["en"]')
    english = load_pack(files)
    assert english.languages == ("en",) and english.city_name("es") == english.city_name("en")
    for checklist in english.checklists.values():
        for item in checklist.items:
            assert item.question("es") == item.question("en") and item.correction("es") == item.correction("en")
            for part in item.parts:
                assert part.label("es") == part.label("en")
    assert all(act.label("es") == act.label("en") for act in english.acts.values())


def test_a_clause_is_in_force_on_its_days_alone(small):
    clause = small.clauses["s3"]
    assert [clause.in_force(day) for day in (date(2024, 12, 31), date(2025, 1, 1), date(2027, 12, 31),
                                             date(2028, 1, 1))] == [False, True, True, False]


BROKEN = [
    ("pack.toml", 'id = "demo"', 'id = "Demo City"', "id"),
    ("pack.toml", 'version = "2026.1"', 'version = "2026 first"', "version"),
    ("pack.toml", 'languages = ["en", "es"]', 'languages = ["en", "fr"]', "languages"),
    ("pack.toml", 'languages = ["en", "es"]', 'languages = ["es", "en"]', "languages"),
    ("clocks.toml", "length = 180", "length = 1000000000000000", "K2.length"),
    ("clocks.toml", 'rolls = true\nopens = "day after"', "rolls = true", "act.revoke_permit.needs"),
    ("acts.toml", '["emergency recorded"]', "[]", "act.enter_land_emergency.needs"),
    ("need.toml", "[{ area_sq_ft = 3000, slope_percent = 5 }, { area_sq_ft = 500, slope_percent = 15 }]", "[]",
     "trigger[1].limits"),
    ("calendars.toml", '["Mon", "Tue", "Wed", "Thu", "Fri"]', "[]", "open_weekdays"),
    ("pack.toml", 'version = "2026.1"', 'version = ""', "version"),
    ("pack.toml", "demo = true", 'demo = "yes"', "demo"),
    ("pack.toml", 'end_of_work_day = "17:00"', 'end_of_work_day = "5 pm"', "end_of_work_day"),
    ("pack.toml", 'revocation = "narrow"', 'revocation = "wide"', "readings.revocation"),
    ("pack.toml", "demo = true", "demo = true\ncolour = 1", "colour"),
    ("clauses.toml", 'status = "given"', 'status = "rumoured"', "clause[B1].status"),
    ("clauses.toml", 'status = "given"', 'status = "confirmed"', "clause[B1].confirmed"),
    ("clauses.toml", 'slug = "B2"', 'slug = "B1"', "clause[B1].slug"),
    ("clauses.toml", "in_force_from = 2024-01-01", 'in_force_from = "2024"', "clause[A].in_force_from"),
    ("clauses.toml", 'clause = "E1a"', 'clause = "E1z"', "ground[a].clause"),
    ("clocks.toml", 'clause = "E3"', 'clause = "E33"', "K4.clause"),
    ("clocks.toml", "length = 10", "length = 0", "K1.length"),
    ("clocks.toml", 'unit = "working days"', 'unit = "fortnights"', "K1.unit"),
    ("clocks.toml", "[K12]", "[K13]", "K12"),
    ("need.toml", "slope_percent = 5", 'slope_percent = "5"', "trigger[1].limits[1].slope_percent"),
    ("need.toml", "at_least_cu_yd = 100", "at_least_cu_yd = -100", "trigger[2].at_least_cu_yd"),
    ("need.toml", 'kind = "volume"', 'kind = "weight"', "trigger[2].kind"),
    ("limits.toml", "late_registration_days = 10", "late_registration_days = 1.5", "late_registration_days"),
    ("limits.toml", 'roll_cut_off = "11-15"', 'roll_cut_off = "13-15"', "roll_cut_off"),
    ("limits.toml", "length = 24", "length = 24\nunit = 1", "due.24H.unit"),
    ("calendars.toml", "on = 2024-01-15", "on = 2025-01-15", "holidays.2024.days[2].on"),
    ("calendars.toml", "on = 2024-01-15", "on = 2024-01-01", "holidays.2024.days[2].on"),
    ("calendars.toml", 'holiday = "king"', 'holiday = "queen"', "holidays.2024.days[2].holiday"),
    ("calendars.toml", '"Fri"]', '"Freitag"]', "open_weekdays"),
    ("calendars.toml", "[office.2026]", "[office.2033]", "office.2033"),
    ("acts.toml", '"order stands", "permit in force"', '"order stands", "a hunch"', "act.revoke_permit.needs"),
    ("acts.toml", 'power = "revoke"', 'power = "regret"', "act.revoke_permit.power"),
    ("acts.toml", "[act.bill_costs]", "[act.bill_cost]", "act.bill_cost"),
    ("checklist-tracking.toml", "Widen the pad", "Widen {where}", "item[TRK-03].correction"),
    ("powers.toml", 'inspector = ["inspect"', 'inspector = ["inspekt"', "role.inspector"),
    ("permits.toml", "per_sq_ft = 1000", "per_sq_ft = 0", "fee[area].per_sq_ft"),
    ("permits.toml", "in_force_from = 2003-01-01", "in_force_from = 1903-01-01", "standard"),
    ("devices.toml", 'id = "sediment_trap"', 'id = "sediment_basin"', "device[sediment_basin].id"),
    ("checklist-tracking.toml", 'severity = "major"', 'severity = "awful"', "item[TRK-01].fail[1].severity"),
    ("checklist-tracking.toml", 'below_part = "in_use"', 'below_part = "used"', "item[TRK-01].fail[1].below_part"),
    ("checklist-tracking.toml", 'due = "24H"', 'due = "25H"', "item[TRK-01].fail[1].due"),
    ("checklist-tracking.toml", 'id = "TRK-02"', 'id = "TRK-01"', "item[TRK-01].id"),
    ("checklist-tracking.toml", 'clause = "D4"', 'clause = "D9"', "item[TRK-01].clause"),
    ("checklist-tracking.toml", 'grounds = ["b", "c"]', 'grounds = ["b", "z"]', "item[TRK-01].grounds"),
    ("checklist-inlets.toml", 'is = "none"', 'is = "nothing"', "item[INL-01].is"),
    ("checklist-devices.toml", 'kinds = ["silt_fence"', 'kinds = ["hedge"', "item[ECD-06].kinds"),
    ("checklist-waste.toml", 'id = "WST-01"', 'id = "INL-01"', "item[INL-01]"),
]


BROKEN_BY = {"act.revoke_permit.needs": "acts.toml"}
"""Where the fault shows when that is another file than the one that was edited."""


@pytest.mark.parametrize("file, old, new, key", BROKEN, ids=[f"{row[0]}-{row[3]}" for row in BROKEN])
def test_what_is_wrong_is_named_by_file_and_key(file, old, new, key):
    with pytest.raises(PackError) as caught:
        load_pack(edited(file, old, new))
    shown = BROKEN_BY.get(key, file)
    assert (caught.value.file, caught.value.key) == (shown, key)
    assert str(caught.value).startswith(f"{shown}: {key}: ")


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_missing_broken_or_unknown_is_named(file):
    without = {name: text for name, text in DEMO.items() if name != file}
    for files in (without, {**DEMO, file: "= nothing"}):
        with pytest.raises(PackError) as caught:
            load_pack(files)
        assert caught.value.file == file
    with pytest.raises(PackError, match="is not a file of a pack"):
        load_pack({**DEMO, "extra.toml": ""})


def paths(table: dict, head: str = "") -> list[str]:
    """Every key of a TOML document that stands in a table of its own line."""
    found = []
    for key, value in table.items():
        found.append(f"{head}{key}")
        if isinstance(value, dict):
            found += paths(value, f"{head}{key}.")
    return found


@pytest.mark.parametrize("file", sorted(small_files()))
def test_an_unknown_key_anywhere_in_any_file_is_refused(file):
    """After every line that sets a key, a further key that nobody knows: none slips through."""
    files, lines = small_files(), small_files()[file].splitlines()
    places = [number for number, line in enumerate(lines, 1) if re.match(r"[a-z_]+ = ", line)]
    assert places
    for number in places:
        text = "\n".join([*lines[:number], "nobody_knows_this = 1", *lines[number:]])
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        with pytest.raises(PackError) as caught:
            load_pack({**files, file: text})
        assert caught.value.file == file and "nobody_knows_this" in str(caught.value)


@pytest.mark.parametrize("file", sorted(small_files()))
def test_a_pack_without_one_of_its_lines_is_refused_or_is_another_pack(file):
    """Taking any single key away never makes the reader fall over: it loads, or it says file and key."""
    files, lines = small_files(), small_files()[file].splitlines()
    for number in range(len(lines)):
        try:
            load_pack({**files, file: "\n".join(lines[:number] + lines[number + 1:])})
        except PackError as error:
            assert error.file in files and str(error)
