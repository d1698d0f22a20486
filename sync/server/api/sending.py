"""A tablet hands over its work: facts in batches, evidence files one by one, and asks for receipts again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from sync.records.protocol import MAX_FORMER
from sync.server.api import shapes
from sync.server.api.access import ActiveTablet, AnyTablet, TheCity
from sync.server.api.errors import WireResponse
from sync.server.api.hands import Call, do_one
from sync.server.casework import enrolment, evidence, receiving, witness
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.db.engine import Tx
from sync.server.db.memory import gentle

router = APIRouter()
FEW = 4
"""So many records are few: they hold nobody up."""


def _item(raw: Any) -> receiving.Item | None:
    """The item as sent, None for what is not even that."""
    if not isinstance(raw, dict):
        return None
    text, mac, credential = raw.get("fact"), raw.get("mac"), raw.get("credential")
    if not (isinstance(text, str) and isinstance(mac, str) and isinstance(credential, str)):
        return None
    former = raw.get("former")
    kept = tuple(former[:MAX_FORMER]) if isinstance(former, list) else ()
    return receiving.Item(text, mac, credential, kept)


class Push:
    """A batch of raw items, as a call in two halves (see `hands`)."""

    heavy = False

    def __init__(self, city: City, tablet: Tablet, raw: Sequence[Any]) -> None:
        self._city, self._tablet = city, tablet
        self._items = [_item(one) for one in raw]
        self.size = len(raw)
        self.light = self.size <= FEW

    def before(self) -> Callable[[Tx], tuple[list[dict[str, Any]], str]]:
        take = receiving.taking(self._city, self._tablet, [item for item in self._items if item is not None])

        @gentle
        def work(tx: Tx) -> tuple[list[dict[str, Any]], str]:
            told = take(tx)
            enrolment.note_seen(tx, self._city, self._tablet)
            return told, witness.given(tx, self._city)

        return work

    def after(self, told: tuple[list[dict[str, Any]], str]) -> dict[str, Any]:
        """What is answered, item by item."""
        answers = iter(told[0])
        refused = {"refused": {"code": "wire-malformed", "detail": "an item has fact, mac and credential, all text"}}
        return {"results": [refused if item is None else next(answers) for item in self._items],
                "witness": witness.note(self._city, told[1])}


def coming_file(city: City, tablet: Tablet, sha256: str, kind: str, of: str, announced: int | None) -> evidence.Coming:
    """A file that is about to come, as a call. Raises what `check_announced` raises."""
    evidence.check_announced(city, sha256, kind, announced, of)
    return evidence.Coming(city, tablet, sha256, kind, announced, of)


async def take_file(city: City, tablet: Tablet, sha256: str, kind: str, of: str, length: str,
                    pieces: AsyncIterator[bytes], do: Callable[[Call], Awaitable[Any]]) -> dict[str, Any]:
    """The receipt of the file that comes in ``pieces``. ``length``: what Content-Length says, if anything; ``do`` does
    a call."""
    announced = int(length) if length.isascii() and length.isdigit() and len(length) < 16 else None
    coming = coming_file(city, tablet, sha256, kind, of, announced)
    try:
        async for piece in pieces:
            if coming.add(piece):
                await to_thread.run_sync(coming.write)
        if coming.begun:  # a large one, whose flush takes so long that nobody should wait beside it
            return await to_thread.run_sync(do_one, city, coming)
        return await do(coming)
    finally:
        if coming.begun:
            await to_thread.run_sync(coming.drop)


@router.post("/facts", responses={200: {"model": shapes.FactsTell}})
def facts(city: TheCity, tablet: AnyTablet, ask: shapes.FactsAsk) -> Response:
    """Takes facts and answers each, in the order sent: a sealed receipt, or why its bytes are refused."""
    return WireResponse(do_one(city, Push(city, tablet, ask.items)))


@router.post("/receipts", responses={200: {"model": shapes.ReceiptsTell}})
def receipts(city: TheCity, tablet: AnyTablet, ask: shapes.ReceiptsAsk) -> Response:
    """The receipts of facts handed over before, as things stand now."""
    return WireResponse({"results": receiving.receipts_for(city, tablet, ask.facts)})


@router.put("/evidence/{sha256}", responses={200: {"model": shapes.Taken}}, openapi_extra={
    "requestBody": {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}})
async def put_evidence(
    request: Request,
    city: TheCity,
    tablet: AnyTablet,
    sha256: str,
    siltwatch_evidence_kind: Annotated[str, Header()] = "photo",
    siltwatch_preview_of: Annotated[str, Header(max_length=64)] = "",
) -> Response:
    """Takes a file under its SHA-256: streamed to disk, checked, looked at, and only then held.

    Of the kind "preview" with the header Siltwatch-Preview-Of: kept beside that original, never as evidence.
    """
    return WireResponse(await take_file(
        city, tablet, sha256, siltwatch_evidence_kind, siltwatch_preview_of, request.headers.get("content-length", ""),
        request.stream(), lambda call: to_thread.run_sync(do_one, city, call)))


@router.get("/evidence/{sha256}", response_class=StreamingResponse)
def get_evidence(city: TheCity, tablet: ActiveTablet, sha256: str) -> Response:
    """A file that the tablet may see. Knowing its hash is not enough."""
    held = evidence.evidence_for_tablet(city, tablet, sha256)
    return StreamingResponse(
        city.blobs.stream(held.sha256), media_type=held.media,
        headers={"Content-Length": str(held.size), "ETag": f'"{held.sha256}"',
                 "Cache-Control": "private, max-age=31536000, immutable",
                 "Content-Disposition": "attachment"},
    )
