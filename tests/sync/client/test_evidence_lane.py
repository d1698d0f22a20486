"""The lane of the files on simulated time: previews first, drafts last, what is too large set aside and not pressed."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.client.calls import Reply
from sync.client.policy import Policy
from sync.client.previews import draft_doc, preview_doc
from sync.client.rows import DUE, PARKED, RECEIVED, SAFE, TABLET_DOC, WAITING
from sync.client.states import item_states, summary
from sync.records.macs import fingerprint
from sync.records.protocol import HEADER_LARGEST
from tests.support.sync_sim import Desk, Sim, done, queue, small_fact
from tests.sync.client.test_uploads import TusDesk

PHOTOS = [b"photo %d " % n * (n + 3) for n in range(4)]
QUICK = Policy(lease_low=0, chunk_first=1_000, chunk_least=200, chunk_most=8_000)


def previewed(sim, data, small=None):
    small = small or b"small " + data[:8]
    done(sim.port.keep(small))
    done(sim.port.note_file(preview_doc(fingerprint(small), len(small), fingerprint(data))))
    return fingerprint(small)


def note(sim, data, **more):
    """The document of ``data`` with further fields, as the tablet keeps them beside it."""
    doc = sim.port.get("evidence", fingerprint(data))
    done(sim.port.note_file({**doc, **more}))


def limited(sim, largest):
    sim.port._tables["secrets"][TABLET_DOC] = {"tablet_code": "T07", "limits": {"evidence_bytes": largest}}


def sent(sim, *purposes):
    return [request.ids[0] for _, request in sim.requests if request.purpose in (purposes or ("put", "open", "patch"))]


def test_all_previews_of_what_waits_go_before_any_original():
    sim = Sim(Desk())
    queue(sim.port, small_fact(1, files=tuple(PHOTOS[:2])), *PHOTOS[:2])
    queue(sim.port, small_fact(2, files=tuple(PHOTOS[2:])), *PHOTOS[2:])
    small = {previewed(sim, data): fingerprint(data) for data in PHOTOS}
    sim.run(1_000)
    names = sent(sim)
    assert set(names[:4]) == set(small) and set(names[4:]) == set(small.values())
    headers = [r.headers for _, r in sim.requests if r.purpose == "put"][:4]
    assert all(h["Siltwatch-Evidence-Kind"] == "preview" for h in headers)
    assert [h["Siltwatch-Preview-Of"] for h in headers] == [small[name] for name in names[:4]]
    assert sim.states() == {1: SAFE, 2: SAFE}


def test_a_preview_in_parts_says_of_what_it_is():
    sim = Sim(TusDesk(), policy=QUICK)
    sim.server.port = sim.port
    queue(sim.port, small_fact(1, files=(PHOTOS[0],)), PHOTOS[0])
    previewed(sim, PHOTOS[0], b"s" * 1_500)
    sim.run(10)
    opened = next(r for _, r in sim.requests if r.purpose == "open")
    said = dict(pair.split(" ") for pair in opened.headers["Upload-Metadata"].split(","))
    assert base64.b64decode(said["of"]).decode() == fingerprint(PHOTOS[0])


def test_originals_wait_a_moment_for_previews_that_are_being_made():
    sim = Sim(Desk())
    queue(sim.port, small_fact(1, files=tuple(PHOTOS[:2])), *PHOTOS[:2])
    for data in PHOTOS[:2]:
        note(sim, data, preview=DUE)
    sim.run(4_000)
    assert sent(sim) == [] and sim.states() == {1: RECEIVED}, "the record itself does not wait"
    first = previewed(sim, PHOTOS[0])
    note(sim, PHOTOS[0], preview="made")
    sim.stir()
    sim.run(8_000)
    assert sent(sim) == [first], "one more preview came: the next has its time anew"
    sim.run(9_500)
    assert sim.states() == {1: SAFE}, "a preview that does not come holds up nothing"


def test_where_nobody_makes_previews_originals_wait_once_and_not_one_by_one():
    sim = Sim(Desk())
    photos = [b"photo %d" % n for n in range(50)]
    queue(sim.port, small_fact(1, files=tuple(photos)), *photos)
    for data in photos:
        note(sim, data, preview=DUE)
    sim.run(4_900)
    assert sent(sim) == []
    sim.run(6_000)
    assert sim.states() == {1: SAFE}


@pytest.mark.parametrize("how", ["refused", "gone"])
def test_a_preview_that_cannot_be_sent_is_tried_once_and_holds_up_nothing(how):
    class Older(Desk):
        def _put(self, request):
            if request.headers["Siltwatch-Evidence-Kind"] == "preview":
                return self.problem(422, "body-malformed") if how == "refused" else Reply(failure="local")
            return super()._put(request)

    sim = Sim(Older())
    queue(sim.port, small_fact(1, files=(PHOTOS[0],)), PHOTOS[0])
    small = previewed(sim, PHOTOS[0])
    sim.run(600_000)
    assert sent(sim).count(small) == 1 and sim.states() == {1: SAFE}
    assert summary(sim.port.view()).safe and summary(sim.port.view()).files_left == 0


def test_a_preview_whose_original_is_there_is_not_sent():
    sim = Sim(Desk())
    queue(sim.port, small_fact(1, files=(PHOTOS[0],)), PHOTOS[0])
    sim.run(1_000)
    previewed(sim, PHOTOS[0])
    sim.stir()
    sim.run(100_000)
    assert sent(sim) == [fingerprint(PHOTOS[0])]


def test_a_photo_of_a_draft_travels_after_all_that_is_signed_and_makes_its_record_green_later():
    """Fulcrum's bar: a photo is on its way as soon as it is taken."""
    sim = Sim(Desk())
    early, late = PHOTOS[0], PHOTOS[3]
    done(sim.port.keep(early))
    done(sim.port.note_file({**draft_doc(fingerprint(early), "photo", len(early), "image/jpeg", "d1"), "preview": ""}))
    small = previewed(sim, early)
    queue(sim.port, small_fact(1, files=(late,)), late)
    assert summary(sim.port.view()).files_left == 1, "a draft is nobody's unfinished business"
    sim.run(1_000)
    assert sent(sim) == [small, fingerprint(late), fingerprint(early)]
    queue(sim.port, small_fact(2, files=(early,)), early)
    sim.stir()
    sim.run(2_000)
    assert sim.states() == {1: SAFE, 2: SAFE} and sent(sim).count(fingerprint(early)) == 1


