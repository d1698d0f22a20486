"""Large files on simulated time: in chunks, after each cut on from where the server is, green by receipt alone."""

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.client.calls import CUT, LOCAL, TIMEOUT, Reply
from sync.client.policy import Policy
from sync.client.rows import PARKED, RECEIVED, SAFE
from sync.records.macs import fingerprint
from sync.records.protocol import HEADER_RECEIPT, UPLOADS
from sync.records.receipts import EvidenceReceipt, seal
from sync.records.wire import encode
from tests.support.sync_sim import AT, KEY, Desk, Sim, done, queue, small_fact

LARGE = random.Random(1).randbytes(5_000_000)
SHA = fingerprint(LARGE)


class TusDesk(Desk):
    """The desk of `sync_sim` that takes files in parts too, as the real server does; keeps what it was sent."""

    def __init__(self, port=None, **more):
        super().__init__(**more)
        self.port, self.parts, self.sent = port, {}, []

    def body(self, request):
        first, size = request.part
        return done(self.port.evidence_body(request.evidence))[first : first + size]

    def told(self, status, sha, **more):
        answer = self.reply({}, status)
        headers = {**answer.headers, "upload-offset": str(len(self.parts.get(sha, b""))), **more}
        if sha in self.files:
            sealed = seal(EvidenceReceipt(sha, self.files[sha], self.epoch, AT), KEY)
            headers |= {"upload-offset": str(self.files[sha]),
                        HEADER_RECEIPT.lower(): base64.b64encode(encode(sealed)).decode()}
        return Reply(status, headers)

    def _open(self, request):
        sha = request.ids[0]
        self.parts.setdefault(sha, b"")
        return self.told(201, sha, location=f"https://example.org{UPLOADS}/T07/{sha}")

    def _patch(self, request, taken=None):
        sha = request.ids[0]
        assert request.path == f"{UPLOADS}/T07/{sha}", "the path alone is taken from Location"
        if sha not in self.parts:
            return self.problem(404, "upload-unknown")
        if int(request.headers["Upload-Offset"]) != len(self.parts[sha]):
            return self.problem(409, "upload-offset")
        data = self.body(request)[:taken]
        self.sent.append(len(data))
        self.parts[sha] += data
        if len(self.parts[sha]) == len(LARGE) and fingerprint(self.parts[sha]) == sha:
            self.files[sha] = len(self.parts.pop(sha))
        return self.told(204, sha)


def world(server=None, **more):
    desk = TusDesk()
    sim = Sim(server(desk) if server else desk, **more)
    desk.port = sim.port
    queue(sim.port, small_fact(1, files=(LARGE,)), LARGE)
    return desk, sim


def test_a_large_file_goes_in_chunks_and_is_green_by_its_receipt():
    desk, sim = world()
    sim.run(600_000)
    assert sim.states() == {1: SAFE} and desk.files == {SHA: len(LARGE)}
    assert sum(desk.sent) == len(LARGE) and len(desk.sent) > 1
    assert "put" not in sim.purposes() and sim.purposes().count("open") == 1


def test_what_fits_one_chunk_goes_in_one_put():
    desk = TusDesk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1, files=(LARGE[:900_000],)), LARGE[:900_000])
    sim.run(1_000)
    assert sim.states() == {1: SAFE} and "open" not in sim.purposes()


def test_after_a_cut_the_server_is_asked_and_no_more_than_a_chunk_goes_twice():
    cuts = iter([300_000, 0, 64_000])

    def cutting(desk):
        def server(request, now):
            if request.purpose != "patch" or (at := next(cuts, None)) is None:
                return desk(request, now)
            desk._patch(request, taken=at)
            return Reply(failure=CUT)
        return server

    desk, sim = world(cutting)
    sim.run(600_000)
    assert sim.states() == {1: SAFE}
    assert sum(desk.sent) == len(LARGE), "what the server kept of a cut part never goes again"
    assert sim.purposes().count("open") == 4
    assert not any(row.tries for row in sim.port.view().files), "the network's fault counts against nothing"


def test_on_a_bad_link_chunks_get_small_and_even_a_photo_goes_in_parts():
    fails = iter(range(4))

    def breaking(desk):
        def server(request, now):
            if request.purpose in ("put", "patch") and next(fails, None) is not None:
                return Reply(failure=TIMEOUT)
            return desk(request, now)
        return server

    desk = TusDesk()
    sim = Sim(breaking(desk))
    desk.port = sim.port
    photo = LARGE[:300_000]
    desk._patch = lambda request: photo_patch(desk, request, photo)
    queue(sim.port, small_fact(1, files=(photo,)), photo)
    sim.run(900_000)
    assert sim.states() == {1: SAFE}
    assert sim.purposes().count("put") == 2 and "patch" in sim.purposes()
    sizes = [request.part[1] for _, request in sim.requests if request.part]
    assert min(sizes) <= 128 * 1024


def photo_patch(desk, request, photo):
    sha = fingerprint(photo)
    desk.parts[sha] += desk.body(request)
    if len(desk.parts[sha]) == len(photo):
        desk.files[sha] = len(photo)
    return desk.told(204, sha)


def test_the_answer_to_the_last_byte_may_be_lost():
    lost = []

    def losing(desk):
        def server(request, now):
            reply = desk(request, now)
            if request.purpose == "patch" and HEADER_RECEIPT.lower() in reply.headers and not lost:
                lost.append(now)
                return Reply(failure=CUT)
            return reply
        return server

    desk, sim = world(losing)
    sim.run(600_000)
    assert lost and sim.states() == {1: SAFE} and sum(desk.sent) == len(LARGE)


