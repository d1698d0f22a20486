"""``python -m tests.bench NAME``: progress as it goes, and last one JSON line with ratios of this one run."""

import importlib
import json
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in NAMES:
        print(f"usage: python -m tests.bench NAME, where NAME is one of: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    result = importlib.import_module(f"tests.bench.{arguments[0]}").run()
    print(json.dumps({"bench": arguments[0], "ratios": result["ratios"], "figures": result["figures"]}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
