"""The state of the connection, shared by both lanes: is our server there, and when is the next try.

The pause after a failure doubles up to the cap and counts from the start of the failed try; a wake-up shortens it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sync.client.policy import Policy

# What our own server says that is about the server and the way to it, by its status; any other of that sort: busy.
BUSY = {408: "time-out", 507: "server-full"}


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The connection as a person may see it.

    ``up``: the last call was answered by our server. ``code``: why not (of `reasons.LINK`), "" while up or before
    the first try. ``next_try``: monotonic ms of the next try while not up. ``server_time`` (ISO) was said by the
    server at ``server_time_at`` (monotonic ms). ``notice``: "tablet-revoked" when the server only still takes.
    """

    up: bool
    code: str
    detail: str
    next_try: int | None
    last_contact: int | None
    server_time: str | None
    server_time_at: int | None
    notice: str = ""


class Link:
    """Down at the start, with the first try due at once. Times are monotonic milliseconds."""

    def __init__(self, policy: Policy, jitter: Callable[[], float]) -> None:
        self._policy, self._jitter = policy, jitter
        self.up, self.visible = False, True
        self.next_try = 0
        self._code, self._detail, self.notice = "", "", ""
        self._fails = 0
        self._blows, self._well_at = 0, -policy.well_ms
        self._last_try: int | None = None
        self._down_at = -1
        self._last_contact: int | None = None
        self._server_time: tuple[str, int] | None = None

    def status(self) -> LinkStatus:
        said, at = self._server_time or (None, None)
        next_try = None if self.up else self.next_try
        return LinkStatus(self.up, self._code, self._detail, next_try, self._last_contact, said, at, self.notice)

    def tries(self, now: int) -> None:
        """A call goes out."""
        self._last_try = now

    def wake(self, now: int, *, anew: bool) -> None:
        """Try as soon as is decent; ``anew``: and begin the back-off from its first step."""
        soonest = now if self._last_try is None else max(now, self._last_try + self._policy.soonest_ms)
        self.next_try = min(self.next_try, soonest)
        if anew:
            self._fails = 0

    def greeted(self, now: int, time: str | None) -> None:
        """Our server said hello. Only a call that does some work ends a series of failures, so they stay counted."""
        fails = self._fails
        self.good(now)
        self._fails = fails
        if time is not None:
            self._server_time = (time, now)

    def good(self, now: int, *, heard: bool = True) -> None:
        """Our server answered. ``heard``: it is the life of it that we know; else that is no contact, by whose time
        what was receipted may be cleared away."""
        self.up, self._code, self._detail, self._fails = True, "", "", 0
        if heard:
            self._last_contact = now

    def took(self, now: int) -> None:
        """Our server took an item: it is well."""
        self._blows, self._well_at = 0, now

    def failed_on(self, count: int, known: bool, detail: str, now: int, started: int) -> None:
        """Our server failed on ``count`` items at once; ``known``: on one that failed alone before. Whether that is the
        item's fault or the server's, the next hello tells, at once; one that fails on everything is left in peace."""
        self._blows += not known and now - self._well_at >= self._policy.well_ms
        if self._blows > self._policy.doubts:
            self.down("server-failed", detail, now, started)
        elif count == 1:
            self.up, self._code, self._detail, self.next_try = False, "server-failed", detail, now

    def down(self, code: str, detail: str, now: int, started: int, asked_wait_ms: int | None = None) -> None:
        """A call that started at ``started`` failed; ``asked_wait_ms``: the server asked for this pause at least."""
        if started >= self._down_at:  # else the other lane has already counted this same failure
            self._fails += 1
        self.up, self._code, self._detail, self._down_at = False, code, detail, now
        wait = self._policy.wait_ms(max(self._fails, 1), self.visible, self._jitter())
        if asked_wait_ms is not None:
            wait = max(wait, min(asked_wait_ms, self._policy.longest_asked_wait_ms))
        self.next_try = max(now + min(wait, self._policy.soonest_ms), started + wait)
