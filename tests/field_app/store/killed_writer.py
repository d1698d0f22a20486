"""Run by test_kill.py: forks writers on one store folder and kills each at a random moment.

``python killed_writer.py FOLDER ROUNDS SEED [sealed]`` prints one JSON line. Forking from one process that has imported
everything makes a round cost little more than the writing itself.
"""

import asyncio
import json
import os
import select
import signal
import struct
import sys
import time
from random import Random

from field_app.hardware.crypto import NativeCrypto
from field_app.store.native import open_native
from tests.contract import kill_model

CIPHERS = NativeCrypto() if sys.argv[4:] == ["sealed"] else None
NUMBER = struct.Struct("<q")
READY = 1 << 40
"""Added to the number that a writer found on opening, to tell it from an acknowledgement."""


def write(folder: str, pipe: int) -> None:
    async def main():
        store = await open_native(folder, CIPHERS)
        n = kill_model.found(store)
        os.write(pipe, NUMBER.pack(READY + n))
        await kill_model.write_on(store, n, lambda n: os.write(pipe, NUMBER.pack(n)))

    try:
        asyncio.run(main())
    except BaseException as error:
        os.write(2, f"writer failed: {error!r}\n".encode())
    os._exit(1)


def listen(pipe: int, most: int) -> bytes:
    """What the writer says, until it has said ``most`` numbers or is gone (or says nothing for long)."""
    data = b""
    while len(data) < most * NUMBER.size and select.select([pipe], [], [], 30)[0]:
        piece = os.read(pipe, 1 << 16)
        if not piece:
            break
        data += piece
    return data


def main(folder: str, rounds: int, seed: int) -> None:
    kill_model.compact_often()
    random = Random(seed)
    acknowledged = opened = unfinished = 0
    for round in range(rounds):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            write(folder, writing)
        os.close(writing)
        # Every other one is killed while it opens and recovers, the rest after some changes.
        said = listen(reading, random.randint(1, 20)) if round % 2 else b""
        time.sleep(random.uniform(0, 0.002 if round % 2 else 0.03))
        ended, _ = os.waitpid(child, os.WNOHANG)
        if ended:
            sys.exit(f"round {round}: the writer could not go on after change {acknowledged}")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said += listen(reading, 1 << 20)
        numbers = [number for (number,) in NUMBER.iter_unpack(said)]
        os.close(reading)
        if numbers and numbers[0] >= READY:
            opened += 1
            if numbers[0] - READY < acknowledged:
                sys.exit(f"round {round}: {acknowledged} was acknowledged, {numbers[0] - READY} was found")
            acknowledged = max(acknowledged, numbers[0] - READY, *numbers[1:])
        unfinished += os.path.exists(f"{folder}/snapshot-0.new") or os.path.exists(f"{folder}/snapshot-1.new")

    async def last():
        store = await open_native(folder, CIPHERS)
        n = kill_model.found(store)
        await store.close()
        return n

    found = asyncio.run(last())
    print(json.dumps({"acknowledged": acknowledged, "found": found, "opened": opened, "unfinished": unfinished}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