def test_what_was_taken_off_a_draft_does_not_go_and_what_another_server_life_lost_goes_again():
    sim = Sim(Desk())
    for data in PHOTOS[:2]:
        done(sim.port.keep(data))
        doc = draft_doc(fingerprint(data), "photo", len(data), "image/jpeg", "d1")
        done(sim.port.note_file(doc if data is PHOTOS[1] else {**doc, "draft": "", "removed": {"draft": "d1"}}))
    sim.run(10_000)
    assert sent(sim) == [fingerprint(PHOTOS[1])]
    sim.server.epoch, sim.server.files = "e2", {}
    sim.run(60_000)
    assert sent(sim) == [fingerprint(PHOTOS[1])] * 2


def test_what_is_larger_than_the_server_takes_is_never_sent_until_the_limit_is_raised():
    """The limit is said with hello; the record is never green meanwhile, whatever the receipts say."""
    desk = Desk()
    sim = Sim(desk)
    desk._hello = lambda _: desk.reply({"siltwatch": True, "protocol": {"min": 1, "max": 1}, "epoch": "e1",
                                        "time": "2026-08-27T19:03:22+00:00", "city": "demo",
                                        "limits": {"evidence_bytes": desk.largest}})
    limited(sim, 10_000)
    desk.largest = 40
    small, large = b"s" * 40, b"l" * 41
    queue(sim.port, small_fact(1, files=(small, large)), small, large)
    sim.run(1_200_000)
    assert sent(sim) == [fingerprint(small)]
    [item] = item_states(sim.port.view())
    assert (item.state, item.reason.code, item.can_send_again) == (PARKED, "too-large", False)
    assert not summary(sim.port.view()).safe and summary(sim.port.view()).files_left == 1
    desk.largest = 41
    restarted = Sim(desk, port=sim.port)  # the next start of the app says hello again
    restarted.run(60_000)
    assert sent(restarted) == [fingerprint(large)] and restarted.states() == {1: SAFE}


