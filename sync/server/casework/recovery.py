"""A person forgot the PIN of a tablet: the office opens the person's key for that tablet again.

The city has a key pair for this. Its private half lies in the database sealed under a passphrase of 150 bits that is
shown once and kept on paper: neither a copy of the data folder nor a backup opens anything. It is open for the moment
in which an administrator answers, in this process, and the answer is a box for the one tablet that asked. So whoever
has taken over the running server could catch it then; that is the limit of this.

A tablet that asks is locked and has no device token; it proves itself with a fingerprint under its receipt key, good
for asking alone. The administrator is to compare a spoken code with the person: it covers what was asked, and by whom.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)
from sqlalchemy import func, select, update

from sync.records import boxes
from sync.records.problems import Problem
from sync.records.proofs import fits, recovery_proof
from sync.records.recovery import (
    ANSWER,
    ANSWER_FILE,
    QUESTION,
    QUESTION_FILE,
    USER_KEY,
    ask_id,
    read_file,
    spoken_code,
    user_key_label,
    write_file,
)
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.enrolment import receipt_key
from sync.server.casework.feed import publish
from sync.server.casework.people import ADMINISTER, KEEPER, needs_reasons, person_row, require
from sync.server.db.engine import Tx, add, find, find_all
from sync.server.db.recovery import recovery_asks, recovery_keys
from sync.server.db.schema import audit, tablets

WAITING, ANSWERED, DECLINED, REPLACED = "waiting", "answered", "declined", "replaced"
MOST_WAITING = 20
"""So many questions of one tablet may wait at a time."""
FREE_TRIES, FIRST_WAIT_S, LONGEST_WAIT_S = 3, 10, 600
"""After so many wrong passphrases in a row the next one is taken only after a wait, which doubles each time."""
OPENED, WRONG = "recovery_answered", "recovery_passphrase_wrong"
_COST = 2**15
_GROUPS, _LETTERS = 6, 5
_NONCE = 12


@dataclass(frozen=True, slots=True)
class Ask:
    """A question for a forgotten PIN, as the office sees it. ``code``: to compare with the person; ``former_key``: when
    the pair was made whose passphrase opens it, if that pair is not the one in use any more."""

    id: str
    tablet: str
    person: str
    name: str
    code: str
    state: str
    asked_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    former_key: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyState:
    """The key pair in use; ``id`` None: there is none yet."""

    id: str | None
    made_at: datetime | None
    made_by: str


# --- the city's key pair ------------------------------------------------------------------------------------------
def make_recovery_key(city: City, actor: str = KEEPER) -> str:
    """Makes the city's pair, or another one in place of it; gives the passphrase, which is nowhere else afterwards.

    Needs the power to administer. Tablets are told of the public half, and wrap keys for it as people unlock them.
    """
    private = ec.generate_private_key(ec.SECP256R1())
    public = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    pkcs8 = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    letters = [boxes.LETTERS[byte % 32] for byte in city.random_bytes(_GROUPS * _LETTERS)]
    passphrase = "-".join("".join(letters[at : at + _LETTERS]) for at in range(0, len(letters), _LETTERS))
    ident, salt, nonce = boxes.key_id(public), city.random_bytes(16), city.random_bytes(_NONCE)
    sealed = nonce + AESGCM(_stretched(passphrase, salt, _COST)).encrypt(nonce, pkcs8, ident.encode())
    kept = json.dumps({"salt": salt.hex(), "cost": _COST, "sealed": base64.b64encode(sealed).decode()})

    def work(tx: Tx) -> None:
        if actor != KEEPER:
            require(tx, city, actor, ADMINISTER, city.today())
        tx.execute(update(recovery_keys).where(
            recovery_keys.c.city_id == city.id, recovery_keys.c.replaced_at.is_(None)).values(replaced_at=city.now()))
        add(tx, recovery_keys, {"city_id": city.id, "id": ident, "public": public.hex(), "sealed": kept,
                                "made_by": actor, "made_at": city.now(), "replaced_at": None})
        publish(tx, city, "recovery_key", "city", {"id": "city", "public": public.hex()})
        record(tx, city, actor, "recovery_key_made", "city", key=ident)

    city.db.write(work)
    return passphrase


def _stretched(passphrase: str, salt: bytes, cost: int) -> bytes:
    plain = "".join(passphrase.upper().replace("-", " ").split()).encode()
    return hashlib.scrypt(plain, salt=salt, n=cost, r=8, p=1, maxmem=128 * 1024 * 1024, dklen=32)


def key_state(city: City) -> KeyState:
    """The pair in use."""
    with city.db.read() as tx:
        row = _in_use(tx, city)
    return KeyState(row.id, row.made_at, row.made_by) if row else KeyState(None, None, "")


def public_key(city: City) -> str | None:
    """The public half in use, in hex, for a tablet that enrols."""
    with city.db.read() as tx:
        row = _in_use(tx, city)
    return row.public if row else None


def _in_use(tx: Tx, city: City) -> Any:
    return tx.execute(select(recovery_keys).where(
        recovery_keys.c.city_id == city.id, recovery_keys.c.replaced_at.is_(None))).first()


# --- what tablets ask ---------------------------------------------------------------------------------------------
def ask(city: City, tablet: str, proof: str, person: str, key_id: str, box: str, public: str) -> str:
    """Keeps the question of a locked tablet; gives its id. The same one again is the same; another of this person there
    takes the place of the one before.

    Raises Problem "token-unknown", "tablet-revoked", "person-unknown", "recovery-unknown" (a key pair that the city
    never had), "recovery-malformed", "server-busy" (too many wait).
    """
    _checked(box, public)
    ident = ask_id(tablet, person, public)

    def work(tx: Tx) -> None:
        row = _tablet(tx, city, tablet, proof)
        if row.status != "active":
            raise Problem("tablet-revoked")
        if person_row(tx, city, person) is None:
            raise Problem("person-unknown", where="person")
        if find(tx, recovery_keys, city_id=city.id, id=key_id) is None:
            raise Problem("recovery-unknown", where="key")
        if find(tx, recovery_asks, city_id=city.id, id=ident) is not None:
            return
        mine = (recovery_asks.c.city_id == city.id, recovery_asks.c.tablet == tablet, recovery_asks.c.state == WAITING)
        tx.execute(update(recovery_asks).where(*mine, recovery_asks.c.person == person).values(state=REPLACED))
        if tx.execute(select(func.count()).select_from(recovery_asks).where(*mine)).scalar_one() >= MOST_WAITING:
            raise Problem("server-busy", "too many questions of this tablet wait")
        add(tx, recovery_asks, {
            "city_id": city.id, "id": ident, "tablet": tablet, "tablet_code": row.code, "person": person,
            "key_id": key_id, "box": box, "public": public, "state": WAITING, "asked_at": city.now(),
            "decided_at": None, "decided_by": None, "reasons": None, "answer": None,
        })
        record(tx, city, person, "recovery_asked", f"tablet:{row.code}", person=person)

    city.db.write(work)
    return ident


def look(city: City, tablet: str, proof: str, ident: str) -> tuple[str, str | None]:
    """The state of a question, and the answer's box where there is one. Raises Problem "token-unknown",
    "recovery-unknown"."""
    with city.db.read() as tx:
        _tablet(tx, city, tablet, proof)
        row = find(tx, recovery_asks, city_id=city.id, id=ident)
    if row is None or row.tablet != tablet:
        raise Problem("recovery-unknown", where="id")
    return row.state, row.answer


def take_question(city: City, data: bytes) -> str:
    """The same from the file that a tablet without a network saved. Problem "recovery-file" and what `ask` raises."""
    said = read_file(QUESTION_FILE, QUESTION, data)
    return ask(city, said["tablet"], said["proof"], said["person"], said["key"], said["box"], said["public"])


def answer_file(city: City, ident: str) -> tuple[str, bytes]:
    """The tablet's code and the answer as a file: sealed to the PIN that the person chose, it opens nothing without it.
    Raises Problem "recovery-unknown" where there is none yet."""
    with city.db.read() as tx:
        row = find(tx, recovery_asks, city_id=city.id, id=ident)
    if row is None or row.state not in (ANSWERED, DECLINED):
        raise Problem("recovery-unknown", where="id")
    return row.tablet_code, write_file(ANSWER_FILE, {"id": row.id, "state": row.state, "box": row.answer or ""})


def _tablet(tx: Tx, city: City, tablet: str, proof: str) -> Any:
    row = find(tx, tablets, city_id=city.id, id=tablet)
    if row is None or not fits(recovery_proof(receipt_key(city, tablet)), proof):
        raise Problem("token-unknown", where="proof")
    return row


def _checked(box: str, public: str) -> None:
    """Raises Problem "recovery-malformed"."""
    try:
        boxes.unpack(base64.b64decode(box, validate=True))
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(public))
    except (ValueError, binascii.Error):
        raise Problem("recovery-malformed", where="box, public") from None


# --- what the office answers --------------------------------------------------------------------------------------
def asks(city: City, limit: int = 50) -> list[Ask]:
    """The questions, those that wait first, then the newest."""
    with city.db.read() as tx:
        rows = tx.execute(select(recovery_asks).where(recovery_asks.c.city_id == city.id).order_by(
            (recovery_asks.c.state != WAITING), recovery_asks.c.asked_at.desc()).limit(limit)).all()
        names = {row.person: getattr(person_row(tx, city, row.person), "name", row.person) for row in rows}
        former = {key.id: key.made_at for key in find_all(tx, recovery_keys, city_id=city.id) if key.replaced_at}
    return [Ask(row.id, row.tablet_code, row.person, names[row.person],
                spoken_code(row.tablet, row.person, row.box, row.public), row.state, row.asked_at, row.decided_at,
                row.decided_by, former.get(row.key_id)) for row in rows]


def wait_s(tx: Tx, city: City) -> int:
    """How many seconds no passphrase is tried any more, because the last ones were wrong; 0: it may be tried."""
    times = []
    for row in tx.execute(select(audit.c.what, audit.c.at).where(
            audit.c.city_id == city.id, audit.c.what.in_((OPENED, WRONG))).order_by(audit.c.seq.desc()).limit(20)):
        if row.what == OPENED:
            break
        times.append(datetime.fromisoformat(row.at))
    if len(times) < FREE_TRIES:
        return 0
    wait = timedelta(seconds=min(FIRST_WAIT_S * 2 ** (len(times) - FREE_TRIES), LONGEST_WAIT_S))
    return max(0, -((city.now() - times[0] - wait) // timedelta(seconds=1)))


def wait_now(city: City) -> int:
    """The same for a page."""
    with city.db.read() as tx:
        return wait_s(tx, city)


def answer(city: City, actor: str, ident: str, passphrase: str) -> None:
    """Opens the person's key and boxes it for the tablet that asked. The spoken code must have been compared.

    Needs the power to administer. Raises Problem "recovery-unknown", "already-decided", "passphrase-wrong",
    "passphrase-wait" (nothing was tried: too many were wrong), "recovery-malformed" (the tablet's box does not open).
    """
    with city.db.read() as tx:
        require(tx, city, actor, ADMINISTER, city.today())
        row = _waiting(tx, city, ident)
        if seconds := wait_s(tx, city):
            raise Problem("passphrase-wait", f"the next one is tried in {seconds} s", where="passphrase")
        key = find(tx, recovery_keys, city_id=city.id, id=row.key_id)
    kept = json.loads(key.sealed)
    sealed = base64.b64decode(kept["sealed"])
    try:
        stretched = _stretched(passphrase, bytes.fromhex(kept["salt"]), kept["cost"])
        pkcs8 = AESGCM(stretched).decrypt(sealed[:_NONCE], sealed[_NONCE:], key.id.encode())
    except InvalidTag:
        city.db.write(lambda tx: record(tx, city, actor, WRONG, f"tablet:{row.tablet_code}",
                                        person=row.person))
        raise Problem("passphrase-wrong", where="passphrase") from None
    box, opened, named = base64.b64decode(row.box), None, True
    for label in (user_key_label(row.person), USER_KEY):  # the second: an app that did not name the person yet
        with suppress(InvalidTag):
            opened, named = _open(pkcs8, bytes.fromhex(key.public), box, label), label != USER_KEY
            break
    if opened is None:
        raise Problem("recovery-malformed", "what the tablet sent does not open as this person's", where="box")
    made = base64.b64encode(_seal(city, bytes.fromhex(row.public), opened, ANSWER)).decode()

    def work(tx: Tx) -> None:
        require(tx, city, actor, ADMINISTER, city.today())
        _waiting(tx, city, ident)
        _decide(tx, city, actor, ident, ANSWERED, answer=made)
        record(tx, city, actor, OPENED, f"tablet:{row.tablet_code}", person=row.person, named=named)

    city.db.write(work)


def decline(city: City, actor: str, ident: str, reasons: str) -> None:
    """Declines. Needs the power to administer. Raises Problem "reasons-missing", "recovery-unknown",
    "already-decided"."""
    needs_reasons(reasons)

    def work(tx: Tx) -> None:
        require(tx, city, actor, ADMINISTER, city.today())
        row = _waiting(tx, city, ident)
        _decide(tx, city, actor, ident, DECLINED, reasons=reasons.strip())
        record(tx, city, actor, "recovery_declined", f"tablet:{row.tablet_code}", person=row.person,
               reasons=reasons.strip())

    city.db.write(work)


def _waiting(tx: Tx, city: City, ident: str) -> Any:
    row = find(tx, recovery_asks, city_id=city.id, id=ident)
    if row is None:
        raise Problem("recovery-unknown", where=ident)
    if row.state != WAITING:
        raise Problem("already-decided", "this question does not wait any more")
    return row


def _decide(tx: Tx, city: City, actor: str, ident: str, state: str, **more: Any) -> None:
    tx.execute(update(recovery_asks).where(recovery_asks.c.city_id == city.id, recovery_asks.c.id == ident).values(
        state=state, decided_at=city.now(), decided_by=actor, **more))


def _open(pkcs8: bytes, public: bytes, box: bytes, label: str) -> bytes:
    ephemeral, sealed = boxes.unpack(box)
    private = load_der_private_key(pkcs8, None)
    assert isinstance(private, ec.EllipticCurvePrivateKey)
    secret = private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), ephemeral))
    cipher = AESGCM(boxes.key_of(secret, ephemeral, public, label))
    return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], label.encode())


def _seal(city: City, public: bytes, content: bytes, label: str) -> bytes:
    private = ec.generate_private_key(ec.SECP256R1())
    ephemeral = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    secret = private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public))
    nonce = city.random_bytes(_NONCE)
    sealed = AESGCM(boxes.key_of(secret, ephemeral, public, label)).encrypt(nonce, content, label.encode())
    return boxes.pack(ephemeral, nonce + sealed)
