"""The sync protocol as a whole, played by Hypothesis: tablets, the real server, and a network that does its worst.

Three hundred runs of up to fifty steps each time, always the same; `make test-long` plays new ones for hours
(SILTWATCH_LONG seconds). What the steps are is in `machine`, what must hold in `truth`.
"""

import gc
import os
import time

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.machine import SETTINGS, Lies, Losses, Restores, SyncMachine
from tests.model.network import FATES, LIES, ROADS, STRANGERS, Network
from tests.model.truth import MET

# Kinds of records, deeds of the office and fates of files: each is played in a scene, and the runs meet many of them.
MANY = 18


def of_kind(machine, name):
    """The machine under a name of its own, which gives it runs of its own."""
    return type(name, (machine,), {"__module__": __name__})


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("machine", [SyncMachine, Losses, Lies, Restores], ids=lambda one: one.__name__)
def test_runs(machine, name):
    played = of_kind(machine, f"{machine.__name__}{name}")
    Network.drawn.clear()
    MET.clear()
    run_state_machine_as_test(played, settings=SETTINGS)
    wanted = {SyncMachine: FATES, Lies: (*ROADS, *LIES, *STRANGERS)}.get(machine, ())
    assert not set(wanted) - Network.drawn.keys(), "no run met these"
    assert len(+MET) >= MANY, f"the runs met nothing but {MET}"
    if issubclass(machine, Losses):
        assert played.restored_twice, "no run restored one backup twice"
        assert played.images_noticed, "no run put back an image of the disk that a tablet noticed"
    gc.collect()


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("machine", [SyncMachine, Losses, Lies, Restores], ids=lambda one: one.__name__)
def test_new_runs_for_as_long_as_is_wished(machine):
    """SILTWATCH_LONG seconds in all; SILTWATCH_SEED plays the run again that it names."""
    end = time.monotonic() + int(os.environ.get("SILTWATCH_LONG", "600")) / 4
    first = number = int(os.environ.get("SILTWATCH_SEED", time.time_ns() // 1_000_000))
    while number == first or (time.monotonic() < end and "SILTWATCH_SEED" not in os.environ):
        print(f"SILTWATCH_SEED={number}", flush=True)  # shown when it fails
        run_state_machine_as_test(seed(number)(of_kind(machine, f"{machine.__name__}Long")),
                                  settings=settings(SETTINGS, derandomize=False, max_examples=60))  # fmt: skip
        number += 1
