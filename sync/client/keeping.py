"""How long what the server holds stays on the tablet as well, and what may go after that.

Only whole, receipted records go, and a file only with every record that names it; a photo of a draft never.
"""

from datetime import datetime, timedelta

from sync.client.rows import SAFE
from sync.client.shelf import OutboxView

KEEP_DAYS = 14


def keep_until(at: str, days: int = KEEP_DAYS) -> str | None:
    """Until when the tablet keeps an original receipted ``at`` (server time). None (unreadable time): for ever."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment + timedelta(days=days)).isoformat() if moment.tzinfo else None


def purgeable(view: OutboxView, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The facts and files whose keeping time is over at ``now`` (aware): (fact ids, SHA-256s).

    A fact goes only when it is safe; a file only when it is held and every fact that names it goes too.
    """
    gone = {
        row.id
        for row in view.facts
        if row.state == SAFE and row.keep_until and datetime.fromisoformat(row.keep_until) <= now
    }
    kept = {sha for row in view.facts if row.id not in gone for sha in row.evidence}
    files = tuple(
        row.sha256
        for row in view.files
        if row.held
        and row.facts
        and row.sha256 not in kept
        and row.keep_until
        and datetime.fromisoformat(row.keep_until) <= now
    )
    return tuple(row.id for row in view.facts if row.id in gone), files
