"""What a tablet says, byte for byte, in one golden file: tablets in the field and servers must go on understanding it.

After a wanted change, run once with SILTWATCH_WRITE_GOLDEN=1, look at the difference, commit it.
"""

import os
from pathlib import Path

from sync.client.calls import Target
from sync.client.enrolment import SignIn, enrol_request, recode_request, sign_in_request
from sync.client.link import LinkStatus
from sync.client.policy import Policy
from sync.client.shelf import OutboxView
from sync.client.standing import Standing
from tests.support.sync_sim import AT, KEY, Desk, Sim, queue, small_fact

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "protocol-requests.txt"


def as_sent(request):
    """The request as HTTP shows it, host and length left out; a file is named, not shown."""
    lines = [f"{request.method} {request.path}"]
    headers = Target("http://x", "the-device-token").headers(request)
    lines += [f"{name}: {value}" for name, value in sorted(headers.items())]
    body = f"<the bytes of {request.evidence}>" if request.evidence else (request.body or b"").decode()
    return "\n".join([f"## {request.purpose}", *lines, "", body]).rstrip() + "\n"


def messages():
    """Every kind of message, as one small exchange makes them."""
    desk = Desk(answer_for={f"{2:032x}": ("waiting", "need-missing")})
    desk.feed = [{"seq": 1, "kind": "site", "id": "s1",
                  "doc": {"id": "s1", "name": "Lot", "address": "1 Mill St", "parcel": "1"}}]  # fmt: skip
    sim = Sim(desk, policy=Policy(lease_low=10))
    queue(sim.port, small_fact(1, files=(b"a photo",), body={"note": "Schlamm, 40 ft, \"außen\" \\ ñ"}), b"a photo")
    queue(sim.port, small_fact(2))
    sim.run(16_000)
    found = {}
    for _, request in sim.requests:
        found.setdefault((request.purpose, request.purpose == "pull" and request.note.seq), request)
    return [as_sent(enrol_request("K7QX-93PD", "ab" * 32)), as_sent(sign_in_request("4821-7730")),
            *(as_sent(request) for request in found.values()), as_sent(renewal()),
            as_sent(recode_request("cd" * 32, [SignIn("ada", "c1", "01" * 32)]))]  # fmt: skip


def renewal():
    """An old token is renewed at the time that the server told two seconds ago."""
    standing, view = Standing(KEY, 20_000), OutboxView(code="T07", token="the-device-token")
    standing.old(view, 0, 0)
    return standing.renewal(view, LinkStatus(True, "", "", None, 0, AT, 1_000), 3_000)


def test_what_a_tablet_says_has_not_changed():
    text = "\n".join(messages())
    if os.environ.get("SILTWATCH_WRITE_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_what_may_meet_a_stranger_carries_no_token():
    for message in messages():
        may_meet = message.startswith(("## hello", "## enrol"))
        assert may_meet != ("Authorization: Bearer the-device-token" in message), message


def test_every_kind_of_message_is_in_the_file():
    text = GOLDEN.read_text("utf-8")
    for purpose in ("enrol", "signin", "hello", "push", "receipts", "pull", "lease", "put", "renew", "recode"):
        assert f"## {purpose}\n" in text
