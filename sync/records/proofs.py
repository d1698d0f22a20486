"""What a tablet shows to be given something new without a person's help: a fresh token, or a code of its own.

Both are HMACs under a key that only this tablet and the city hold; neither key ever travels for it.
"""

import hmac

from sync.records.macs import derive, sign
from sync.records.wire import encode


def renewal_proof(receipt_key: bytes, token: str, at: str) -> str:
    """For the renewal of the device token ``token``; ``at``: the server's time as it was just told (ISO)."""
    return sign(derive(receipt_key, "renew"), encode([token, at]))


def recode_proof(credential_key: bytes, secret: str) -> str:
    """That this tablet holds the credential, for a new one under the code that it asks for with ``secret``."""
    return sign(credential_key, encode(["recode", secret]))


def recovery_proof(receipt_key: bytes) -> str:
    """That a locked tablet, which has nothing else at hand, is the one it says; good for a forgotten PIN alone."""
    return sign(derive(receipt_key, "recovery"), b"ask")


def fits(expected: str, given: str) -> bool:
    """Whether two proofs are the same; takes the same time whatever differs."""
    return given.isascii() and hmac.compare_digest(expected, given)
