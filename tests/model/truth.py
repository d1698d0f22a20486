"""What must hold in the sync state machine: a ledger of all that was signed and told, held against server and tablets.

At every moment: what is green is truly held, an epoch that was left never returns, no register number is told for two
orders. At rest: everything signed is there once, in a state that can be accounted for, and all have the same picture.
"""

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from field_app.store.outbox import write
from sync.client.marks import SentBack
from sync.client.rows import SAFE, TOO_LARGE
from sync.records.down import TABLES
from sync.records.problems import Problem
from tests.model.deeds import DEEDS, do
from tests.model.sayings import ORDERS, Signed
from tests.model.tablet import Tablet

if TYPE_CHECKING:
    from tests.model.world import World

# Of all runs of this process: how often a record of each kind was signed, and each deed of the office done.
MET: Counter[str] = Counter()
# What only a person can mend: the server itself vouched for something else than was sent, or a file arrived changed
# again and again.
FOR_A_PERSON = {"receipt-amiss", "evidence-hash-mismatch"}


# What an applied record of a kind leaves behind in the database, once.
EFFECTS = {
    "inspection_signed": "SELECT id FROM inspections",
    "order_posted order_recommended": "SELECT id FROM orders",
    "photo_added": "SELECT fact FROM attachments",
    "order_released": "SELECT fact FROM acts WHERE act = 'release'",
    "order_voided": "SELECT fact FROM acts WHERE act IN ('void', 'supersede')",
    "placard_reposted": "SELECT fact FROM acts WHERE act = 'repost'",
    "number_voided": "SELECT fact FROM acts WHERE act = 'number_void'",
    "order_affixed": "SELECT fact FROM affixings",
    "site_reported": "SELECT id FROM site_reports",
    "emergency_reported": "SELECT fact FROM acts WHERE act = 'emergency'",
    "revision_recommended": "SELECT fact FROM acts WHERE act = 'revision'",
}


