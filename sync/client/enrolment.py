"""Enrolment, sign-in and the first lease: calls a person waits for, safe to repeat whatever reply was lost.

Enrolment is idempotent per (code, secret) and sign-in per (tablet, code): the same request gives the same answer, so
a lost reply burns nothing. The secret is made and kept by the tablet before the first try.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sync.client.calls import Reply, Request, Target, Transport
from sync.client.reasons import explain_link
from sync.client.replies import judge
from sync.records.macs import is_fingerprint
from sync.records.problems import CATALOGUE, Problem
from sync.records.proofs import recode_proof
from sync.records.protocol import (
    ENROL,
    HEADER_MARKS,
    HEADER_RENEWS,
    HELLO,
    LEASE,
    RECODE,
    RECOVERY,
    RECOVERY_LOOK,
    SIGN_IN,
)
from sync.records.wire import encode

T = TypeVar("T")
TRIES = 3
MOST_COUNTED = 999_999
TIMEOUT_MS = 15_000
_JSON = {"Content-Type": "application/json"}
_ABLE = {**_JSON, HEADER_RENEWS: "1", HEADER_MARKS: "1"}
_MARKS = {**_JSON, HEADER_MARKS: "1"}
_LINK_CODES = {"wifi-login": "network-login", "wrong-server": "wrong-server", "insecure": "wrong-server",
               "server-busy": "server-busy"}  # fmt: skip
_TEXTS = ("city", "city_name", "tablet_id", "tablet_code", "device_token", "receipt_key", "epoch", "time",
          "public_url")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Who the tablet is from now on. ``numbers`` is the first lease: {number, counter, token} each. ``line``: the codes
    that it had before, each link sealed by the city: {code, was, seal}; an older server says nothing of them."""

    city: str
    city_name: str
    tablet_id: str
    tablet_code: str
    device_token: str = field(repr=False)
    receipt_key: str = field(repr=False)
    numbers: tuple[dict[str, Any], ...] = field(repr=False)
    seal: str | None
    epoch: str
    time: str
    limits: dict[str, Any]
    public_url: str
    line: tuple[dict[str, Any], ...] = ()
    recovery_key: str = ""
    """The public half of the city's pair for forgotten PINs, in hex; "" from a server that has none."""

    def to_doc(self) -> dict[str, Any]:
        """What the tablet keeps as its identity (the lease and the epoch have their own places)."""
        return {
            "city": self.city,
            "city_name": self.city_name,
            "tablet_id": self.tablet_id,
            "tablet_code": self.tablet_code,
            "device_token": self.device_token,
            "receipt_key": self.receipt_key,
            "limits": self.limits,
            "public_url": self.public_url,
            "line": list(self.line),
        }


@dataclass(frozen=True, slots=True)
class SignIn:
    """A person's credential on this tablet: ``key`` (hex) signs facts, ``credential`` names it to the server."""

    person: Any
    credential: str
    key: str = field(repr=False)

    @property
    def person_id(self) -> str:
        return self.person["id"] if isinstance(self.person, dict) else self.person

    def to_doc(self) -> dict[str, Any]:
        return {"person": self.person_id, "id": self.credential, "key": self.key}


def hello_request(timeout_ms: int = TIMEOUT_MS) -> Request:
    """Is our server there? Goes out first and without the token: a Wi-Fi's log-in page learns nothing from it."""
    return Request("hello", "GET", HELLO, timeout_ms, anonymous=True)


def enrol_request(code: str, secret: str) -> Request:
    """``secret``: 64 hex digits that the tablet made and has durably kept before this is sent."""
    if not is_fingerprint(secret):
        raise ValueError("the tablet secret is 64 lower-case hex digits")
    body = encode({"code": code.strip(), "secret": secret})
    return Request("enrol", "POST", ENROL, TIMEOUT_MS, headers=_ABLE, body=body, anonymous=True)


def sign_in_request(code: str) -> Request:
    return Request("signin", "POST", SIGN_IN, TIMEOUT_MS, headers=_JSON, body=encode({"code": code.strip()}))


def recode_request(secret: str, people: Iterable[SignIn]) -> Request:
    """A code of its own for a tablet that was copied or set back; ``people``: the credentials it holds."""
    proofs = [{"person": one.person_id, "proof": recode_proof(bytes.fromhex(one.key), secret)} for one in people]
    body = encode({"secret": secret, "people": proofs})
    return Request("recode", "POST", RECODE, TIMEOUT_MS, headers=_ABLE, body=body)


def lease_request(after: int) -> Request:
    """``after``: the highest order counter this tablet holds."""
    return Request("lease", "POST", LEASE, TIMEOUT_MS, headers=_MARKS, body=encode({"after": after}))


def opened(reply: Reply) -> dict[str, Any]:
    """The server's answer; raises Problem with the server's own code, or one that says why there is no answer."""
    answer = judge(reply)
    if answer.ok:
        return answer.data
    if answer.ours:
        code = answer.code if answer.code in CATALOGUE else "server-failed"
        raise Problem(code, answer.detail)
    reason = explain_link(answer.code)
    raise Problem(_LINK_CODES.get(answer.code, "offline"), reason.words, where=answer.detail)


def _text(data: dict[str, Any], key: str) -> str:
    if not isinstance(data.get(key), str) or not data[key]:
        raise Problem("wrong-server", f"the answer has no {key}", where=key)
    return data[key]


