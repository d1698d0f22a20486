"""What a tablet sees: assigned sites come down, others do not; what it no longer sees is taken back by tombstones,
never by being left out; a changed scope brings what changed alone; credentials come down to their own tablet alone."""

import pytest
from sqlalchemy import delete

from sync.records.problems import Problem
from sync.server.casework import audit, founding, lives, scope, standings
from sync.server.casework.enrolment import create_personal_code, sign_in
from sync.server.casework.feed import changes_since
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock

BOUND = ("site", "permit", "inlet", "device", "finding", "inspection", "order", "plan")


@pytest.fixture
def city():
    return memory_city(StoppedClock())


class Mirror:
    """What a tablet holds: pages applied as the tablet applies them, tombstones and all."""

    def __init__(self, city, tablet, limit=7):
        self.city, self.id, self.limit = city, tablet.tablet.id, limit
        self.docs, self.cursor, self.restarts, self.gone, self.count = {}, ("", "", 0), 0, [], 0

    def page(self):
        page = changes_since(self.city, self.id, *self.cursor, self.limit)
        self.restarts += page.restart
        self.count += len(page.items)
        for item in page.items:
            if item.doc is None:
                self.docs.pop((item.kind, item.id), None)
                self.gone.append((item.kind, item.id))
            else:
                self.docs[item.kind, item.id] = item.doc
        assert (page.seq > self.cursor[2]) or page.restart or not page.items
        self.cursor = (page.epoch, page.scope, page.seq)
        return page.more

    def pull(self):
        while self.page():
            pass
        return self

    def news(self):
        """How many documents and tombstones a pull brings."""
        before = self.count
        self.pull()
        return self.count - before

    def of(self, site):
        return {key for key, doc in self.docs.items()
                if key[0] in BOUND and (doc["id"] if key[0] == "site" else doc["site"]) == site}

    def sites(self):
        return {doc["id"] if kind == "site" else doc["site"] for (kind, _), doc in self.docs.items() if kind in BOUND}


def assign(city, site, *inspectors):
    def work(tx):
        doc = founding.find(tx, founding.sites, city_id=city.id, id=site).doc
        founding.keep_site(tx, city, {**doc, "inspectors": list(inspectors)})
    city.db.write(work)


def test_a_tablet_sees_everything_until_the_office_says_otherwise(city):
    tablet = field_tablet(city)
    assert Mirror(city, tablet).pull().sites() == {"site-01", "site-02"}


def test_what_is_no_longer_seen_is_taken_back_and_what_is_seen_again_comes_again(city):
    tablet = field_tablet(city)
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")])))
    held = Mirror(city, tablet).pull()
    all_of_it = dict(held.docs)
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-02"])
    held.pull()
    assert held.sites() == {"site-02"}
    assert ("site", "site-01") in held.gone and {kind for kind, _ in held.gone} >= {"permit", "inlet", "finding"}
    # People and the law belong to no site: they stay.
    assert {kind for kind, _ in held.docs} >= {"person", "pack", "credential"}
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-01", "site-02"])
    held.pull()
    assert held.docs == all_of_it
    scope.set_sites(city, "carol", tablet.tablet.code, "all")
    assert held.pull().docs == all_of_it
    assert audit.verify(city) > 0


def test_a_site_is_seen_by_whoever_it_is_assigned_to(city):
    tablet = field_tablet(city, "ada")
    held = Mirror(city, tablet).pull()
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned")
    assert held.pull().sites() == set()
    assign(city, "site-01", "ada", "ben")
    assert held.pull().sites() == {"site-01"}
    assign(city, "site-01", "ben")
    assert held.pull().sites() == set() and ("permit", "permit-01") in held.gone
    code = create_personal_code(city, "carol", "ben")
    sign_in(city, tablet.tablet, code)
    assert held.pull().sites() == {"site-01"}
    standings.end_credential(city, "carol", tablet.tablet.code, "ben", "Left the department")
    assert held.pull().sites() == set()


def test_a_document_that_moves_to_a_site_that_is_not_seen_is_taken_back(city):
    """MerginMaps/mobile #4335: what was deleted came back; here it is gone for good, in any order of pages."""
    tablet = field_tablet(city)
    held = Mirror(city, tablet).pull()
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-01"])
    held.pull()
    inlet = held.docs["inlet", "inlet-01"]
    city.db.write(lambda tx: founding.keep_place(tx, city, "inlet", {**inlet, "site": "site-02"}))
    held.pull()
    assert ("inlet", "inlet-01") not in held.docs
    again = Mirror(city, tablet).pull()
    assert ("inlet", "inlet-01") not in again.docs and again.docs == held.docs


def test_a_scope_that_changes_between_two_pages_goes_on_where_it_was(city):
    tablet = field_tablet(city)
    everything = len(Mirror(city, tablet).pull().docs)
    held = Mirror(city, tablet, limit=3)
    assert held.page() and held.page()
    mine = held.of("site-01")
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-02"])
    held.pull()
    assert held.sites() == {"site-02"} and set(held.gone) >= mine
    assert held.docs == Mirror(city, tablet).pull().docs
    assert held.count <= everything + len(mine)


