"""Whatever an answer says, no step of the engine fails, nothing is green that the server has not, and once the answers
are honest again everything arrives: no lie is remembered that would be in the way for good."""

import base64
import random

import pytest

from sync.client.calls import Reply
from sync.client.outbox import send_again
from sync.client.policy import Policy
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL, HEADER_RECEIPT
from sync.records.receipts import EvidenceReceipt, seal
from sync.records.wire import decode, encode
from tests.support.sync_sim import AT, KEY, Desk, Sim, done, queue, small_fact

POLICY = Policy(lease_low=50, chunk_first=65_536, chunk_least=65_536)
LIES = [None, True, False, 0, -1, 10**30, 2**53, 2**53 + 1, "", "x" * 3_000, [], {}, [None], "\0", "²", "e0",
        "9999-12-31T23:59:59+00:00", "2026-08-27T19:03:22", "a" * 64]
CODES = ["upload-unknown", "upload-offset", "upload-too-many", "token-expired", "token-unknown", "evidence-unknown",
         "evidence-hash-mismatch", "protocol-too-new", "body-malformed", "server-full", 1, None]
STATUS = [0, 200, 201, 204, 206, 299, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 507, 511, 999]


class WholeDesk(Desk):
    """Takes files in parts as well, and refuses what the real server refuses in a question."""

    def __init__(self):
        super().__init__(feed=[{"seq": n, "kind": "site", "id": f"s{n}", "doc": None} for n in range(1, 6)])
        self.parts = {}

    def reply(self, data, status=200):
        told = {"witness": f"7.{self.epoch}..abc"} if {"results", "items", "numbers"} & data.keys() else {}
        return super().reply({**data, **told}, status)

    def _open(self, request):
        said = dict(pair.split(" ") for pair in request.headers["Upload-Metadata"].split(","))
        sha = base64.b64decode(said["sha256"]).decode()
        self.parts.setdefault(sha, [0, int(request.headers["Upload-Length"])])
        return self._far(sha, 201)

    def _patch(self, request):
        sha = request.path.rsplit("/", 1)[1]
        if sha not in self.parts or int(request.headers["Upload-Offset"]) != self.parts[sha][0]:
            return self.problem(409, "upload-offset")
        self.parts[sha][0] += request.part[1]
        return self._far(sha, 204)

    def _far(self, sha, status):
        offset, size = self.parts[sha]
        headers = {HEADER_PROTOCOL.lower(): "1", HEADER_EPOCH.lower(): self.epoch, "upload-offset": str(offset),
                   "location": f"https://x/api/v1/uploads/T07/{sha}"}
        if offset == size:
            self.files[sha] = 1
            sealed = seal(EvidenceReceipt(sha, size, self.epoch, AT), KEY)
            headers[HEADER_RECEIPT.lower()] = base64.b64encode(encode(sealed)).decode()
        return Reply(status, headers)

    def _renew(self, _):
        return self.reply({"device_token": "another"})

    def _pull(self, request):
        asked = request.note
        if asked.seq > 2**53 or max(len(asked.epoch), len(asked.scope)) > 64:
            return self.problem(422, "body-malformed")
        if asked.seq > len(self.feed):
            self.scope += "+"  # the real one restarts a cursor that is ahead of it
        return super()._pull(request)

    def _lease(self, request):
        after = decode(request.body)["after"]
        return super()._lease(request) if 0 <= after < 10**6 else self.problem(422, "body-malformed")


def places(value, at=()):
    yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from places(inner, (*at, key))


def twisted(source, reply):
    """The answer with one thing in it that is not so."""
    kind = source.random()
    if kind < 0.15:
        name = source.choice([*reply.headers, "retry-after", "content-type"])
        headers = {**reply.headers, name: source.choice(["", "²", "-1", "text/html", "\0"])}
        return Reply(reply.status, headers, reply.body)
    if kind < 0.25:
        return Reply(source.choice(STATUS), reply.headers, reply.body)
    if kind < 0.32:
        return Reply(reply.status, reply.headers, reply.body[: source.randrange(len(reply.body) + 1)])
    if kind < 0.36:
        return Reply(failure=source.choice(["offline", "timeout", "cut", "insecure", "redirect", "strange"]))
    if kind < 0.45:
        said = {"code": source.choice(CODES), "detail": source.choice(["", 1, None])}
        return Reply(source.choice([400, 401, 403, 404, 409, 422, 500, 503]), reply.headers, encode(said))
    data = decode(reply.body) if reply.body else {}
    at = source.choice(list(places(data)))
    if not at:
        return Reply(reply.status, reply.headers, encode(source.choice(LIES)))
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = source.choice(LIES)
    return Reply(reply.status, reply.headers, encode(data))