def says(desk, largest, only=(200, 413)):
    """The desk says the limit ``largest[0]`` with its answers of these statuses."""
    plain = desk.reply

    def reply(data, status=200):
        answer = plain(data, status)
        told = {HEADER_LARGEST.lower(): str(largest[0])} if status in only else {}
        return replace(answer, headers={**answer.headers, **told})

    desk.reply = reply


def test_a_raised_limit_is_learned_from_any_answer_and_the_original_goes_by_itself():
    """Nobody starts anything anew and no hello is said: the server says its limit with each answer."""
    desk, largest = Desk(), [40]
    says(desk, largest)
    sim = Sim(desk)
    limited(sim, 10_000)  # it was told of another one when it enrolled
    queue(sim.port, small_fact(1, files=(b"l" * 41,)), b"l" * 41)
    sim.run(1_200_000)
    [item] = item_states(sim.port.view())
    assert (item.state, item.reason.code) == (PARKED, "too-large") and sent(sim) == []
    hellos = sim.purposes().count("hello")
    largest[0] = 41
    sim.run(sim.now + 20_000)
    assert sim.states() == {1: SAFE} and len(sent(sim)) == 1 and sim.purposes().count("hello") == hellos
    for nonsense in (0, "", "many", "9" * 40, -1):
        largest[0] = nonsense
        sim.run(sim.now + 30_000)
        assert sim.port.view().largest == 41


def test_a_limit_that_a_refusal_says_is_the_one_under_which_the_file_was_too_large():
    desk, largest = Desk(), [40]
    says(desk, largest, only=(413,))
    sim = Sim(desk)
    limited(sim, 10_000)
    desk._put = lambda request: desk.problem(413, "evidence-too-large")
    queue(sim.port, small_fact(1, files=(b"l" * 60,)), b"l" * 60)
    sim.run(60_000)
    assert len(sent(sim)) == 1 and item_states(sim.port.view())[0].state == PARKED
    del desk._put
    largest[0] = 60
    says(desk, largest)
    sim.run(sim.now + 20_000)
    assert len(sent(sim)) == 2 and sim.states() == {1: SAFE}


def test_a_limit_that_the_server_did_not_tell_is_learned_from_its_refusal():
    desk = Desk()
    sim = Sim(desk)
    desk._put = lambda request: desk.problem(413, "evidence-too-large")
    limited(sim, 100)
    queue(sim.port, small_fact(1, files=(PHOTOS[0],)), PHOTOS[0])
    sim.run(1_200_000)
    assert len(sent(sim)) == 1 and item_states(sim.port.view())[0].state == PARKED
    del desk._put
    limited(sim, 200)
    sim.stir()
    sim.run(1_300_000)
    assert sim.states() == {1: SAFE}


class Narrow(TusDesk):
    """A proxy in front answers with a page of its own to what is larger than ``most``."""

    most, whole_only = 300, False

    def __call__(self, request, now):
        size = request.part[1] if request.part else request.note if request.purpose == "put" else 0
        if size > self.most:
            self.calls.append((now, request.purpose))
            return Reply(413, {"content-type": "text/html"}, b"<html>413 Request Entity Too Large</html>")
        if self.whole_only and request.purpose == "open":
            return self.problem(404, "not-found")
        return super().__call__(request, now)

    def _patch(self, request, taken=None):
        reply = super()._patch(request, taken)
        sha = request.ids[0]
        if sha in self.parts and fingerprint(self.parts[sha]) == sha:
            self.files[sha] = len(self.parts.pop(sha))
            return self.told(204, sha)
        return reply


def narrow(most, **more):
    sim = Sim(Narrow(), policy=QUICK)
    sim.server.port, sim.server.most = sim.port, most
    for name, value in more.items():
        setattr(sim.server, name, value)
    data = bytes(range(250)) * 10
    queue(sim.port, small_fact(1, files=(data,)), data)
    return sim


def test_a_proxy_that_lets_only_little_through_gets_little_at_once():
    sim = narrow(300)
    sim.run(60_000)
    assert sim.states() == {1: SAFE}
    assert max(sim.server.sent) <= 300 and [r.purpose for _, r in sim.requests].count("hello") == 1


