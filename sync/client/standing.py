"""What the server thinks of this tablet: its token is old, it was withdrawn, it is a copy of another.

None of this stops a record: an old token is renewed and the queue goes on, a withdrawn tablet hands over what it has, a
copy sends what it signed and is told to ask for a code of its own. The last two are durable, because they change what a
person may do here.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sync.client.calls import Request
from sync.client.link import LinkStatus
from sync.client.marks import Copied, Mark, Receipted, Withdrawn
from sync.client.shelf import OutboxView
from sync.records.facts import parse
from sync.records.proofs import renewal_proof
from sync.records.protocol import RENEW
from sync.records.wire import encode

_JSON = {"Content-Type": "application/json"}
SOONEST_AGAIN_MS = 60_000
# What the server says of a record that another tablet under our code has taken the place or the id of.
_OF_A_COPY = {"fact-counter-taken", "fact-forked"}


class Standing:
    """``renewing``: the server said that the token is old; nothing else is sent until there is a new one."""

    def __init__(self, receipt_key: bytes, timeout_ms: int) -> None:
        self._key, self._timeout = receipt_key, timeout_ms
        self.renewing = False
        self._renewed_at: int | None = None

    def old(self, view: OutboxView, started: int, now: int) -> bool:
        """The server calls the token of a call that began at ``started`` old; says whether that is being mended. One
        that was fresh a moment ago and is old again is not: then something else is wrong, and we wait as for that."""
        if self._renewed_at is not None and started < self._renewed_at:
            return True  # it went out before the renewal, in the other lane
        just = self._renewed_at is not None and now - self._renewed_at < SOONEST_AGAIN_MS
        self.renewing = bool(view.token) and not just
        return self.renewing

    def renewed(self, now: int) -> None:
        """There is a new token."""
        self.renewing, self._renewed_at = False, now

    def renewal(self, view: OutboxView, link: LinkStatus, now: int) -> Request | None:
        """The call that renews the token, when it is due. It tells the server's own time, as hello gave it."""
        if not self.renewing or link.server_time is None or link.server_time_at is None:
            return None
        said = datetime.fromisoformat(link.server_time) + timedelta(milliseconds=now - link.server_time_at)
        at = said.isoformat(timespec="milliseconds")
        body = encode({"at": at, "proof": renewal_proof(self._key, view.token, at)})
        return Request("renew", "POST", RENEW, self._timeout, headers=_JSON, body=body)

    def told(self, marks: Iterable[Mark], view: OutboxView) -> list[Mark]:
        """What receipts say about us beside the records: only those of records under our present code count."""
        found: list[Mark] = []
        for mark in marks:
            if not isinstance(mark, Receipted):
                continue
            reason, row = mark.receipt.reason, view.fact(mark.receipt.fact)
            if row is None or not view.code or reason not in (*_OF_A_COPY, "tablet-revoked"):
                continue
            if parse(row.text).tablet != view.code:
                continue
            if reason in _OF_A_COPY and not view.copied:
                found.append(Copied(view.code))
            elif reason == "tablet-revoked" and not view.withdrawn:
                found.append(Withdrawn(view.code))
        return found

    def pulled(self, counted: object, view: OutboxView) -> list[Mark]:
        """News came down: we are not withdrawn. ``counted``: the highest place in our count that the server holds; when
        that is more than we ever signed, somebody else signs under our code, or we were set back to an earlier copy."""
        found: list[Mark] = [Withdrawn("")] if view.withdrawn else []
        more = isinstance(counted, int) and counted > view.counted
        return [*found, Copied(view.code)] if more and view.code and not view.copied else found
