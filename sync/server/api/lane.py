"""The short way for the requests that make up a tablet's day: records handed over, files, and receipts asked for again.

They come by the hundred from every tablet in the evening, and the framework's way to a handler costs more than the
handling. Here they go to the same functions as the declared routes (see `sending`), which stay what is documented.
``Lane.take`` answers what a line of ours read off the socket whole (see `line`); as ASGI middleware the lane takes what
comes any other way. Whatever is not plain (no token, another path, a body that is no such message), and whatever goes
wrong, takes the ordinary way with its answers.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sync.records.evidence_files import Seen
from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.records.protocol import EVIDENCE, FACTS, HEADER_WITNESS, MAX_BATCH, PROTOCOL, RECEIPTS
from sync.records.wire import encode
from sync.server.api.errors import answer_to
from sync.server.api.guard import EPOCH, epoch_field, plain_fields
from sync.server.api.hands import Call, Hands, Tell
from sync.server.api.sending import FEW, Push, coming_file, take_file
from sync.server.blobs.apart import Apart
from sync.server.blobs.apart import Slot as Shared
from sync.server.casework import receiving
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet, tablet_at_a_glance
from sync.server.casework.evidence import Coming
from sync.server.casework.witness import is_known
from sync.server.line import Answer, Ask
from sync.server.traffic import Slot

_EVIDENCE = "/evidence/"
_FILES, _FACTS, _RECEIPTS = EVIDENCE.encode(), FACTS.encode(), RECEIPTS.encode()
_PROTOCOL, _WITNESS = str(PROTOCOL).encode(), HEADER_WITNESS.lower().encode()


class Lane:
    """ASGI middleware around the application that has all routes, and what a line asks without it. ``apart``: who makes
    files durable while several are on their way; None: this process does."""

    def __init__(self, app: ASGIApp, city: City) -> None:
        self._app, self._city = app, city
        self._hands = Hands(city)
        self._under_way = 0
        self.apart: Apart | None = None
        self._fields = b"content-type: application/json\r\n" + plain_fields(city)

    # --- what a line read whole ---

    def wants(self, method: bytes, path: bytes) -> bool:
        """Whether ``take`` may answer it."""
        return path.startswith(_FILES) if method == b"PUT" else method == b"POST" and path in (_FACTS, _RECEIPTS)

    def slot(self, size: int) -> Shared | None:
        """A place that a file of this size may be received into, to be made durable by the process apart."""
        return None if self.apart is None else self.apart.slot(size)

    def take(self, ask: Ask, body: bytes | bytearray | memoryview, alone: bool, answer: Answer,
             slot: Slot | None = None) -> None:
        """Answers a whole request, or leaves it to the ordinary way, which finds what is wrong with it anew."""
        try:
            tablet = self._sender(ask)
            if tablet is None:
                answer(None, b"")
            elif ask.path == _RECEIPTS:
                self._tell_receipts(tablet, ask, body, answer)
            else:
                self._take(tablet, ask, body, alone, answer, slot)
        except Problem:
            answer(None, b"")

    def _sender(self, ask: Ask) -> Tablet | None:
        fields = ask.fields
        if fields.get(b"siltwatch-protocol") != _PROTOCOL or b"cookie" in fields:
            return None
        if not self._knows(fields.get(_WITNESS, b"").decode("latin-1")):
            return None
        return self._of_token(fields.get(b"authorization", b"").decode("latin-1"))

    def _knows(self, witness: str) -> bool:
        """What a tablet tells of another state of the records is for the ordinary way."""
        return not witness or is_known(self._city, witness)

    def _take(self, tablet: Tablet, ask: Ask, body: bytes | bytearray | memoryview, alone: bool,
              answer: Answer, slot: Slot | None) -> None:
        fields, few = ask.fields, True

        def tell(content: Any, error: Exception | None) -> None:
            self._say(answer, tablet, None if error is not None else content)

        if ask.method == b"PUT":
            sha256 = ask.path[len(_FILES):].decode()
            if not is_fingerprint(sha256):
                return answer(None, b"")
            kind = fields.get(b"siltwatch-evidence-kind", b"photo").decode("latin-1")
            of = fields.get(b"siltwatch-preview-of", b"").decode("latin-1")
            coming = coming_file(self._city, tablet, sha256, kind, of, len(body))
            coming.add(body)
            if isinstance(slot, Shared) and slot.keep(sha256, kind, partial(self._came_back, coming, tell)):
                return None
            call: Call = coming
        else:
            items = _items(body) if _is_json(fields) else None
            if items is None:
                return answer(None, b"")
            call, few = Push(self._city, tablet, items), len(items) <= FEW
        return self._hands.take(call, alone and few, tell)

    def _came_back(self, coming: Coming, tell: Tell, seen: Seen | None) -> None:
        """The process apart made the file durable; or did not, then hands try it, and find out why."""
        if seen is not None:
            coming.is_kept(seen)
        self._hands.take(coming, False, tell)

    def _tell_receipts(self, tablet: Tablet, ask: Ask, body: bytes | bytearray, answer: Answer) -> None:
        """A few are looked up here and now: nobody who writes is waited for."""
        ids = _told(body, "facts") if _is_json(ask.fields) else None
        if ids is None or not 1 <= len(ids) <= FEW or not all(isinstance(one, str) and len(one) <= 200 for one in ids):
            answer(None, b"")
        else:
            self._say(answer, tablet, {"results": receiving.receipts_for(self._city, tablet, ids)})

    def _say(self, answer: Answer, tablet: Tablet, content: Any | None) -> None:
        if content is None:
            answer(None, b"")
        else:
            answer(self._fields + epoch_field(tablet.epoch), encode(content))

    # --- what comes any other way ---

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._under_way += 1
        try:
            content, receive = await self._taken(scope, receive) if scope["type"] == "http" else (None, receive)
        except Exception as error:
            await answer_to(Request(scope), error)(scope, receive, send)
            return
        finally:
            self._under_way -= 1
        if content is None:
            await self._app(scope, receive, send)
        else:
            await _answer(send, content)

    async def _taken(self, scope: Scope, receive: Receive) -> tuple[Any | None, Receive]:
        """The answer; None, and how to read the request, where it takes the ordinary way."""
        path, method = scope["path"].removeprefix(scope.get("root_path", "")), scope["method"]
        if method == "PUT" and path.startswith(_EVIDENCE):
            return await self._file(path[len(_EVIDENCE):], scope, receive), receive
        if method == "POST" and path == "/facts":
            return await self._facts(scope, receive)
        return None, receive

    async def _do(self, call: Call) -> Any:
        """Alone: nothing else is on its way to us, and the call is a file or a few records."""
        few = not isinstance(call, Push) or call.size <= FEW
        return await self._hands.do(call, alone=few and self._under_way == 1)

    def _of_token(self, authorization: str) -> Tablet | None:
        """The tablet, None where finding it out needs the ordinary way."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            return None
        return tablet_at_a_glance(self._city, token.strip())

    def _tablet(self, scope: Scope, headers: dict[str, str]) -> Tablet | None:
        known = self._knows(headers.get(HEADER_WITNESS.lower(), ""))
        found = self._of_token(headers.get("authorization", "")) if known else None
        if found is not None:
            scope[EPOCH] = found.epoch
        return found

    async def _file(self, sha256: str, scope: Scope, receive: Receive) -> Any | None:
        headers = _headers(scope)
        tablet = self._tablet(scope, headers)
        if tablet is None or not is_fingerprint(sha256):
            return None
        kind = headers.get("siltwatch-evidence-kind", "photo")
        of, length = headers.get("siltwatch-preview-of", ""), headers.get("content-length", "")
        return await take_file(self._city, tablet, sha256, kind, of, length, _pieces(receive), self._do)

    async def _facts(self, scope: Scope, receive: Receive) -> tuple[Any | None, Receive]:
        headers = _headers(scope)
        tablet = self._tablet(scope, headers)
        if tablet is None or not headers.get("content-type", "").startswith("application/json"):
            return None, receive
        body = b"".join([piece async for piece in _pieces(receive)])
        items = _items(body)
        if items is None:
            return None, _again(body, receive)
        return await self._do(Push(self._city, tablet, items)), receive


def _is_json(fields: dict[bytes, bytes]) -> bool:
    return fields.get(b"content-type", b"").startswith(b"application/json")


def _told(body: bytes | bytearray, name: str) -> list[Any] | None:
    """The list under the only name in the message; None for anything else."""
    try:
        ask = json.loads(body)
    except (ValueError, RecursionError):
        return None
    plain = isinstance(ask, dict) and ask.keys() == {name} and isinstance(ask[name], list)
    return ask[name] if plain else None


def _items(body: bytes | bytearray) -> list[Any] | None:
    items = _told(body, "items")
    return items if items is not None and 1 <= len(items) <= MAX_BATCH else None


def _headers(scope: Scope) -> dict[str, str]:
    """By name; of two of one name the first."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    """The body as it comes. Raises ClientDisconnect when the sender goes away before its end."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if piece := message.get("body", b""):
            yield piece


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, for somebody who wants to read it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def found() -> Message:
        return left.pop() if left else await receive()

    return found


async def _answer(send: Send, content: Any) -> None:
    data = encode(content)
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]})
    await send({"type": "http.response.body", "body": data})