class Truth:
    """The ledger of one run. ``gone``: what nobody holds any more, and nobody could have kept: it may still turn up."""

    def __init__(self, world: "World"):
        self.world = world
        self.signed: dict[str, Signed] = {}
        self.gone: set[str] = set()
        self.purged: set[str] = set()
        self.forks: dict[str, set[str]] = {}  # that the server has now
        self.ever_forked: dict[str, set[str]] = {}
        self.registers: dict[str, str] = {}
        # What was given out in any life of the server, also in those that are lost: tablet codes (and to which tablet),
        # order numbers on paper, order numbers leased to a tablet that is in nobody's hands.
        self.codes: dict[str, str] = {tablet.code: tablet.id for tablet in world.beginning.identities}
        self.papers: set[str] = set()
        self.leased: set[str] = set()
        self.ever_withdrawn: set[str] = set()
        self.left_out: set[str] = set()
        # Two tablets were used under such a code, or one that had been set back: its count and its order numbers may
        # be used twice.
        self.copied_codes: set[str] = set()
        self.recoded = 0
        self._knows: set[int] = set()
        self._seen: dict[int, tuple[Any, ...]] = {}

    # --- what is noted ---

    def note(self, signed: Signed | None) -> None:
        """A person signed something. An order's number must be new, unless the tablet exists twice."""
        if signed is None:
            return
        MET[signed.kind] += 1
        self.signed[signed.id] = signed
        for other in self.signed.values():
            if signed.number and other.number == signed.number and other.id != signed.id:
                assert {signed.code, other.code} <= self.copied_codes, f"{signed.number} is on two placards"

    def note_code(self, code: str, tablet: str) -> None:
        assert self.codes.setdefault(code, tablet) == tablet, f"{code} was given to two tablets"

    def note_papers(self, numbers: set[str]) -> None:
        assert not numbers & self.papers, f"{numbers & self.papers} stand on two papers"
        self.papers |= numbers

    def note_leased(self, code: str, numbers: set[str]) -> None:
        assert not numbers & self.leased, f"numbers of {code} were leased before"
        self.leased |= numbers

    def note_registers(self) -> None:
        """What the office's register says now, before it is lost or at the end."""
        for register, order in self.world.server.registers():
            assert self.registers.setdefault(register, order) == order, f"{register} was given to two orders"

    def forked(self, ident: str, text: str) -> None:
        self.forks.setdefault(ident, set()).add(text)
        self.ever_forked.setdefault(ident, set()).add(text)

    def after_restore(self) -> None:
        """What was in nobody's hands but the lost server's is gone; so are the decisions since the backup."""
        self._knows.clear()
        known = self._all_texts()
        self.forks = {ident: texts & known for ident, texts in self.ever_forked.items() if texts & known}
        self._write_off(known)
        status = dict(self.world.server.rows("SELECT code, status FROM tablets"))
        for tablet in self.world.tablets:
            tablet.withdrawn = status.get(tablet.identity.code) == "revoked"

    def after_set_back(self) -> None:
        self._knows.clear()
        self._write_off(self._all_texts())

    def _write_off(self, known: set[str]) -> None:
        on_tablets = {doc["id"] for tablet in self.world.tablets for doc in tablet.store.table("facts").all()}
        for ident, signed in self.signed.items():
            if signed.text not in known and ident not in on_tablets:
                assert ident not in self.purged, f"{ident} was cleared away before every backup had it"
                self.gone.add(ident)

    def _all_texts(self) -> set[str]:
        return set(self.world.server.column("SELECT text FROM facts UNION ALL SELECT text FROM strays"))

    # --- at every moment ---

    def holds_now(self) -> None:
        """Every item that a tablet shows as safe is held by the server it last spoke to, whole and applied."""
        server = self.world.server
        epoch = held = applied = None
        for tablet in self.world.tablets:
            state = (tablet.number, server.version, tablet.marked)
            if self._seen.get(tablet.number) == state:
                continue
            self._seen[tablet.number] = state
            if applied is None:
                epoch, applied, held = server.epoch, server.applied(), server.listed()
            view = tablet.view()
            if view.epoch == epoch:
                self._knows.add(tablet.number)
            else:
                assert tablet.number not in self._knows, "it went back to a life of the server that is over"
                continue  # the server was restored, and the tablet has not heard of it yet
            for row in view.facts:
                if row.state == SAFE:
                    assert applied.get(row.id) == row.sha256, f"{row.id} is green and not on the server"
                    assert held.issuperset(row.evidence), f"{row.id} is green and lacks a file on the server"
                if row.register:
                    first = self.registers.setdefault(row.register, row.id)
                    assert first == row.id, f"{row.register} was told for two orders"
            for row in view.files:
                assert not row.held or row.sha256 in held, f"the file {row.sha256} is green and not on the server"

    # --- at rest ---

    def at_rest(self) -> bool:
        return not self.unrest(first=True)

    def unrest(self, first: bool = False) -> list[str]:
        """What has not come to rest yet; with ``first`` only one of it."""
        found: list[str] = []
        server = self.world.server
        epoch, states = server.epoch, self._states()
        for tablet in self.world.tablets:
            view, name = tablet.view(), f"tablet {tablet.number}"
            if tablet.flights:
                found.append(f"{name}: a call is under way")
            if view.epoch != epoch:
                found.append(f"{name}: has not heard of the server's restart")
            scope, seq = server.newest(tablet.identity.id)
            if not tablet.withdrawn and (view.cursor.scope != scope or view.cursor.seq < seq):
                found.append(f"{name}: has not read all news")
            for row in view.facts:
                if row.state == SAFE:
                    continue
                if row.park and row.park.code in FOR_A_PERSON:
                    self._person_sends_again(tablet, row.id)
                answers = states.get((row.id, row.sha256), ())
                if row.known and row.answer == "applied" and any(
                        self._stays_here(file) for file in map(view.file, row.evidence)):
                    continue
                if not (row.known and (row.answer, row.reason) in answers and row.answer != "applied"):
                    found.append(f"{name}: {row.kind} {row.id} is {row.state} {row.park}, the server says {answers}")
            for row in view.files:
                if not row.held and not self._stays_here(row):
                    if row.park and row.park.code in FOR_A_PERSON:
                        self._person_sends_again(tablet, row.sha256)
                    found.append(f"{name}: the file {row.sha256} is {row.state} {row.park}")
            if found and first:
                break
        return found

    def _stays_here(self, file: Any) -> bool:
        """Whether the file is larger than the server takes today, and the tablet says so and waits."""
        return (file is not None and not file.held and file.park is not None and file.park.code == TOO_LARGE
                and file.size > self.world.server.largest)

    def _person_sends_again(self, tablet: Tablet, ident: str) -> None:
        async def again() -> None:
            async with tablet.store.change() as tx:
                write(tx, [SentBack("facts", ident)] if tx.get("facts", ident) else [SentBack("evidence", ident)])

        tablet.survive(again())
        tablet.engine.forget([ident])
        tablet.engine.wake(tablet.now, "item")

    def _states(self) -> dict[tuple[str, str], list[tuple[str, str | None]]]:
        """What the server answers about the bytes of each record."""
        found: dict[tuple[str, str], list[tuple[str, str | None]]] = {}
        for ident, sha, state, reason in self.world.server.rows(
            "SELECT id, sha256, state, reason FROM facts UNION ALL "
            "SELECT fact, sha256, 'quarantined', reason FROM strays"
        ):
            found.setdefault((ident, sha), []).append((state, reason))
        return found

    def check(self) -> None:
        """After coming to rest: nothing missing, nothing twice, everybody has the same picture."""
        world, server = self.world, self.world.server
        self.holds_now()
        assert server.files_are_sound()
        server.audit_is_whole()
        facts = server.facts()
        apart: dict[str, set[str]] = {}
        for ident, text, reason in server.rows("SELECT fact, text, reason FROM strays"):
            apart.setdefault(ident, set()).add(text)
            self._accounted(ident, "quarantined", reason, facts)
        for ident, (text, state, reason) in facts.items():
            assert ident in self.signed, f"nobody signed {ident}"
            assert text not in apart.get(ident, ()), f"{ident} is there twice"
            self._accounted(ident, state, reason, facts)
        for ident, signed in self.signed.items():
            texts = {*({facts[ident][0]} if ident in facts else ()), *apart.get(ident, ())}
            allowed = {signed.text, *self.ever_forked.get(ident, ())}
            assert texts <= allowed, f"{ident} was changed on its way"
            assert ident in self.gone or signed.text in texts, f"{ident} ({signed.kind}) is lost"
            assert self.forks.get(ident, set()) <= texts, f"a version of {ident} is lost"
        assert server.rows("SELECT count(*) FROM refusals") == [(0,)]
        self._each_has_its_effect(facts)
        self._corrections()
        self._orders()
        for tablet in world.tablets:
            assert server.listed() >= {row.sha256 for row in tablet.view().files if not self._stays_here(row)}
        self._same_picture()

    def _accounted(self, ident: str, state: str, reason: str | None, facts: dict[str, Any]) -> None:
        signed = self.signed[ident]
        tablet = self.world.tablets[signed.tablet]
        unmet = [need for need in signed.needs if facts.get(need, ("", ""))[1] != "applied"]
        why = {
            "kind-unknown": signed.kind == "spoken_note",
            "need-missing": bool(unmet),
            "no-authority": not signed.entitled,
            "tablet-revoked": bool({signed.code, tablet.identity.code} & self.ever_withdrawn),
            "fact-counter-taken": signed.code in self.copied_codes,
            "fact-forked": ident in self.ever_forked,
            "left-out": ident in self.left_out,
            "order-not-issued": signed.kind == "order_affixed" and signed.needs[0] not in self._issued(),
        }
        assert state == "applied" or why.get(reason or "", False), f"{ident} ({signed.kind}) is {state}: {reason}"

    def _each_has_its_effect(self, facts: dict[str, Any]) -> None:
        """An applied record did what it says exactly once, and one that is not applied did nothing."""
        applied = {ident for ident, (_, state, _) in facts.items() if state == "applied"}
        for kinds, query in EFFECTS.items():
            done = self.world.server.column(query)
            assert len(done) == len(set(done)), f"{kinds} was worked in twice"
            assert set(done) == {ident for ident in applied if self.signed[ident].kind in kinds.split()}, kinds

    def _corrections(self) -> None:
        """Nothing that an applied record corrects still stands, whatever codes and counts its tablet had."""
        over = dict(self.world.server.rows("SELECT id, superseded_by FROM inspections"))
        for ident in over:
            corrected = json.loads(self.signed[ident].text).get("revises")
            assert not corrected or over[corrected], f"{corrected} still stands, though {ident} corrects it"

    def _issued(self) -> set[str]:
        return set(self.world.server.column("SELECT order_id FROM order_acts WHERE act = 'issue'"))

    def _orders(self) -> None:
        rows, issued = self.world.server.rows("SELECT id, number, register_no, status, doc FROM orders"), self._issued()
        for ident, number, _, _, doc in rows:
            assert number == self.signed[ident].number == json.loads(doc)["number"], f"the number of {ident} changed"
        registers = [register for _, _, register, _, _ in rows if register is not None]
        assert len(registers) == len(set(registers))
        if not self.world.restored and not self.left_out:
            assert sorted(registers) == list(range(1, len(registers) + 1)), "the register has a gap"
        apart = {ident for ident, in self.world.server.rows(
            "SELECT fact FROM strays WHERE reason = 'fact-counter-taken'") if ident not in self.left_out}
        for ident, number, register, status, _ in rows:
            # The other one may lie apart: a copied tablet's, whose place in the count was taken.
            twins = [one for one in {one for one, *_ in rows} | apart if one != ident
                     and self.signed[one].number == number and self.signed[one].kind in ORDERS]
            if twins:
                assert status == "quarantined", f"{number} is on two placards and {ident} counts"
            else:
                counts = self.signed[ident].kind == "order_posted" or ident in issued
                assert (register is not None) == counts, f"{number} in the register: {register}"
        self.note_registers()
        leased: dict[str, int] = dict.fromkeys(self.papers | self.leased, -1)
        for tablet in self.world.tablets:
            for doc in tablet.store.table("lease").all():
                if doc["number"].split("-")[2] not in self.copied_codes:
                    other = leased.setdefault(doc["number"], tablet.number)
                    assert other == tablet.number, f"{doc['number']} was given to {tablet.number} and {other}"

    def _same_picture(self) -> None:
        full = self.world.server.feed(None)
        for tablet in self.world.tablets:
            if tablet.withdrawn:
                continue
            feed, visible = self.world.server.feed(tablet.identity.id), self.world.server.visible(tablet.identity.id)
            for (kind, ident), doc in feed.items():
                site = ident if kind == "site" else (doc or {}).get("site")
                seen = doc if visible is None or site is None or site in visible else None
                assert tablet.store.table(TABLES[kind]).get(ident) == seen, f"{kind} {ident} differs"
            if not self.world.restored:
                for kind, table in TABLES.items():
                    there = {doc["id"] for doc in tablet.store.table(table).all()}
                    # A tablet that took another code keeps what it was told under the old one.
                    assert all(full.get((kind, ident)) is not None for ident in there), f"an unknown {kind} came down"

    # --- what the office decides ---

    def decide(self, what: str, pick: int) -> None:
        """A deed of the office, or its next one where there is nothing to do it to, or law or day forbid it."""
        [deeds] = [deeds for deeds in (*DEEDS, ("withdraws a tablet",)) if what in deeds]
        first = deeds.index(what)
        for deed in dict.fromkeys((*deeds[first:], *deeds[:first])):
            try:
                done = do(self, deed, pick)
            except Problem as problem:
                # No power on that day: the server's clock was set back to before it was granted.
                assert problem.code in ("already-decided", "act-not-open", "no-authority", "permit-not-extended",
                                        "tablet-revoked", "not-found"), problem
                done = False
            if done:
                MET[deed] += 1
                return
