"""Hello, enrolment, sign-in, order numbers, and what changed: a tablet's dealings other than handing over its work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from sync.records.protocol import HEADER_WITNESS, ITEM_TRIES, MAX_BATCH, OLDEST_PROTOCOL, PROTOCOL
from sync.server.api import shapes
from sync.server.api.access import ActiveTablet, AnyTablet, RenewingTablet, TheCity, bearer_token
from sync.server.api.errors import WireResponse, compressed
from sync.server.casework import copies, diagnoses, enrolment, feed, recovery, thumbnails, tokens, witness
from sync.server.casework.city import City
from sync.server.uploads.partials import CAPS

router = APIRouter()
_UNFINISHED = {"unfinished_files": CAPS.files, "unfinished_bytes": CAPS.bytes}
Able = Annotated[str, Header(max_length=8)]


def _time(city: City) -> str:
    return city.now().isoformat(timespec="milliseconds")


def _lease(numbers: tuple[enrolment.LeasedNumber, ...], seal: str) -> dict[str, object]:
    return {"numbers": [{"number": n.number, "counter": n.counter, "token": n.token} for n in numbers], "seal": seal}


@router.get("/hello", responses={200: {"model": shapes.Hello}})
def hello(city: TheCity) -> Response:
    """Is this the city's server, which protocols does it speak, what time is it. Needs no token."""
    with city.db.read() as tx:
        epoch = city.row(tx).epoch
    return WireResponse({"siltwatch": True, "protocol": {"min": OLDEST_PROTOCOL, "max": PROTOCOL}, "epoch": epoch,
                         "time": _time(city), "city": city.id,
                         "limits": {"evidence_bytes": city.evidence_bytes, **_UNFINISHED}})


@router.post("/enrol", responses={200: {"model": shapes.Enrolled}})
def enrol(city: TheCity, ask: shapes.EnrolAsk, siltwatch_renews: Able = "",
          siltwatch_marks: Able = "") -> Response:
    """Enrols the tablet that made the secret. The same code and secret get the same answer, however often."""
    return WireResponse(_enrolled(city, enrolment.enrol_tablet(
        city, ask.code, ask.secret, ageing=bool(siltwatch_renews), marks=bool(siltwatch_marks))))


def _enrolled(city: City, found: enrolment.Enrolled) -> dict[str, object]:
    return {
        "city": city.id, "city_name": city.name, "tablet_id": found.tablet.id, "tablet_code": found.tablet.code,
        "device_token": found.device_token, "receipt_key": found.tablet.receipt_key.hex(),
        "lease": _lease(found.lease, found.lease_seal), "epoch": found.epoch, "time": _time(city),
        "limits": {"evidence_bytes": city.evidence_bytes, "batch": MAX_BATCH, "tries": ITEM_TRIES, **_UNFINISHED},
        "public_url": city.public_url, "recovery_key": recovery.public_key(city),
    }


@router.post("/renew", responses={200: {"model": shapes.Renewed}})
def renew(request: Request, city: TheCity, tablet: RenewingTablet, ask: shapes.RenewAsk) -> Response:
    """A fresh device token for an old one, to the tablet that proves that it holds its own key."""
    return WireResponse({"device_token": tokens.renew(city, tablet, bearer_token(request), ask.at, ask.proof)})


@router.post("/recode", responses={200: {"model": shapes.Recoded}})
def recode(city: TheCity, tablet: ActiveTablet, ask: shapes.RecodeAsk, siltwatch_renews: Able = "",
           siltwatch_marks: Able = "") -> Response:
    """A code of its own for a tablet that was copied or set back. The same secret gets the same answer."""
    found = copies.recode_tablet(city, tablet, ask.secret, [(one.person, one.proof) for one in ask.people],
                                 ageing=bool(siltwatch_renews), marks=bool(siltwatch_marks))
    return WireResponse({**_enrolled(city, found.enrolled), "people": [_signed_in(one) for one in found.people],
                         "line": [{"code": one.code, "was": one.was, "seal": one.seal} for one in found.line]})


@router.post("/signin", responses={200: {"model": shapes.SignedIn}})
def sign_in(city: TheCity, tablet: ActiveTablet, ask: shapes.SignInAsk) -> Response:
    """Signs the person of a one-time code in on this tablet. The same code here gets the same answer."""
    return WireResponse(_signed_in(enrolment.sign_in(city, tablet, ask.code)))


def _signed_in(found: enrolment.SignedIn) -> dict[str, object]:
    return {"person": found.person, "credential": {"id": found.credential_id, "key": found.credential_key.hex()}}


@router.post("/lease", responses={200: {"model": shapes.Leased}})
def lease(city: TheCity, tablet: ActiveTablet, ask: shapes.LeaseAsk, siltwatch_marks: Able = "") -> Response:
    """The order numbers after a count. Asking again burns none."""
    found = _lease(*enrolment.lease_numbers(city, tablet, ask.after, marks=bool(siltwatch_marks)))
    return WireResponse({**found, "witness": witness.witness_now(city)})


@router.get("/changes", responses={200: {"model": shapes.Changes}})
def changes(
    request: Request,
    city: TheCity,
    tablet: ActiveTablet,
    epoch: Annotated[str, Query(max_length=64)] = "",
    scope: Annotated[str, Query(max_length=64)] = "",
    seq: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=feed.MAX_PAGE)] = 200,
    off_ms: Annotated[int | None, Query(ge=-(2**53), le=2**53)] = None,
) -> Response:
    """What changed after a place in the sequence; another epoch or scope starts again from 0 (``restart``).

    ``off_ms``: how far the tablet's clock was behind ours at its last contact (negative: ahead), for the office to
    see; it orders nothing.
    """
    if HEADER_WITNESS not in request.headers:
        witness.heed_place(city, epoch, seq)
    enrolment.seen(city, tablet, off_ms)
    thumbnails.make_due(city)
    page = feed.changes_since(city, tablet.id, epoch, scope, seq, limit)
    return compressed(request, {
        "epoch": page.epoch, "scope": page.scope,
        "items": [{"seq": i.seq, "kind": i.kind, "id": i.id, "doc": i.doc} for i in page.items],
        "next": {"epoch": page.epoch, "scope": page.scope, "seq": page.seq},
        "more": page.more, "restart": page.restart, "counted": copies.counted(city, tablet.code),
        "witness": witness.witness_now(city),
    })


@router.post("/diagnosis", responses={200: {"model": shapes.DiagnosisKept}})
def diagnosis(city: TheCity, tablet: AnyTablet, ask: shapes.DiagnosisAsk) -> Response:
    """A report of the tablet about itself, for whoever repairs. The same one again is kept once."""
    at = diagnoses.take_diagnosis(city, tablet, ask.text)
    return WireResponse({"at": at.isoformat(timespec="milliseconds")})


@router.post("/recovery", responses={200: {"model": shapes.RecoveryAsked}})
def recovery_ask(city: TheCity, ask: shapes.RecoveryAsk) -> Response:
    """A person forgot the PIN of a tablet, which is locked: it has no token, and proves itself. The same one is one."""
    return WireResponse({"id": recovery.ask(city, ask.tablet, ask.proof, ask.person, ask.key, ask.box, ask.public)})


@router.post("/recovery/look", responses={200: {"model": shapes.RecoveryState}})
def recovery_look(city: TheCity, ask: shapes.RecoveryLook) -> Response:
    """Whether the office has answered."""
    state, box = recovery.look(city, ask.tablet, ask.proof, ask.id)
    return WireResponse({"state": state, "box": box})
