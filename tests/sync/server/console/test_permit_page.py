"""A permit in the office: extended within the law, counted anew, other conditions; refusals in the law's own words."""

import pytest
from sqlalchemy import update

from sync.server.casework import queries
from sync.server.db.engine import find
from sync.server.db.schema import permits
from tests.support.powers import grant


@pytest.fixture
def permit(office):
    grant(office.city, "carol", "extend", "decide_applications", "revoke")
    return next(one for site in queries.site_list(office.city) for one in site["permits"] if one["state"] == "in_force")


def test_a_permit_is_extended_as_far_as_the_law_lets_it(office, carol, signed_in, permit):
    home = f"/office/permits/{permit['id']}"
    assert home in carol.get(f"/office/sites/{permit['site']}").text
    assert "Nothing since it was issued." in carol.get(home).text
    assert "It takes the power" in signed_in("ben").get(home).text
    assert signed_in("ben").send_form(f"{home}/extend", until="2027-03-01", reasons="x").status_code == 403
    far = carol.send_form(f"{home}/extend", until="2031-01-01", reasons="The winter was long.", practices="Mulch")
    assert far.status_code >= 400 and 'role="alert"' in far.text, "the law's own sentence"
    assert "lies beyond" in far.text and "Wed Jan 1" in far.text and "2031-01-01 lies" not in far.text
    assert "All extensions together end at the latest on" in carol.get(home).text
    assert "The winter was long." in far.text and 'value="2031-01-01"' in far.text and "Mulch" in far.text
    for wrong in ({"until": "soon", "reasons": "x"}, {"until": "2027-03-01", "reasons": " "}):
        assert carol.send_form(f"{home}/extend", **wrong).status_code == 422
    done = carol.send_form(f"{home}/extend", until="2027-03-01", reasons="A long winter.", practices="Mulch\n\nMat")
    assert done.status_code == 303
    text = carol.get(home).text
    assert "Extended to Mon Mar 1, 2027" in text and "Mulch" in text and "Mat" in text
    assert carol.send_form(f"{home}/extend", until="2027-03-01", reasons="again").status_code in (409, 422)


def test_a_permit_is_counted_anew_and_given_other_conditions(office, carol, permit):
    home = f"/office/permits/{permit['id']}"
    done = carol.send_form(f"{home}/authorization", until="2027-06-30", reasons="The building permit runs on.")
    assert done.status_code == 303
    assert "Last valid day Wed Jun 30, 2027, before that" in carol.get(home).text
    assert "Last day worked out again" in carol.get(home).text and "Jun 30, 2027" in carol.get(home).text
    before = permit["conditions"]
    kept = before[0]["text"] if before else "Keep the stone exit."
    done = carol.send_form(f"{home}/conditions", conditions=f"{kept}\nSweep the road daily.\n\nSweep the road daily.",
                           reasons="Mud on the road.")
    assert done.status_code == 303
    now = next(one for site in queries.site_list(office.city) for one in site["permits"] if one["id"] == permit["id"])
    assert [one["text"] for one in now["conditions"]] == [kept, "Sweep the road daily."]
    if before:
        assert now["conditions"][0] == before[0], "one that stands keeps its id and clause"
    assert len({one["id"] for one in now["conditions"]}) == 2
    assert carol.send_form(f"{home}/take-back", reasons="x").status_code in (409, 422)
    assert carol.send_form(f"{home}/dance", reasons="x").status_code == 404
    assert carol.get("/office/permits/nothing").status_code == 404


@pytest.mark.parametrize(("changes", "state", "said", "forms"), [
    ({"state": "denied", "issued_on": None, "last_valid_day": None}, "denied", "This permit was never issued.", set()),
    ({"last_valid_day": "2026-09-01"}, "expired", "what has ended is not extended", {"authorization"}),
])
def test_what_cannot_be_done_with_a_permit_offers_no_form(office, carol, read, permit, changes, state, said, forms):
    def end(tx):
        row = find(tx, permits, city_id="demo", id=permit["id"])
        tx.execute(update(permits).where(permits.c.id == permit["id"]).values(doc=row.doc | changes))

    office.city.db.write(end)
    page = read(carol.get(f"/office/permits/{permit['id']}"))
    assert f"State {state} " in page.text and said in page.text
    offered = {one["attrs"]["action"].rpartition("/")[2] for one in page.all("form")}
    assert offered & {"extend", "authorization", "conditions"} == forms