def read_lease(data: Any) -> tuple[tuple[dict[str, Any], ...], str | None]:
    """The numbers and the seal of a lease. Raises Problem "wrong-server" when it is none."""
    numbers = data.get("numbers") if isinstance(data, dict) else None
    if not isinstance(numbers, list):
        raise Problem("wrong-server", "the answer has no lease", where="lease")
    for number in numbers:
        if not (
            isinstance(number, dict)
            and isinstance(number.get("number"), str)
            and isinstance(number.get("counter"), int)
            and 1 <= number["counter"] <= MOST_COUNTED
            and isinstance(number.get("token"), str)
        ):
            raise Problem("wrong-server", "a leased number is not complete", where="lease.numbers")
    return tuple(numbers), data.get("seal")


def read_enrolment(reply: Reply) -> Enrolment:
    """The enrolment in ``reply``. Raises Problem: the server's code, "offline", "network-login", "wrong-server"."""
    return _enrolment(opened(reply))


def _enrolment(data: dict[str, Any]) -> Enrolment:
    if not is_fingerprint(data.get("receipt_key")):
        raise Problem("wrong-server", "the answer has no receipt key", where="receipt_key")
    numbers, seal = read_lease(data.get("lease"))
    said = data["limits"] if isinstance(data.get("limits"), dict) else {}
    limits = {name: value for name, value in said.items() if is_limit(value)}
    public = data.get("recovery_key")
    line = data["line"] if isinstance(data.get("line"), list) else []
    return Enrolment(**{key: _text(data, key) for key in _TEXTS}, numbers=numbers, seal=seal, limits=limits,
                     line=tuple(link for link in line if _is_link(link)),
                     recovery_key=public if isinstance(public, str) else "")  # fmt: skip


def is_limit(value: Any) -> bool:
    """Whether it is a limit at all: nothing is of no use, and text cannot be compared with."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_link(link: Any) -> bool:
    return isinstance(link, dict) and all(isinstance(link.get(key), str) for key in ("code", "was", "seal"))


def read_sign_in(reply: Reply) -> SignIn:
    """The person and credential in ``reply``. Raises Problem as `read_enrolment` does."""
    return _signed_in(opened(reply))


def _signed_in(data: Any) -> SignIn:
    credential = data.get("credential") if isinstance(data, dict) else None
    if not isinstance(credential, dict) or not data.get("person"):
        raise Problem("wrong-server", "the answer has no credential", where="credential")
    return SignIn(data["person"], _text(credential, "id"), _text(credential, "key"))


def read_recoded(reply: Reply) -> tuple[Enrolment, tuple[SignIn, ...]]:
    """Who the copy is from now on, and its people's credentials. Raises Problem as `read_enrolment` does."""
    data = opened(reply)
    people = data.get("people")
    if not isinstance(people, list):
        raise Problem("wrong-server", "the answer has no people", where="people")
    return _enrolment(data), tuple(_signed_in(one) for one in people)


async def ask(
    transport: Transport,
    target: Target,
    request: Request,
    read: Callable[[Reply], T],
    pause: Callable[[int], Awaitable[None]],
    tries: int = TRIES,
) -> T:
    """Sends ``request`` until ``read`` accepts the reply, at most ``tries`` times, ``pause(ms)`` in between.

    Only what repeating can mend is repeated: no connection, a cut, a busy server. Raises the Problem of the last try.
    """
    for left in range(tries - 1, -1, -1):
        try:
            return read(await transport.send(target, request))
        except Problem as problem:
            if left == 0 or problem.code not in ("offline", "server-busy", "server-failed", "database-unreachable"):
                raise
        await pause(1000 * (tries - left))
    raise AssertionError("unreachable")


async def enrol(
    transport: Transport, server: str, code: str, secret: str, pause: Callable[[int], Awaitable[None]]
) -> Enrolment:
    """Redeems an enrolment code. Repeat it freely with the same ``secret``: a lost reply burns nothing."""
    return await ask(transport, Target(server.rstrip("/")), enrol_request(code, secret), read_enrolment, pause)


async def sign_in(
    transport: Transport, target: Target, code: str, pause: Callable[[int], Awaitable[None]]
) -> SignIn:
    """Redeems a person's one-time code on this tablet."""
    return await ask(transport, target, sign_in_request(code), read_sign_in, pause)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Where a question for a forgotten PIN stands: "waiting", "answered" (then with the sealed key), "declined" or
    "replaced"."""

    state: str
    box: str | None = field(default=None, repr=False)


def recovery_request(tablet: str, proof: str, person: str, key: str, box: str, public: str) -> Request:
    """A person forgot the PIN of this tablet, which is locked and has no token at hand."""
    asked = {"tablet": tablet, "proof": proof, "person": person, "key": key, "box": box, "public": public}
    return Request("recovery", "POST", RECOVERY, TIMEOUT_MS, headers=_JSON, body=encode(asked), anonymous=True)


def recovery_look_request(tablet: str, proof: str, ident: str) -> Request:
    """Has the office answered?"""
    body = encode({"tablet": tablet, "proof": proof, "id": ident})
    return Request("recovery-look", "POST", RECOVERY_LOOK, TIMEOUT_MS, headers=_JSON, body=body, anonymous=True)


def read_recovery_id(reply: Reply) -> str:
    """The id of the question. Raises Problem as `read_enrolment` does."""
    return _text(opened(reply), "id")


def read_recovery(reply: Reply) -> Recovery:
    """Where the question stands. Raises Problem as `read_enrolment` does."""
    data = opened(reply)
    box = data.get("box")
    return Recovery(_text(data, "state"), box if isinstance(box, str) else None)


async def recode(
    transport: Transport, target: Target, secret: str, people: Iterable[SignIn], pause: Callable[[int], Awaitable[None]]
) -> tuple[Enrolment, tuple[SignIn, ...]]:
    """Asks for a code of its own. Repeat it freely with the same ``secret``: a lost reply burns nothing."""
    return await ask(transport, target, recode_request(secret, people), read_recoded, pause)