def test_an_upload_that_the_server_forgot_begins_anew():
    forgotten = []

    def forgetting(desk):
        def server(request, now):
            if request.purpose == "patch" and len(desk.sent) == 2 and not forgotten:
                forgotten.append(desk.parts.clear())
            return desk(request, now)
        return server

    _, sim = world(forgetting)
    sim.run(600_000)
    assert forgotten and sim.states() == {1: SAFE}


@pytest.mark.parametrize("answer", [
    lambda desk, sha: Reply(204, {"upload-offset": "1000000"}),                          # no mark of ours
    lambda desk, sha: desk.told(204, sha, **{"upload-offset": "99999999"}),              # beyond the end
    lambda desk, sha: desk.told(204, sha, **{"upload-offset": str(len(LARGE))}),         # all, and no receipt
    lambda desk, sha: desk.told(204, sha, **{"upload-offset": "0"}),                     # no step forward
    lambda desk, sha: desk.told(204, sha, **{"upload-offset": "-5"}),
    lambda desk, sha: desk.reply({}, 204),
    lambda desk, sha: Reply(200, {"content-type": "text/html"}, b"<html>log in</html>")])
def test_no_answer_but_a_receipt_makes_a_file_held(answer):
    def lying(desk):
        def server(request, now):
            return answer(desk, request.ids[0]) if request.purpose == "patch" else desk(request, now)
        return server

    desk, sim = world(lying)
    sim.run(100_000)
    assert sim.states() == {1: RECEIVED} and not sim.port.view().files[0].held
    assert desk.files == {} and sim.port.view().files[0].park is None


def test_a_receipt_under_another_key_is_no_receipt():
    def forging(desk):
        def server(request, now):
            if request.purpose != "patch":
                return desk(request, now)
            sealed = seal(EvidenceReceipt(SHA, len(LARGE), "e1", AT), b"x" * 32)
            return desk.told(204, SHA, **{HEADER_RECEIPT.lower(): base64.b64encode(encode(sealed)).decode()})
        return server

    _, sim = world(forging)
    sim.run(100_000)
    assert sim.states() == {1: RECEIVED}


def test_the_address_of_an_upload_cannot_lead_elsewhere():
    def leading(desk):
        def server(request, now):
            if request.purpose == "open":
                return desk.told(201, SHA, location="https://elsewhere.example/take")
            return desk(request, now)
        return server

    _, sim = world(leading)
    sim.run(100_000)
    assert "patch" not in sim.purposes() and sim.states() == {1: RECEIVED}


def test_too_large_is_set_aside_with_its_reason_and_the_rest_goes_on():
    def small(desk):
        def server(request, now):
            return desk.problem(413, "evidence-too-large") if request.purpose == "open" else desk(request, now)
        return server

    _, sim = world(small)
    queue(sim.port, small_fact(2, files=(b"small",)), b"small")
    sim.run(3_600_000)
    (large,) = [row for row in sim.port.view().files if row.sha256 == SHA]
    assert large.state == PARKED and large.park.code == "too-large" and not large.park.held
    assert sim.purposes().count("open") == 1, "it is not tried again for ever"
    assert done(sim.port.evidence_body(SHA)) == LARGE, "the original stays"
    assert sim.states() == {1: RECEIVED, 2: SAFE}


def test_a_server_that_takes_whole_files_only_gets_them_whole():
    def old(desk):
        def server(request, now):
            return desk.problem(404, "not-found") if request.purpose == "open" else desk(request, now)
        return server

    _, sim = world(old)
    sim.run(10_000)
    assert sim.states() == {1: SAFE} and sim.purposes().count("open") == 1


@pytest.mark.parametrize("failing", ["hash", "local"])
def test_a_wrong_size_in_the_record_is_not_the_files_fault(failing):
    def server_of(desk):
        def server(request, now):
            if request.purpose != "patch":
                return desk(request, now)
            return desk.problem(422, "evidence-hash-mismatch") if failing == "hash" else Reply(failure=LOCAL)
        return server

    _, sim = world(server_of)
    sim.run(100_000)
    assert sim.states() == {1: SAFE} and "put" in sim.purposes()


def test_a_server_that_is_always_elsewhere_sets_the_file_aside_in_the_end():
    def elsewhere(desk):
        def server(request, now):
            return desk.problem(409, "upload-offset") if request.purpose == "patch" else desk(request, now)
        return server

    _, sim = world(elsewhere)
    sim.run(3_600_000)
    (row,) = sim.port.view().files
    assert row.state == PARKED and row.park.code == "upload-offset"
    assert sim.purposes().count("patch") < 40


@settings(max_examples=60, deadline=None, derandomize=True)
@given(fates=st.lists(st.sampled_from(["cut", "timeout", "lost", "busy", "epoch", "fine"]), max_size=25),
       seed=st.integers(0, 99))
def test_whatever_the_network_does_the_file_arrives_once_and_whole(fates, seed):
    chance, plan = random.Random(seed), iter(fates)

    def faulty(desk):
        def server(request, now):
            if request.purpose not in ("open", "patch"):
                return desk(request, now)
            fate = next(plan, "fine")
            if fate == "busy":
                return desk.problem(503, "server-busy")
            if fate == "cut" and request.purpose == "patch":
                desk._patch(request, taken=chance.randrange(request.part[1]))
                return Reply(failure=CUT)
            if fate == "timeout":
                return Reply(failure=TIMEOUT)
            if fate == "epoch":
                desk.epoch += "x"
                desk.parts.clear()
            reply = desk(request, now)
            return Reply(failure=CUT) if fate == "lost" else reply
        return server

    desk, sim = world(faulty, policy=Policy(lease_low=0, chunk_first=2_000_000))
    sim.run(7_200_000)
    assert sim.states() == {1: SAFE} and desk.files == {SHA: len(LARGE)}
