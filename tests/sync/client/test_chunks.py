"""The size of a chunk follows the link and stays within its limits, whatever was measured."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sync.client.chunks import Chunks
from sync.client.policy import Policy

POLICY = Policy()
STEPS = st.one_of(st.tuples(st.integers(1, 70_000_000), st.integers(0, 600_000)), st.just("broke"), st.just("anew"),
                  st.just("refused"))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(STEPS, max_size=40))
def test_it_stays_within_its_limits_and_at_most_doubles(steps):
    chunks, most = Chunks(POLICY), POLICY.chunk_most
    for step in steps:
        before = chunks.size
        if step == "broke":
            chunks.broke()
            assert chunks.size == max(POLICY.chunk_least, before // 2)
        elif step == "anew":
            chunks.anew()
            assert chunks.size == POLICY.chunk_first
            most = POLICY.chunk_most
        elif step == "refused":
            smaller = chunks.refused(before)
            assert smaller == (before > POLICY.chunk_least) and chunks.size <= before
            most = min(most, before - 1) if smaller else most
        else:
            chunks.went(*step)
            assert chunks.size <= before * 2
        # What a proxy did not let through is not tried again on this network.
        assert POLICY.chunk_least <= chunks.size <= most


def carried(bytes_per_ms, rounds=12):
    """The size after some chunks over a link of that pace."""
    chunks = Chunks(POLICY)
    for _ in range(rounds):
        chunks.went(chunks.size, chunks.size // bytes_per_ms)
    return chunks.size


def test_it_settles_where_one_chunk_takes_the_wished_time():
    assert abs(carried(100) - 100 * POLICY.chunk_ms) < 1000
    assert carried(4) == POLICY.chunk_least  # 32 kbit/s: the least is worth its round trip
    assert carried(1_000_000) == POLICY.chunk_most


def test_a_small_file_that_went_quickly_makes_no_chunk_smaller():
    chunks = Chunks(POLICY)
    chunks.went(1000, 40)
    assert chunks.size == POLICY.chunk_first
    chunks.went(100_000, 9_000)  # but one that took long does
    assert chunks.size < 100_000
