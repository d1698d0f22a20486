"""One scene for each kind of conflict: the records that make it, in either order of arrival, and what is shown of it.

``SCENES`` has a scene for every kind that casework knows: what the tablet shows of the site's orders (``tablet``:
status and number of time limits of each) or the answer that it gets to its record (``answer``), the office's title, the
state on the public page, and one decision that settles it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from sync.records.facts import Fact
from sync.records.times import At, parse_wall
from sync.server.casework import ownership, permitting, site_acts
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.orders import issue_recommended_order
from sync.server.casework.receiving import Item, receive_facts
from tests.support.city import finding, inspection_body
from tests.support.disputes import Dispute, arrive, turn
from tests.support.powers import grant
from tests.support.site_acts import revision_body

UP, HELD, OVER = ("in_force", 3), ("quarantined", 0), ("released", 0)


@dataclass(frozen=True, slots=True)
class Scene:
    """``play`` gives the facts that must stay readable; the first of them is the one whose ``answer`` is looked at."""

    play: Callable[[Dispute, bool], tuple[Fact, ...]]
    office: str
    decision: str
    tablet: tuple[tuple[str, int], ...] = ()
    public: tuple[str, ...] = ()
    answer: tuple[str, str | None] = ("applied", None)


def _with_repost(world: Dispute, turned: bool, order: Fact, when: str = "2026-08-29T08:00:00-05:00",
                 up: str = "2026-08-28") -> tuple[Fact, ...]:
    """The order and a record of the other tablet about it."""
    again = world.reposted(world.two, order, up)
    world.clock.set(when)
    arrive(world, turned, (world.one, order), (world.two, again))
    return order, again


def _number_taken(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    made = world.posted(world.one, 0), world.posted(world.one, 0, on="2026-08-28")
    world.clock.set("2026-08-29T08:00:00-05:00")
    arrive(world, turned, *((world.one, one) for one in made))
    return made


def _two_orders(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    made = world.posted(world.one), world.posted(world.two, on="2026-08-28")
    world.clock.set("2026-08-29T08:00:00-05:00")
    arrive(world, turned, (world.one, made[0]), (world.two, made[1]))
    return made


def put_up_twice(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    """The office issued it; each tablet puts it up on its own day, and hears of the other only afterwards."""
    order = world.recommended(world.one)
    world.push(world.one, order)
    issue_recommended_order(world.city, "carol", order.id)
    ups = [world.affixed(world.one, order, "2026-08-28"), world.affixed(world.two, order, "2026-08-29")]
    world.clock.set("2026-08-31T08:00:00-05:00")
    arrive(world, turned, *zip((world.one, world.two), ups, strict=True))
    return order, *ups


def _clock_doubt(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    off = At(parse_wall("2026-08-27T14:03:00-05:00", "wall"), "America/Chicago", 1, "b", 16 * 60_000)
    return _with_repost(world, turned, world.posted(world.one, at=off))


def _permit_other(change: Callable[[Dispute], object]) -> Callable[[Dispute, bool], tuple[Fact, ...]]:
    """The permit is changed by the office before or after the order arrives."""

    def play(world: Dispute, turned: bool) -> tuple[Fact, ...]:
        order = world.posted(world.one)
        world.clock.set("2026-08-29T08:00:00-05:00")
        turn(turned, lambda: world.push(world.one, order), lambda: change(world))
        return (order,)

    return play


other_conditions = _permit_other(lambda world: permitting.change_conditions(
    world.city, "carol", "permit-01", [{"id": "c9", "text": "No work in rain.", "clause": "D"}], "Revision."))
counted_anew = _permit_other(lambda world: permitting.change_authorization(
    world.city, "carol", "permit-01", date(2027, 3, 1), "The building permit runs on."))


def _new_owner(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    world.clock.set("2026-08-31T08:00:00-05:00")
    turn(turned, lambda: world.push(world.one, order), lambda: ownership.record_sale(
        world.city, "carol", "site-01", {"name": "Vera Holt"}, "Register of deeds.", on=date(2026, 8, 30)))
    return (order,)


def _release_before_revocation(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-09-09T10:00:00-05:00")
    permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
    release, again = world.released(world.two, order, "2026-09-08"), world.reposted(world.two, order, "2026-09-01")
    arrive(world, turned, (world.two, release), (world.two, again))
    return order, release, again


def _repost_after_end(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    world.push(world.one, order)
    release, again = world.released(world.two, order, "2026-08-29"), world.reposted(world.one, order, "2026-08-30")
    world.clock.set("2026-08-30T15:00:00-05:00")
    arrive(world, turned, (world.two, release), (world.one, again))
    return order, release, again


def _before_its_order(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    """The clock of the tablet that released it was days behind."""
    order = world.posted(world.one)
    release = world.released(world.two, order, "2026-08-25")
    world.clock.set("2026-08-30T15:00:00-05:00")
    arrive(world, turned, (world.one, order), (world.two, release))
    return order, release


def _up_not_issued(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    """As after a restore to before the office issued it: the tablet has put the placard up."""
    order = world.recommended(world.one)
    up = world.affixed(world.two, order, "2026-08-28")
    world.clock.set("2026-08-29T08:00:00-05:00")
    arrive(world, turned, (world.one, order), (world.two, up))
    return up, order


def _void_number_up(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    void = world.one.fact("number_voided", {
        "number": order.body["number"], "token": order.body["token"], "voided_on": "2026-08-27", "blank": False,
        "reasons": "Given up.", "signed": {"name": "Ada Lindqvist", "title": "Inspector", "credential_no": "SC-1001"}})
    arrive(world, turned, (world.one, order), (world.one, void))
    return order, void


def _two_revisions(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    grant(world.city, "carol", "revise")
    field = world.one.fact("revision_ordered", revision_body(), user="carol")
    other = world.two.fact("revision_recommended", revision_body(ordered=False), user="ben")

    def office() -> None:
        world.push(world.two, other)
        site_acts.issue_revision(world.city, "carol", other.id, "Seen the same.")

    turn(turned, office, lambda: world.push(world.one, field))
    return field, other


def _unauthorised_record(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    release = world.released(world.two, order, "2026-08-29", user="ben")
    world.clock.set("2026-08-29T15:00:00-05:00")
    arrive(world, turned, (world.one, order), (world.two, release))
    return release, order


def _withdrawn_tablet(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.two)
    other = world.two.fact("inspection_signed", inspection_body())
    withdraw_tablet(world.city, "carol", world.two.tablet.code, "It was lost on a site.")
    arrive(world, turned, (world.two, order), (world.two, other))
    return order, other


def _fork(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    one = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    two = replace(one, body=inspection_body(findings=[finding("2" * 32)]))
    arrive(world, turned, (world.one, one), (world.one, two))
    return (two, one) if not turned else (one, two)


def _copied_tablet(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    one = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    world.one.counter -= 1
    two = world.one.fact("inspection_signed", inspection_body(findings=[finding("2" * 32)]))
    arrive(world, turned, (world.one, one), (world.one, two))
    return (two, one) if not turned else (one, two)


def _two_corrections(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    """Two copies of a tablet corrected one inspection, the second under the code that it got for being a copy."""
    first = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32), finding("2" * 32)]))
    world.push(world.one, first)
    milder = world.two.fact("inspection_signed", inspection_body(findings=[]), revises=first.id)
    stricter = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]), revises=first.id)
    arrive(world, turned, (world.two, milder), (world.one, stricter))
    down = world.down(world.one, "inspection")
    assert down.get(first.id) is None and down.get(milder.id) is None and down[stricter.id]["instead"]
    return milder, stricter, first


def _unproven(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    made_up = world.one.item(world.released(world.one, order, "2026-08-27"))

    def forged() -> None:
        receive_facts(world.city, world.one.tablet, [Item(made_up.text, "0" * 64, made_up.credential)])

    turn(turned, lambda: world.push(world.one, order), forged)
    return (order,)


def _unplaced(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    lost = world.one.fact("inspection_signed", inspection_body(site="site-09", permit=None))
    arrive(world, turned, (world.one, lost), (world.two, world.two.fact("inspection_signed", inspection_body())))
    return (lost,)


def _waiting_act(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    order = world.posted(world.one)
    release, again = world.released(world.two, order, "2026-08-29"), world.reposted(world.two, order, "2026-08-28")
    world.clock.set("2026-08-29T15:00:00-05:00")
    arrive(world, turned, (world.two, release), (world.two, again))
    return release, again


def _record_clock(world: Dispute, turned: bool) -> tuple[Fact, ...]:
    odd = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    odd = replace(odd, at=replace(odd.at, offset_ms=16 * 60_000))
    correction = world.two.fact("inspection_signed", inspection_body())
    arrive(world, turned, (world.one, odd), (world.two, correction))
    return odd, correction


SCENES: dict[str, Scene] = {
    "number_taken": Scene(_number_taken, "Two orders bear one number", "keep_number", (HELD, HELD),
                          ("The city is checking this order",)),
    "two_orders": Scene(_two_orders, "Two orders on one site", "keep_both", (UP, UP), ("Genuine and in force",)),
    "put_up_twice": Scene(put_up_twice, "One order put up by two tablets", "note_put_up_twice", (UP,),
                          ("Genuine and in force", "Posted Fri Aug 28, 2026.")),
    "late": Scene(lambda world, turned: _with_repost(world, turned, world.posted(world.one),
                                                     "2026-09-14T10:00:00-05:00"),
                  "Registered late", "service_confirmed", (UP,), ("Genuine and in force", "Posted Thu Aug 27, 2026.")),
    "clock_doubt": Scene(_clock_doubt, "The day of posting is in doubt", "note_clock", (UP,),
                         ("Genuine and in force", "Posted Thu Aug 27, 2026.")),
    "wrong_parcel": Scene(lambda world, turned: _with_repost(world, turned, world.posted(world.one, parcel="251-99")),
                          "The parcel differs", "note_parcel", (UP,), ("Genuine and in force",)),
    "permit_other": Scene(other_conditions, "The permit is not what the order says", "note_permit", (UP,),
                          ("Genuine and in force",)),
    "new_owner": Scene(_new_owner, "The land was sold while the order stands", "new_owner_served", (UP,),
                       ("Genuine and in force", "the new landowner is still to be served")),
    "release_before_revocation": Scene(_release_before_revocation, "Released before the permit was revoked",
                                       "take_back", (OVER,), ("Genuine, and released",)),
    "repost_after_end": Scene(_repost_after_end, "Put up again after it ended", "note_repost_after_end", (OVER,),
                              ("Genuine, and released",)),
    "before_its_order": Scene(_before_its_order, "Done before the order", "take_back_release", (OVER,),
                              ("Genuine, and released",)),
    "up_not_issued": Scene(_up_not_issued, "Put up, and not issued", "issue", (("recommended", 0),),
                           ("Issued to a city tablet",), ("waiting", "order-not-issued")),
    "void_number_up": Scene(_void_number_up, "A placard recorded as void is up", "note_void_number", (UP,),
                            ("Genuine and in force",)),
    "two_corrections": Scene(_two_corrections, "Two corrections of one inspection", "count_correction"),
    "two_revisions": Scene(_two_revisions, "Two revisions of one plan", "keep_revisions"),
    "unauthorised_posting": Scene(lambda world, turned: _with_repost(world, turned, world.posted(
        world.one, user="ben")), "Posted without the power to post", "leave_out", (), (),
        ("quarantined", "no-authority")),
    "unauthorised_record": Scene(_unauthorised_record, "Release, without the power for it", "leave_out", (UP,),
                                 ("Genuine and in force",), ("quarantined", "no-authority")),
    "withdrawn_tablet": Scene(_withdrawn_tablet, "Posted order from a withdrawn tablet", "accept", (), (),
                              ("quarantined", "tablet-revoked")),
    "fork": Scene(_fork, "Two versions of one record", "take_version", (), (), ("quarantined", "fact-forked")),
    "copied_tablet": Scene(_copied_tablet, "A tablet was copied", "take_beside", (), (),
                           ("quarantined", "fact-counter-taken")),
    "unproven": Scene(_unproven, "Release that nobody can be shown to have signed", "leave_apart", (UP,),
                      ("Genuine and in force",)),
    "unplaced": Scene(_unplaced, "Inspection that could not be placed", "leave_out", (), (),
                      ("quarantined", "subject-unknown")),
    "waiting_act": Scene(_waiting_act, "Release, before its order", "leave_out", (), (), ("waiting", "need-missing")),
    "record_clock": Scene(_record_clock, "The time of a record is in doubt", "note_record_clock"),
}
