"""Receipts: the only thing that turns an item green, signed under a key that only this tablet and the server hold.

A reply without a receipt that opens under our key is not an answer, whatever its status says.
"""

from dataclasses import dataclass
from typing import Any

from sync.records.macs import is_fingerprint, sign, verify
from sync.records.problems import Problem
from sync.records.wire import decode, encode

ANSWERS = ("applied", "waiting", "quarantined")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the server says of one fact.

    ``sha256`` is that of the fact's exact bytes; ``evidence`` says for every file that the fact names whether the
    server holds it; ``at`` is server time (ISO); ``register`` the register number of an order, once there is one.
    """

    fact: str
    sha256: str
    answer: str
    reason: str | None
    evidence: dict[str, bool]
    epoch: str
    at: str
    register: str | None = None

    @property
    def whole(self) -> bool:
        """Applied, and every evidence file is held: nothing of it is on the tablet alone."""
        return self.answer == "applied" and all(self.evidence.values())

    def to_wire(self) -> dict[str, Any]:
        return {
            "receipt": "fact",
            "fact": self.fact,
            "sha256": self.sha256,
            "answer": self.answer,
            "reason": self.reason,
            "evidence": self.evidence,
            "epoch": self.epoch,
            "at": self.at,
            "register": self.register,
        }


@dataclass(frozen=True, slots=True)
class EvidenceReceipt:
    """The server holds the file with this SHA-256 and ``size`` in bytes, safely on its disk."""

    sha256: str
    size: int
    epoch: str
    at: str

    def to_wire(self) -> dict[str, Any]:
        return {"receipt": "evidence", "sha256": self.sha256, "size": self.size, "epoch": self.epoch, "at": self.at}


def seal(receipt: Receipt | EvidenceReceipt, key: bytes) -> dict[str, str]:
    """The receipt as it travels: its exact text and the HMAC of that text."""
    data = encode(receipt.to_wire())
    return {"text": data.decode(), "mac": sign(key, data)}


def _open(sealed: Any, key: bytes, kind: str) -> dict[str, Any]:
    if not (isinstance(sealed, dict) and isinstance(sealed.get("text"), str) and isinstance(sealed.get("mac"), str)):
        raise Problem("receipt-forged", "there is no receipt in the answer")
    try:
        data = sealed["text"].encode()
    except UnicodeEncodeError as err:
        raise Problem("receipt-forged", "the receipt is not text") from err
    if not verify(key, data, sealed["mac"]):
        raise Problem("receipt-forged", "the receipt was not made with this tablet's key")
    try:
        raw = decode(data)
    except Problem as err:
        raise Problem("receipt-forged", err.detail) from err
    if not isinstance(raw, dict) or raw.get("receipt") != kind:
        raise Problem("receipt-forged", f"this is not a receipt for {kind}")
    return raw


def open_receipt(sealed: Any, key: bytes) -> Receipt:
    """The receipt for a fact. Raises Problem "receipt-forged" when it is not one made under ``key``."""
    raw = _open(sealed, key, "fact")
    evidence = raw.get("evidence")
    if raw.get("answer") not in ANSWERS or not isinstance(evidence, dict) or not is_fingerprint(raw.get("sha256")):
        raise Problem("receipt-forged", "the receipt is not complete")
    if not all(isinstance(held, bool) for held in evidence.values()):
        raise Problem("receipt-forged", "the receipt does not say which files are held")
    return Receipt(
        fact=str(raw.get("fact")),
        sha256=raw["sha256"],
        answer=raw["answer"],
        reason=raw.get("reason"),
        evidence=evidence,
        epoch=str(raw.get("epoch")),
        at=str(raw.get("at")),
        register=raw.get("register"),
    )


def open_evidence_receipt(sealed: Any, key: bytes) -> EvidenceReceipt:
    """The receipt for a file. Raises Problem "receipt-forged" when it is not one made under ``key``."""
    raw = _open(sealed, key, "evidence")
    if not is_fingerprint(raw.get("sha256")) or not isinstance(raw.get("size"), int):
        raise Problem("receipt-forged", "the receipt is not complete")
    return EvidenceReceipt(raw["sha256"], raw["size"], str(raw.get("epoch")), str(raw.get("at")))
