"""An answer is ours only by its mark, whatever it says: the one guard before all those that look at its words."""

import pytest

from sync.client.calls import Reply
from sync.client.replies import judge
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL
from sync.records.wire import encode
from tests.support.sync_sim import Desk, Sim, queue, small_fact

JSON = {"content-type": "application/json"}
SAID = {
    "results": {"results": []},
    "hello": {"siltwatch": True, "protocol": {"min": 1, "max": 1}, "epoch": "e" * 32, "city": "demo",
              "time": "2026-08-27T20:00:00.000+00:00"},
    "problem": {"code": "token-unknown", "status": 401, "detail": ""},
    "nothing": {},
}


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 500, 503])
def test_an_object_without_our_mark_is_not_ours(status, said):
    answer = judge(Reply(status, JSON, encode(SAID[said])))
    assert not answer.ok and not answer.ours and answer.epoch == "" and answer.data == {}
    assert answer.code in ("wrong-server", "server-failed", "server-busy")


@pytest.mark.parametrize("mark", [HEADER_PROTOCOL, HEADER_EPOCH])
def test_either_mark_makes_it_ours(mark):
    answer = judge(Reply(200, {**JSON, mark.lower(): "1"}, encode(SAID["results"])))
    assert answer.ok and answer.ours and answer.data == SAID["results"]


def test_words_of_ours_from_who_bears_no_mark_bring_the_line_down_and_change_nothing():
    """A cache in front of the server that keeps bodies and loses headers: it may even hold true receipts."""
    desk = Desk()

    def bare(request, now):
        reply = desk(request, now)
        return Reply(reply.status, JSON, reply.body) if reply.failure is None else reply

    sim = Sim(bare)
    queue(sim.port, small_fact(1))
    sim.run(60_000)
    assert sim.engine.status().code == "wrong-server" and not sim.engine.status().up
    assert not any(row.known for row in sim.port.view().facts)
    assert sim.port.all("sites") == []
