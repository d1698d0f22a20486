"""Runs the tests of the pure rooms inside the Pyodide that flet-web ships, under node: the tablet's own Python.

What can run there is found out, not listed: a file is left out when it, or a module of ours that it imports, needs
something that Pyodide does not have; a single test when only that test asks for Pillow, a process or a thread.
`cannot` says why. The packages are the ones of the web app plus pytest, Hypothesis and pypdf, pinned by hash.

`python -m tests.pyodide.harness [FILES]` runs it by hand; `--lock` writes the list of packages anew.
"""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import flet_web

from field_app.packaging import wheels

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CACHE = ROOT / "build" / "cache"
TOOLS = ("pytest", "hypothesis", "pluggy", "iniconfig", "packaging", "sortedcontainers", "pygments", "pypdf")
CONSTRAINTS = HERE / "constraints-tools.txt"
FOLDERS = (
    "tests/sync/ordinance",
    "tests/sync/records",
    "tests/sync/client",
    "tests/sync/documents",
    "tests/field_app/capture",
    "tests/field_app/store",
    "tests/field_app/photos",
    "tests/model",
)
ABSENT = {
    "PIL": "Pillow, which has no wheel for the browser",
    "fastapi": "the server",
    "starlette": "the server",
    "sqlalchemy": "the server",
    "alembic": "the server",
    "httpx": "the server",
    "uvicorn": "the server",
    "argon2": "the server",
    "cryptography": "OpenSSL, in whose place the browser has its own",
    "playwright": "a browser",
    "flet_web": "the build",
    "holidays": "a calendar that only the tests carry",
    "babel": "the tools for translators",
}
# These can be imported inside Pyodide, but not used.
DEAD = {
    "subprocess": "other processes",
    "multiprocessing": "other processes",
    "signal": "other processes",
    "threading": "threads",
    "socket": "sockets",
}
PRODUCT = ("sync", "field_app")  # what they import and do not use in the browser is their own tests' business
# Parameters that mean a file lock, which Pyodide's file system only pretends to have, or OpenSSL; and what is no
# question of the Python that runs it.
ELSEWHERE = (
    "NativeWorld",
    "SealedWorld",
    "test_steps_counted",  # how often the engine looks at what is how much: the same code counts the same anywhere
)


def node() -> str:
    """The node to use: the machine's, else the one inside Playwright's wheel (a test dependency)."""
    found = shutil.which("node")
    if found:
        return found
    import playwright

    inside = Path(playwright.__file__).parent / "driver" / "node"
    if inside.exists():
        return str(inside)
    raise FileNotFoundError("no node: install it, or install Playwright's wheel, which carries one")


def cannot(path: Path, seen: set[Path] | None = None) -> str | None:
    """Why a test file cannot run inside Pyodide, or None when it can."""
    first, seen = seen is None, set() if seen is None else seen
    if path in seen:
        return None
    seen.add(path)
    here = path.relative_to(ROOT)
    tree = ast.parse(path.read_text("utf-8"))
    for conftest in (folder / "conftest.py" for folder in path.parents if first and folder.is_relative_to(ROOT)):
        why = cannot(conftest, seen) if conftest.exists() else None
        if why:
            return why
    for name in sorted(_imports(tree)):
        top = name.split(".")[0]
        if top in ABSENT:
            return f"{here} needs {ABSENT[top]}"
        if top in DEAD and here.parts[0] not in PRODUCT and not (first and _only_in_tests(tree, top)):
            return f"{here} needs {DEAD[top]}"
        if top in ("tests", "sync", "field_app"):
            for place in (ROOT / (name.replace(".", "/") + ".py"), ROOT / name.replace(".", "/") / "__init__.py"):
                why = cannot(place, seen) if place.exists() else None
                if why:
                    return why
    return None


def dead_tests(path: Path) -> list[str]:
    """The tests of one file that use what can be imported inside Pyodide but not used."""
    tree = ast.parse(path.read_text("utf-8"))
    return [item.name for item in tree.body if _is_test(item) and any(_mentions(item, name) for name in DEAD)]


def _is_test(item: ast.AST) -> bool:
    return isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name.startswith("test")


def _mentions(item: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(item))


def _only_in_tests(tree: ast.Module, name: str) -> bool:
    return not any(_mentions(item, name) for item in tree.body if not _is_test(item))


def _imports(tree: ast.Module) -> set[str]:
    """What is imported when the module itself is: not what its functions import later."""
    found: set[str] = set()
    for item in _at_import(tree):
        if isinstance(item, ast.Import):
            found |= {alias.name for alias in item.names}
        elif isinstance(item, ast.ImportFrom) and item.module and item.level == 0:
            found |= {item.module} | {f"{item.module}.{alias.name}" for alias in item.names}
    return found


def _at_import(tree: ast.AST):
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _at_import(child)


def chosen() -> tuple[list[str], dict[str, str]]:
    """(the test files that run inside Pyodide, the others with the reason)."""
    runs, others = [], {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("test_*.py")):
            why = cannot(path)
            name = path.relative_to(ROOT).as_posix()
            if why:
                others[name] = why
            else:
                runs.append(name)
    return runs, others


def packages() -> Path:
    """A folder with the tablet's packages and the test tools, unpacked; made once per set of wheels."""
    found = wheels.fetch(CACHE / "wheels") + wheels.fetch(CACHE / "wheels", CONSTRAINTS)
    key = hashlib.sha256("\n".join(f"{path.name} {wheels.sha256(path)}" for path in found).encode()).hexdigest()[:12]
    place = CACHE / f"pyodide-{key}"
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        wheels.unpack(found, place)
        (place / "done").write_text("")
    return place


def run(files: list[str], seconds: float = 850) -> tuple[dict, str]:
    """Run the files in one node process: (its last line, all it printed). Raises TimeoutExpired."""
    what = {
        "pyodide": str(Path(flet_web.get_package_web_dir()) / "pyodide"),
        "project": str(ROOT),
        "packages": str(packages()),
        "arguments": ["-c", "/project/tests/pyodide/pytest.ini", "--rootdir", "/project", *files],
        "absent": sorted(ABSENT),
        "without": [*ELSEWHERE, *(f"{file}::{test}" for file in files for test in dead_tests(ROOT / file))],
    }
    command = [node(), str(HERE / "run.mjs"), json.dumps(what)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=ROOT)
    output = done.stdout + done.stderr
    last = [line for line in done.stdout.splitlines() if line.startswith("PYODIDE ")]
    return (json.loads(last[-1][8:]) if last else {"exit": done.returncode or 99, "passed": 0}), output


def main() -> None:
    if "--lock" in sys.argv:
        CONSTRAINTS.write_text(wheels.lock(CACHE / "wheels", ROOT / "constraints.txt", TOOLS), "utf-8")
        return
    runs, others = chosen()
    result, output = run(sys.argv[1:] or runs, 1200)
    print(output)
    print("left out inside these files:", *result.get("without", ["?"]), sep="\n  ")
    for name, why in others.items():
        print(f"not here: {name}: {why}")
    sys.exit(result["exit"])


if __name__ == "__main__":
    main()
