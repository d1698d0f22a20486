"""Whether an answer is ours, and what it says: the one place where a reply is judged.

A status code proves nothing: Wi-Fi log-in pages answer 200, proxies answer for dead servers. An answer is ours when
it carries our protocol or epoch header and is a JSON object; an item is done only by a receipt in it (see `engine`).
"""

from dataclasses import dataclass, field
from typing import Any

from sync.client.calls import CUT, INSECURE, LOCAL, OFFLINE, REDIRECT, TIMEOUT, Reply
from sync.client.rows import ON_THE_WAY
from sync.records.problems import Problem
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL
from sync.records.wire import decode

_FAILURES = {
    OFFLINE: "offline",
    TIMEOUT: "time-out",
    CUT: "connection-cut",
    INSECURE: "insecure",
    REDIRECT: "wifi-login",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A judged reply.

    ``ok``: a 2xx of our server with a JSON object in ``data`` (empty when it has no body). Else ``code`` says why not:
    a code of the connection (offline, wifi-login, ...) or, with ``ours``, the code of the server's problem. ``epoch``
    is "" when the answer is not ours. ``retry_ms``: how long the server asks us to wait.
    """

    ok: bool
    ours: bool
    status: int
    code: str = ""
    detail: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    epoch: str = ""
    retry_ms: int | None = None
    headers: dict[str, str] = field(default_factory=dict)


def _is_page(reply: Reply) -> bool:
    start = reply.body[:200].lstrip().lower()
    return "html" in reply.headers.get("content-type", "").lower() or start.startswith((b"<!doctype", b"<html"))


def _retry_ms(reply: Reply) -> int | None:
    text = reply.headers.get("retry-after", "").strip()
    return int(text) * 1000 if text.isascii() and text.isdigit() and len(text) < 6 else None


def _object(reply: Reply) -> dict[str, Any] | None:
    try:
        data = decode(reply.body)
    except Problem:
        return None
    return data if isinstance(data, dict) else None


def judge(reply: Reply) -> Answer:
    """The answer in ``reply``. Never raises: whatever came, it is one of the cases of `Answer`."""
    if reply.failure == LOCAL:
        return Answer(False, False, 0, "evidence-unknown", reply.detail)
    if reply.failure:
        return Answer(False, False, reply.status, _FAILURES.get(reply.failure, "offline"), reply.detail)
    status = reply.status
    if 300 <= status < 400 or status == 511:
        return Answer(False, False, status, "wifi-login", "the answer was a redirect to a log-in page")
    data = _object(reply)
    if data is None and status in (201, 204) and not reply.body:
        data = {}  # all that it says is in its headers
    marked = HEADER_PROTOCOL.lower() in reply.headers or HEADER_EPOCH.lower() in reply.headers
    if data is None or not marked:
        if status == 413:  # a proxy in front of our server takes less than it does
            return Answer(False, False, status, ON_THE_WAY, "something on the way does not let so much through")
        if status in (429, 502, 503, 504):
            return Answer(False, False, status, "server-busy", f"HTTP {status}", retry_ms=_retry_ms(reply))
        if status >= 500:
            return Answer(False, False, status, "server-failed", f"HTTP {status}")
        if _is_page(reply):
            code = "wifi-login" if 200 <= status < 300 else "wrong-server"
            return Answer(False, False, status, code, f"a web page came instead of an answer (HTTP {status})")
        return Answer(False, False, status, "wrong-server", f"HTTP {status} without our answer in it")
    epoch = reply.headers.get(HEADER_EPOCH.lower(), "")
    if 200 <= status < 300:
        return Answer(True, True, status, data=data, epoch=epoch, headers=reply.headers)
    code, detail = str(data.get("code") or "refused"), str(data.get("detail") or "")
    return Answer(False, True, status, code, detail, data, epoch, _retry_ms(reply), reply.headers)