@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_a_changed_scope_brings_what_changed_and_nothing_else(city, limit):
    """A site that stays is not sent again, one that goes is taken back by tombstones, one that comes is sent whole."""
    tablet = field_tablet(city)
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("f1"), finding("f2")])))
    for number in range(3, 8):
        site = {**Mirror(city, tablet).pull().docs["site", "site-02"], "id": f"site-0{number}"}
        city.db.write(lambda tx, site=site: founding.keep_site(tx, city, site))
    held = Mirror(city, tablet, limit).pull()
    code, others = tablet.tablet.code, [f"site-0{number}" for number in range(2, 8)]
    all_of_it, mine = dict(held.docs), held.of("site-01")
    assert len(mine) > 5 and held.news() == 0
    scope.set_sites(city, "carol", code, "assigned", others)
    assert held.news() == len(mine) and set(held.gone) == mine, "the six that stay are not sent again"
    held.gone.clear()
    scope.set_sites(city, "carol", code, "assigned", ["site-01", *others])
    assert held.news() == len(mine) and held.docs == all_of_it and not held.gone
    scope.set_sites(city, "carol", code, "assigned", ["site-01"])
    assert held.news() == 6
    scope.set_sites(city, "carol", code, "all")
    assert held.news() == 6 and held.docs == all_of_it
    scope.set_sites(city, "carol", code, "assigned", ["site-01", *others])
    assert held.news() == 0, "nothing that it sees is another"


def test_a_scope_that_changes_again_while_its_change_comes_down(city):
    """After every page of what a change brings, there is another change, or the tablet asks for the same page again."""
    tablet = field_tablet(city)
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("f1"), finding("f2")])))
    code, choices = tablet.tablet.code, ([], ["site-01"], ["site-02"], None)
    for first in choices:
        for then in choices:
            for pages in (1, 2):
                held = Mirror(city, tablet, limit=2)
                scope.set_sites(city, "carol", code, "all")
                held.pull()
                for choice in (first, then):
                    scope.set_sites(city, "carol", code, "all" if choice is None else "assigned", choice or ())
                    for _ in range(pages):
                        cursor = held.cursor
                        held.page()
                        held.cursor = cursor if pages % 2 else held.cursor  # the answer was noted, its cursor lost
                held.pull()
                assert held.docs == Mirror(city, tablet).pull().docs


def test_a_cursor_from_before_anybody_noted_what_changed_begins_at_0(city):
    tablet = field_tablet(city)
    held = Mirror(city, tablet).pull()
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-02"])
    city.db.write(lambda tx: tx.execute(scope.tablets.update().values(scope_base=scope.tablets.c.scope)))
    assert held.pull().restarts == 2 and held.sites() == {"site-02"}


def test_what_is_not_for_a_tablet_leaves_no_trace_in_its_pages(city):
    tablet, other = field_tablet(city), field_tablet(city, "ben")
    scope.set_sites(city, "carol", other.tablet.code, "assigned", ["site-02"])
    held = Mirror(city, other, limit=2).pull()
    site = {**Mirror(city, tablet).pull().docs["site", "site-01"], "id": "site-03"}
    city.db.write(lambda tx: founding.keep_site(tx, city, site))  # one that it never saw
    held.gone.clear()
    for _ in range(5):
        found = inspection_body(findings=[finding(city.random_bytes(16).hex())]) | {"site": "site-03", "permit": None}
        assert tablet.push(tablet.fact("inspection_signed", found))[0].answer == "applied"
    held.pull()
    assert held.sites() == {"site-02"} and held.gone == [] and held.restarts == 1
    assert Mirror(city, tablet).pull().sites() == {"site-01", "site-02", "site-03"}


def test_a_credential_comes_down_to_its_own_tablet_alone(city):
    one, two = field_tablet(city, "ada"), field_tablet(city, "ben")
    mine = {ident: doc for (kind, ident), doc in Mirror(city, one).pull().docs.items() if kind == "credential"}
    assert [(doc["person"], doc["state"]) for doc in mine.values()] == [("ada", "valid")]
    theirs = Mirror(city, two).pull().docs
    assert not {("credential", ident) for ident in mine} & theirs.keys()
    assert all("key" not in doc for doc in mine.values())


def test_an_ended_sign_in_is_told_and_what_it_still_signs_is_set_aside_until_a_new_code(city):
    tablet = field_tablet(city, "ada")
    held = Mirror(city, tablet).pull()
    standings.end_credential(city, "carol", tablet.tablet.code, "ada", "Tablet was passed on")
    (doc,) = [doc for (kind, _), doc in held.pull().docs.items() if kind == "credential"]
    assert doc["state"] == "revoked" and held.restarts == 1
    (receipt,) = tablet.push(tablet.fact("inspection_signed", inspection_body()))
    assert (receipt.answer, receipt.reason) == ("quarantined", "credential-ended")
    with pytest.raises(Problem, match="already-decided"):
        standings.end_credential(city, "carol", tablet.tablet.code, "ada", "again")
    sign_in(city, tablet.tablet, create_personal_code(city, "carol", "ada"))
    assert held.pull().docs["credential", doc["id"]]["state"] == "valid"
    (receipt,) = tablet.push(tablet.fact("inspection_signed", inspection_body()))
    assert receipt.answer == "applied"


def test_after_a_restore_what_is_not_seen_now_is_taken_back(city):
    tablet = field_tablet(city)
    held = Mirror(city, tablet).pull()
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-01"])
    city.db.write(lambda tx: tx.execute(delete(scope.tablet_sites).where(
        scope.tablet_sites.c.site == "site-02")))  # as in a backup of a server that never told it of the site
    lives.begin_life(city)
    assert held.pull().sites() == {"site-01"}


@pytest.mark.parametrize(("actor", "code", "sees", "sites", "problem"), [
    ("ada", "T01", "all", [], "no-authority"),
    ("carol", "T99", "all", [], "not-found"),
    ("carol", "T01", "some", [], "scope-malformed"),
    ("carol", "T01", "assigned", ["site-77"], "scope-malformed"),
])
def test_a_choice_that_cannot_be_is_refused(city, actor, code, sees, sites, problem):
    field_tablet(city)
    with pytest.raises(Problem, match=problem):
        scope.set_sites(city, actor, code, sees, sites)
