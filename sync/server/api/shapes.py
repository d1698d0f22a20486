"""The messages of the protocol, as the published interface describes them. Strict: "1" is no number.

What asks is closed (an unknown field is a mistake), except where the protocol promises to keep what it does not
know: inside a fact, whose bytes are not touched, and in the items of a batch, which are judged one by one.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sync.records.protocol import MAX_BATCH, MAX_DIAGNOSIS_BYTES

_BIG = 2**53
WITNESS = "what the records have come to, sealed: the tablet gives it back with every call (Siltwatch-Witness)"


class _Ask(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Tell(BaseModel):
    model_config = ConfigDict(strict=True)


class Sealed(_Tell):
    """A receipt: its exact text, and the HMAC-SHA256 of that text under the tablet's receipt key."""

    text: str
    mac: str


class Taken(Sealed):
    """The receipt of what was just sent."""

    already_held: bool = Field(default=False, description="it was here before: sent again, or by somebody else")


class Refusal(_Tell):
    code: str
    detail: str


class Refused(_Tell):
    """Bytes that are no fact: nothing is kept of them but a line for the office."""

    refused: Refusal


class Unknown(_Tell):
    unknown: str


class ProtocolRange(_Tell):
    min: int
    max: int


class HelloLimits(_Tell):
    evidence_bytes: int = Field(description="the largest evidence file that is taken; it may change")
    unfinished_files: int = Field(description="so many files in parts may a tablet leave unfinished")
    unfinished_bytes: int = Field(description="announced with so many bytes in all")


class Hello(_Tell):
    siltwatch: bool
    protocol: ProtocolRange
    epoch: str
    time: str = Field(description="server time, ISO 8601 in UTC")
    city: str
    limits: HelloLimits


class EnrolAsk(_Ask):
    code: str = Field(max_length=200)
    secret: str = Field(pattern="^[0-9a-f]{64}$", description="64 hex digits that the tablet made and kept")


class LeasedNumber(_Tell):
    number: str
    counter: int
    token: str


class Lease(_Tell):
    numbers: list[LeasedNumber]
    seal: str


class Leased(Lease):
    witness: str = Field(description=WITNESS)


class Limits(HelloLimits):
    batch: int
    tries: int


class Enrolled(_Tell):
    city: str
    city_name: str
    tablet_id: str
    tablet_code: str
    device_token: str
    receipt_key: str
    lease: Lease
    epoch: str
    time: str
    limits: Limits
    public_url: str
    recovery_key: str | None = Field(default=None, description="the public half of the city's pair for forgotten PINs")


class RecoveryProved(_Ask):
    tablet: str = Field(max_length=64, description="the tablet's id")
    proof: str = Field(pattern="^[0-9a-f]{64}$", description="made with the receipt key, see the protocol page")


class RecoveryAsk(RecoveryProved):
    person: str = Field(max_length=80)
    key: str = Field(max_length=16, description="the id of the city's public half that the box is for")
    box: str = Field(max_length=1000, description="base64: the person's key, sealed to that public half")
    public: str = Field(pattern="^04[0-9a-f]{128}$", description="the public half that the answer is to be sealed to")


class RecoveryAsked(_Tell):
    id: str


class RecoveryLook(RecoveryProved):
    id: str = Field(max_length=64)


class RecoveryState(_Tell):
    state: str = Field(description="waiting, answered, declined or replaced")
    box: str | None = Field(description="base64: the person's key, sealed to the tablet; once answered")


class SignInAsk(_Ask):
    code: str = Field(max_length=200)


class Credential(_Tell):
    id: str
    key: str


class SignedIn(_Tell):
    person: dict[str, Any]
    credential: Credential


class LeaseAsk(_Ask):
    after: int = Field(ge=0, le=_BIG, description="the highest order counter that the tablet holds")


class RenewAsk(_Ask):
    at: str = Field(max_length=40, description="the server's time as hello has just told it")
    proof: str = Field(pattern="^[0-9a-f]{64}$", description="made with the tablet's own key, see the protocol page")


class Renewed(_Tell):
    device_token: str


class OldCredential(_Ask):
    person: str = Field(max_length=80)
    proof: str = Field(pattern="^[0-9a-f]{64}$")


class RecodeAsk(_Ask):
    secret: str = Field(pattern="^[0-9a-f]{64}$", description="64 hex digits that the copy made and kept")
    people: list[OldCredential] = Field(max_length=100)


class LineLink(_Tell):
    code: str
    was: str
    seal: str


class Recoded(Enrolled):
    people: list[SignedIn]
    line: list[LineLink] = Field(description="the codes that this tablet had before, sealed by the city")


class DiagnosisAsk(_Ask):
    text: str = Field(max_length=MAX_DIAGNOSIS_BYTES, description="a JSON object: versions, counts, codes; no names")


class DiagnosisKept(_Tell):
    at: str = Field(description="when it came, by the server's clock")


class FactsAsk(_Ask):
    items: list[Any] = Field(
        min_length=1, max_length=MAX_BATCH,
        description="each {fact: exact text, mac: 64 hex digits, credential: id}, perhaps with former: receipts of "
                    "lives that are lost; one that is not is refused alone",
    )


class FactsTell(_Tell):
    results: list[Taken | Refused]
    witness: str = Field(description=WITNESS)


class ReceiptsAsk(_Ask):
    facts: list[Annotated[str, Field(max_length=200)]] = Field(min_length=1, max_length=500)


class ReceiptsTell(_Tell):
    results: list[Sealed | Unknown]


class ChangeItem(_Tell):
    seq: int
    kind: str
    id: str
    doc: dict[str, Any] | None = Field(description="null: it is gone")


class Cursor(_Tell):
    epoch: str
    scope: str
    seq: int


class Changes(_Tell):
    epoch: str
    scope: str
    items: list[ChangeItem]
    next: Cursor
    more: bool
    restart: bool
    counted: int = Field(description="the highest place in this tablet's count that the server holds; 0: none")
    witness: str = Field(description=WITNESS)


class ProblemTell(_Tell):
    """Every failure (application/problem+json)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    where: str
    advice: str