def tablet(server, seed=0):
    sim = Sim(server, policy=POLICY, jitter=0.3)
    secrets = sim.port._tables["secrets"]
    secrets["tablet"] = {"device_token": "first", "tablet_code": "T07", "limits": {}}
    source = random.Random(seed)
    for number, size in enumerate((100, 70_000, 200_000, 90_000), start=1):
        data = source.randbytes(size)
        queue(sim.port, small_fact(number, files=(data,)), data)
    return sim


def settles(sim, desk):
    """With honest answers and a person who sends again what was set aside, all is well within the hour."""
    view = sim.port.view()
    aside = [row.id for row in view.facts if row.park] + [row.sha256 for row in view.files if row.park]
    done(send_again(sim.port, aside))
    sim.engine.forget(aside)
    sim.wake("person")
    sim.run(sim.now + 3_600_000)
    view = sim.port.view()
    assert set(sim.states().values()) == {"safe"} and sim.engine.status().up, sim.engine.status()
    assert (view.cursor.seq, view.cursor.epoch) == (len(desk.feed), desk.epoch) and view.lease_free >= 50


@pytest.mark.parametrize("seeds", [range(0, 20), range(20, 40), range(40, 60)], ids=["rare", "often", "mostly"])
def test_no_lie_breaks_the_engine_and_none_is_in_the_way_for_good(seeds):
    for seed in seeds:
        source, desk = random.Random(seed), WholeDesk()
        sim = tablet(liar(source, desk, (0.1, 0.3, 0.7)[seed // 20]), seed)
        for _stretch in range(30):
            sim.run(sim.now + source.choice([100, 1_000, 8_000, 30_000]))
            if source.random() < 0.1:
                sim.wake(source.choice(["network", "visible", "person"]))
            for row in sim.port.view().facts:
                assert not row.whole or (row.id in desk.facts and desk.files.keys() >= set(row.evidence))
        sim.server = desk
        settles(sim, desk)


def liar(source, desk, share):
    """The desk, of whose answers this share is changed on the way."""

    def server(request, now):
        reply = desk(request, now)
        if source.random() < share:
            return twisted(source, reply), source.choice([0, 5, 500, 3_000])
        return reply, 1

    return server


def once(purpose, lie):
    """A desk whose first answer to that call is changed by ``lie``."""
    desk, told = WholeDesk(), []

    def server(request, now):
        reply = desk(request, now)
        if request.purpose == purpose and not told:
            told.append(1)
            return lie(reply)
        return reply

    return desk, tablet(server)


def changed(**fields):
    return lambda reply: Reply(reply.status, reply.headers, encode({**decode(reply.body), **fields}))


@pytest.mark.parametrize("time", ["", "soon", "9999-12-31T23:59:59+00:00", 7])
def test_a_time_that_is_none_does_not_keep_an_old_token_from_being_renewed(time):
    desk, sim = once("hello", changed(time=time))
    expired = []
    answer = sim.server
    sim.server = lambda request, now: (desk.problem(401, "token-expired") if request.purpose == "push" and not expired
                                       and not expired.append(1) else answer(request, now))
    sim.run(1_000_000)
    settles(sim, desk)


@pytest.mark.parametrize("place", [{"seq": 10**30}, {"seq": -1}, {"epoch": "x" * 65}, {"scope": "x" * 65}])
def test_a_place_in_the_sequence_that_cannot_be_is_not_remembered(place):
    def lie(reply):
        data = decode(reply.body)
        return changed(next={**data["next"], **place}, restart=True)(reply)

    desk, sim = once("pull", lie)
    sim.run(100_000)
    assert sim.port.view().cursor.seq == len(desk.feed)
    settles(sim, desk)


def test_a_place_that_our_server_does_not_understand_is_given_up():
    desk, sim = once("pull", lambda _reply: desk.problem(422, "body-malformed"))
    sim.run(100_000)
    settles(sim, desk)
    assert sim.port.view().cursor.seq == len(desk.feed)


def test_a_count_that_no_tablet_reaches_is_no_lease():
    desk, sim = once("lease", lambda reply: changed(
        numbers=[{"number": "SW-x", "counter": 10**30, "token": "t"}])(reply))
    sim.run(1_000_000)
    assert sim.port.view().lease_highest <= 100
    settles(sim, desk)


def test_where_too_much_lies_begun_a_file_goes_whole():
    desk = WholeDesk()
    desk._open = lambda _request: desk.problem(409, "upload-too-many")
    sim = tablet(desk)
    sim.run(1_000_000)
    assert set(sim.states().values()) == {"safe"} and not any(row.tries for row in sim.port.view().files)
