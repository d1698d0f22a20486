"""Hands a report about the tablet itself to the server: one call that a person waits for, safe to repeat.

The server keeps a report under the fingerprint of its text, so a lost answer and a second try leave one.
"""

from collections.abc import Awaitable, Callable

from sync.client.calls import Reply, Request, Target, Transport
from sync.client.enrolment import TIMEOUT_MS, ask, opened
from sync.records.protocol import DIAGNOSIS
from sync.records.wire import encode


def diagnosis_request(text: str) -> Request:
    """``text``: the report as it was read on the tablet, at most `MAX_DIAGNOSIS_BYTES`."""
    body = encode({"text": text})
    return Request("diagnosis", "POST", DIAGNOSIS, TIMEOUT_MS, headers={"Content-Type": "application/json"}, body=body)


def read_kept(reply: Reply) -> str:
    """The time at which the server kept it (ISO). Raises Problem: the server's code, "offline", "network-login"."""
    at = opened(reply).get("at")
    return at if isinstance(at, str) else ""


async def send_diagnosis(
    transport: Transport, target: Target, text: str, pause: Callable[[int], Awaitable[None]]
) -> str:
    """Sends the report, again when a try fails that repeating can mend; when the server kept it."""
    return await ask(transport, target, diagnosis_request(text), read_kept, pause)
