"""A process of its own that kills itself (SIGKILL) in the middle of what it does: at the n-th operation on the disk, or
before the n-th statement to the database. What it acknowledged comes through a pipe, and outlives it.
"""

import os
import signal
import traceback
from collections.abc import Callable

from sqlalchemy import Engine, event

OPERATIONS = ("write", "pwrite", "fsync", "fdatasync", "ftruncate", "replace", "rename", "link", "unlink")


def forked(work: Callable[[Callable[[int], None]], object]) -> tuple[bool, list[int]]:
    """Runs ``work(acknowledge)`` in a forked process. Gives whether it was killed, and all that it acknowledged: small
    numbers, in their order."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            write = os.write
            work(lambda number: write(told, bytes([number])))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(told)
    with os.fdopen(heard, "rb") as pipe:
        acknowledged = list(pipe.read())
    _, status = os.waitpid(pid, 0)
    killed = os.WIFSIGNALED(status)
    assert killed or os.WEXITSTATUS(status) == 0, "it failed by itself"
    return killed, acknowledged


def _counted_down(number: int) -> Callable[[], bool]:
    left = [number]

    def last() -> bool:
        left[0] -= 1
        return left[0] == 0

    return last


def die() -> None:
    """This process is gone, as by a power cut to it alone."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_operation(number: int) -> None:
    """From now on this process is killed at its n-th operation on the disk, in the middle of it where it writes."""
    is_last = _counted_down(number)

    def dying(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def act(*arguments, **named):
            if is_last():
                if name == "write":
                    real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                die()
            return real(*arguments, **named)

        return act

    for name in OPERATIONS:
        setattr(os, name, dying(name, getattr(os, name)))


def die_at_statement(engine: Engine, number: int) -> None:
    """From now on this process is killed before its n-th statement to this database."""
    is_last = _counted_down(number)

    @event.listens_for(engine, "before_cursor_execute")
    def _count(*_):
        if is_last():
            die()