@pytest.mark.parametrize("more", [{}, {"whole_only": True}], ids=["in parts", "older server"])
def test_what_no_way_lets_through_is_set_aside_and_tried_once_on_each_other_network(more):
    """Too large is never retried for ever: five tries, then silence; a record beside it goes on."""
    sim = narrow(150, **more)
    sim.run(600_000)
    [item] = item_states(sim.port.view())
    assert (item.state, item.reason.code, item.can_send_again) == (PARKED, "too-large-on-the-way", True)
    calls = len(sent(sim))
    queue(sim.port, small_fact(2))
    sim.stir()
    sim.run(1_200_000)
    assert len(sent(sim)) == calls and sim.states()[2] == SAFE
    sim.wake("network")
    sim.run(2_400_000)
    again = len(sent(sim)) - calls
    assert 1 <= again <= 8, "once more, and then silence again"
    sim.server.most = 10**6
    sim.wake("network")
    sim.run(3_600_000)
    assert sim.states() == {1: SAFE, 2: SAFE}


def test_a_record_that_a_proxy_refuses_is_set_aside_alone():
    class Tiny(Desk):
        def __call__(self, request, now):
            if request.body and b"HEAVY" in request.body:
                self.calls.append((now, request.purpose))
                return Reply(413, {"content-type": "text/html"}, b"<html>too large</html>")
            return super().__call__(request, now)

    sim = Sim(Tiny())
    for n in range(1, 5):
        queue(sim.port, small_fact(n, body={"n": "HEAVY" if n == 3 else "light"}))
    sim.run(600_000)
    assert sim.states() == {1: SAFE, 2: SAFE, 3: PARKED, 4: SAFE}


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(["signed", "draft", "taken off"]), st.booleans(), st.integers(1, 60)),
             min_size=1, max_size=8),
    st.integers(5, 60),
)  # fmt: skip
def test_whatever_lies_there_previews_go_first_drafts_last_and_nothing_is_sent_twice(files, largest):
    sim = Sim(Desk())
    limited(sim, largest)
    rank = {}
    for n, (what, has_preview, size) in enumerate(files):
        data = bytes([n]) * size
        sha = fingerprint(data)
        if what == "signed":
            queue(sim.port, small_fact(n + 1, files=(data,)), data)
        else:
            done(sim.port.keep(data))
            doc = draft_doc(sha, "photo", size, "image/jpeg", "d1" if what == "draft" else "")
            done(sim.port.note_file({**doc, "preview": ""}))
        if has_preview:
            rank[previewed(sim, data, b"p%d" % n)] = 0 if what != "taken off" else 9
        rank[sha] = 9 if size > largest else {"signed": 1, "draft": 2, "taken off": 9}[what]
    sim.run(300_000)
    went = sent(sim)
    assert sorted(went) == sorted(sha for sha, place in rank.items() if place < 9)
    assert [rank[sha] for sha in went] == sorted(rank[sha] for sha in went)
    assert all(state in (SAFE, PARKED, RECEIVED) and state != WAITING for state in sim.states().values())


def test_b17_five_hundred_photos_are_five_hundred_calls_and_no_restart_begins_anew():
    """Anchor B17 (Mergin: 502 and time-outs with many photos, "send 100 at a time"): each photo is a call of its own,
    and what is through stays through when the app is killed, ten times here."""
    port, photos = Sim(Desk()).port, [b"%d of many" % n for n in range(500)]
    desk, kills = Desk(), 0
    for n in range(10):
        part = photos[n * 50 : n * 50 + 50]
        queue(port, small_fact(n + 1, files=tuple(part)), *part)
    calls = []
    while len(desk.files) < 500:
        sim = Sim(desk, port=port)  # the app, started again
        goal = min(500, len(desk.files) + 55)
        sim.run(sim.now + 600_000, stop=lambda goal=goal: len(desk.files) >= goal)
        calls += sent(sim, "put")
        kills += 1
    sim = Sim(desk, port=port)
    sim.run(600_000)
    assert kills >= 9 and set(sim.states().values()) == {SAFE}
    # A kill between an answer and its being noted costs that one file a second call.
    assert len(set(calls)) == 500 and len(calls) <= 500 + kills
