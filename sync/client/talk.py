"""The engine's own calls about records and news, as they go out: made of rows, never of parsed records."""

from collections.abc import Sequence
from urllib.parse import urlencode

from sync.client.calls import Request
from sync.client.rows import FactRow
from sync.client.shelf import OutboxView
from sync.records.protocol import CHANGES, FACTS, RECEIPTS
from sync.records.wire import encode

_JSON = {"Content-Type": "application/json"}


def push_request(rows: Sequence[FactRow], timeout_ms: int) -> Request:
    """These records, each as its exact text."""
    items = [{"fact": row.text, "mac": row.mac, "credential": row.credential,
              **({"former": list(row.former)} if row.former else {})} for row in rows]  # fmt: skip
    return Request("push", "POST", FACTS, timeout_ms, headers=_JSON, body=encode({"items": items}),
                   ids=tuple(row.id for row in rows))


def receipts_request(rows: Sequence[FactRow], view: OutboxView, timeout_ms: int) -> Request:
    """The receipts of these records as things stand now. Its note: the files of theirs that are receipted already."""
    files = (view.file(sha) for row in rows for sha in row.evidence)
    believed = frozenset(file.sha256 for file in files if file is not None and file.held)
    ids = tuple(row.id for row in rows)
    return Request("receipts", "POST", RECEIPTS, timeout_ms, headers=_JSON, body=encode({"facts": list(ids)}), ids=ids,
                   note=believed)


def pull_request(view: OutboxView, limit: int, timeout_ms: int) -> Request:
    """The changes after the cursor, at most ``limit``. Its note: the cursor."""
    cursor = view.cursor
    asked = {"epoch": cursor.epoch, "scope": cursor.scope, "seq": cursor.seq, "limit": limit}
    query = urlencode(asked if view.off_ms is None else {**asked, "off_ms": view.off_ms})
    return Request("pull", "GET", f"{CHANGES}?{query}", timeout_ms, note=cursor)
