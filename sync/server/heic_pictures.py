"""Makes a small JPEG of a HEIC: run as a program of its own, because a broken HEIC can end the program that reads it.

    python -m sync.server.heic_pictures EDGE QUALITY < HEIC > JPEG

One changed byte is enough for that, in a file that is whole by its boxes. Exit code 3 and nothing written for a file
that cannot or should not be shown. Memory and time are bounded; whatever happens in here, the server goes on.
"""

from __future__ import annotations

import subprocess
import sys

MEMORY = 2 * 1024**3
SECONDS = 20
REFUSED = 3


def small_jpeg_of_heic(data: bytes, edge: int, quality: int) -> bytes | None:
    """What `small_jpeg` gives, of a HEIC; None also when the reader was ended by it."""
    try:
        done = subprocess.run([sys.executable, "-m", __name__, str(edge), str(quality)], input=data,
                              capture_output=True, timeout=SECONDS * 2, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None


def main(argv: list[str]) -> int:
    """From the standard input to the standard output."""
    from pi_heif import register_heif_opener

    from sync.server.page_pictures import bounded
    from sync.server.small_pictures import shrunk

    bounded(MEMORY, SECONDS)
    # Of such a file the main picture alone is looked at, in this thread.
    register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)
    try:
        small = shrunk(sys.stdin.buffer.read(), int(argv[0]), int(argv[1]), ("HEIF",))
    except MemoryError:
        small = None
    if small is None:
        return REFUSED
    sys.stdout.buffer.write(small)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
