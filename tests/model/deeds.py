"""What the office does in the sync state machine, by the same functions as its pages and its command line.

Decisions about what came from the field, permits, and the keeping of tablets. Each says whether it was done.
"""

from datetime import date, timedelta
from typing import TYPE_CHECKING

from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.server.casework import blanks, founding, judging, orders, people, permitting, scope
from sync.server.casework.enrolment import withdraw_tablet
from tests.support.city import PEOPLE, START

if TYPE_CHECKING:
    from tests.model.truth import Truth

REASONS = "As the building inspector saw on the site."
JUDGES = ("ratifies", "confirms", "leaves out", "issues", "issues", "refuses")
PERMITS = ("grants a permit", "other conditions", "other last day", "extends a permit", "revokes a permit",
           "takes a revocation back")  # fmt: skip
KEEPS = ("edits a site", "a person leaves", "assigns sites", "assigns sites", "prints placards", "another limit")
DEEDS = (JUDGES, PERMITS, KEEPS)
# Between the smallest and the largest pictures that are taken here.
LITTLE = 120


def do(truth: "Truth", what: str, pick: int) -> bool:
    """Does it to one of what is there; False when there is none. Raises Problem when it may not be done."""
    world, city = truth.world, truth.world.server.city

    def one_of(query: str) -> str | None:
        found = sorted(world.server.column(query))
        return found[pick % len(found)] if found else None

    subject: str | None = "city"
    match what:
        case "ratifies":
            if subject := one_of("SELECT id FROM facts WHERE reason = 'no-authority'"):
                judging.ratify_order(city, "carol", subject, REASONS)
        case "leaves out":
            if subject := one_of("SELECT id FROM facts WHERE state = 'quarantined'"):
                judging.leave_out(city, "carol", subject, REASONS)
                truth.left_out.add(subject)
        case "confirms":
            if subject := one_of("SELECT id FROM orders WHERE status = 'in_force'"):
                orders.confirm_order(city, "carol", subject)
        case "issues":
            if subject := one_of("SELECT id FROM orders WHERE status = 'recommended'"):
                orders.issue_recommended_order(city, "carol", subject)
        case "refuses":
            if subject := one_of("SELECT id FROM orders WHERE status = 'recommended'"):
                orders.refuse_recommended_order(city, "carol", subject, REASONS)
        case "grants a permit":
            number = f"EC-2026-{100 + len(world.server.column('SELECT id FROM permits'))}"
            permitting.grant_permit(city, "carol", f"site-0{1 + pick % 2}", number, REASONS)
        case "other conditions":
            if subject := one_of("SELECT id FROM permits"):
                permitting.change_conditions(city, "carol", subject, [
                    {"id": f"c{pick}", "text": f"Keep the stone exit {50 + pick} feet long.", "clause": "D"}], REASONS)
        case "other last day":
            if subject := one_of("SELECT id FROM permits"):
                permitting.change_authorization(city, "carol", subject, date(2027, 1, 1 + pick), REASONS)
        case "extends a permit":
            subject, until = "permit-01", date(2026, 12, 1) + timedelta(days=10 * pick)
            permitting.extend_permit(city, "carol", subject, until, REASONS)
        case "revokes a permit":
            if subject := one_of("SELECT id FROM orders WHERE status IN ('in_force', 'issued')"):
                permitting.revoke_permit(city, "carol", subject, REASONS)
        case "takes a revocation back":
            if subject := one_of("SELECT id FROM permits WHERE state = 'revoked'"):
                permitting.take_back_revocation(city, "carol", subject, REASONS)
        case "edits a site":
            doc = {**world.server.feed()["site", f"site-0{1 + pick % 2}"], "name": f"Lot {pick}",
                   "a field of tomorrow": [pick]}
            city.db.write(lambda tx: founding.keep_site(tx, city, doc))
        case "a person leaves":
            name, title, credential, held = PEOPLE["dora"]
            until = date(2026, 8, 1 + pick)
            city.db.write(lambda tx: people.keep_person(
                tx, city, "dora", name=name, title=title, credential_no=credential, valid_from=START,
                valid_until=until, grants=[(power, START, until) for power in held]))  # fmt: skip
        case "assigns sites":
            code = world.tablets[pick % len(world.tablets)].identity.code
            chosen = ((), ("site-01",), ("site-02",))[pick % 3]
            scope.set_sites(city, "keeper", code, "assigned" if pick % 4 else "all", chosen)
        case "prints placards":
            code = world.tablets[pick % len(world.tablets)].identity.code
            sheet = blanks.print_blanks(city, "carol", code, 1 + pick % 3)
            truth.note_papers({blank.number for blank in blanks.stack(city, code, sheet)})
        case "another limit":
            world.server.takes_at_most((LITTLE, LITTLE, MAX_EVIDENCE_BYTES)[pick % 3])
        case "withdraws a tablet":
            tablet = world.tablets[pick % len(world.tablets)]
            truth.ever_withdrawn.add(tablet.identity.code)
            for same in world.tablets:
                same.withdrawn |= same.identity.code == tablet.identity.code
            withdraw_tablet(city, "carol", tablet.identity.code, REASONS)
        case _:
            raise AssertionError(what)
    return subject is not None
