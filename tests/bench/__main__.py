"""``python -m tests.bench NAME [PART ...]``: progress as it goes, and last one JSON line with ratios of this run."""

import importlib
import json
import signal
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in NAMES:
        print(f"usage: python -m tests.bench NAME [PART ...], where NAME is one of: {', '.join(NAMES)}; some can be "
              "measured in parts", file=sys.stderr)
        return 2
    name, *parts = arguments
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it gets what has been measured
    result = importlib.import_module(f"tests.bench.{name}").run(*parts)
    print(json.dumps({"bench": name, "ratios": result["ratios"], "figures": result["figures"]}))
    return 1 if result["figures"].get("failed") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
