"""A benchmark in parts: each measures by itself; one that fails is told on stderr and left out, the others stand."""

import sys
import time
import traceback
from collections.abc import Sequence

BEGUN = time.monotonic()


def say(bench: str, words: str) -> None:
    print(f"{bench}: {time.monotonic() - BEGUN:4.0f} s: {words}", file=sys.stderr, flush=True)


def measured(bench: str, of: object, parts: Sequence[str], only: Sequence[str] = ()) -> tuple[dict, dict]:
    """(ratios, figures) of all ``parts``, methods of ``of`` that give the same, or of those named. The figures say how
    long it took, and what failed, or was not reached before somebody stopped it. Raises SystemExit for a part that
    there is not."""
    if unknown := set(only) - set(parts):
        raise SystemExit(f"{bench} has the parts {', '.join(parts)}; not {', '.join(sorted(unknown))}")
    ratios, figures, failed = {}, {}, []
    left = [one for one in parts if not only or one in only]
    while left:
        part = left.pop(0)
        try:
            some, more = getattr(of, part)()
        except KeyboardInterrupt:
            failed += [part, *left]
            say(bench, f"stopped in {part}")
            break
        except Exception:
            failed.append(part)
            say(bench, f"{part} FAILED:\n{traceback.format_exc()}")
            continue
        say(bench, f"{part}: {some | more}")
        ratios |= some
        figures |= more
    return ratios, figures | {"minutes": round((time.monotonic() - BEGUN) / 60, 1)} | (
        {"failed": failed} if failed else {})
