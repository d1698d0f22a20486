"""The walls between the rooms, as docs/architecture.md draws them: what may import what, and what stays pure."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PURE = ("sync/ordinance", "sync/records", "field_app/capture", "field_app/scan", "sync/client")
# The client's shell: it moves bytes and keeps time for the pure engine.
NOT_PURE = ("sync/client/transports", "sync/client/driver.py")
BROWSER_ROOMS = ("field_app/hardware", "sync/client/transports", "field_app/store/opfs.py", "field_app/photos/opfs.py",
                 "field_app/photos/fetched_opfs.py", "field_app/photos/outside.py", "field_app/packaging")
FLET_ROOMS = ("field_app/ui", "field_app/hardware", "field_app/main.py", "field_app/packaging")
IMPURE_CALLS = {"open", "input", "print", "exec", "eval"}
IMPURE_METHODS = {"now", "today", "utcnow", "random", "randint", "uuid4", "uuid1", "urandom", "token_hex", "monotonic",
                  "read_text", "read_bytes", "write_text", "write_bytes"}


def modules(*rooms: str) -> list[Path]:
    found = []
    for room in rooms:
        place = ROOT / room
        found += [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))
    return [path for path in found if path.exists()]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def inside(path: Path, rooms: tuple[str, ...]) -> bool:
    return any(name_of(path) == room or name_of(path).startswith(room + "/") for room in rooms)


PURE_MODULES = [path for path in modules(*PURE) if not inside(path, NOT_PURE)]
ALL_MODULES = modules("field_app", "sync")


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.append(node.module or "")
    return found


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), name_of(path))


@functools.cache
def imports_of(path: Path) -> list[str]:
    return imports(tree_of(path))


def trees(paths: list[Path]) -> list[tuple[Path, ast.Module]]:
    return [(path, tree_of(path)) for path in paths]


def test_import_contracts_hold():
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pure_rooms_import_the_standard_library_and_each_other_only():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path, tree in trees(PURE_MODULES)
        for name in imports(tree)
        if (name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(("sync.", "field_app.capture",
                                                                                        "field_app.scan")))
        or name.split(".")[0] in {"os", "random", "secrets", "socket", "subprocess", "threading", "time", "uuid"}
        or name.startswith(("sync.server", "sync.where", "sync.documents.placard"))
    ]
    assert wrong == []


def test_pure_rooms_read_no_clock_no_chance_and_no_file():
    wrong = []
    for path, tree in trees(PURE_MODULES):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            call = node.func
            if isinstance(call, ast.Name) and call.id in IMPURE_CALLS:
                wrong.append(f"{name_of(path)}:{node.lineno} calls {call.id}()")
            elif isinstance(call, ast.Attribute) and call.attr in IMPURE_METHODS and not node.args:
                owner = call.value.id if isinstance(call.value, ast.Name) else ""
                if owner in {"datetime", "date", "time", "random", "uuid", "os", "secrets"}:
                    wrong.append(f"{name_of(path)}:{node.lineno} calls {owner}.{call.attr}()")
    assert wrong == []


# Days that no law counts: how long a one-time code lives, how long a browser may keep a file, and the server one that
# no record names.
OTHER_DAYS = ("sync/server/casework/codes.py", "sync/server/console/files.py", "sync/server/casework/unclaimed.py")


def test_days_limits_and_clauses_stand_in_the_law_alone():
    wrong = []
    for path, tree in trees([p for p in ALL_MODULES if not inside(p, ("sync/ordinance",))]):
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg in ("days", "weeks") and isinstance(node.value, ast.Constant):
                if node.value.value not in (0, 1) and not inside(path, OTHER_DAYS):
                    wrong.append(f"{name_of(path)}:{node.value.lineno} counts {node.value.value} {node.arg}")
            named = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if re.fullmatch(r"[B-E][1-5]", named):
                wrong.append(f"{name_of(path)}:{node.lineno} names clause {node.value}")
    assert wrong == []


@pytest.mark.parametrize(("library", "rooms"), [("js", BROWSER_ROOMS), ("pyodide", BROWSER_ROOMS), ("flet", FLET_ROOMS),
                                                ("flet_camera", FLET_ROOMS), ("flet_geolocator", FLET_ROOMS),
                                                ("flet_map", FLET_ROOMS),
                                                ("tinydb", ("field_app/store",)), ("PIL", ("field_app/hardware",
                                                 "field_app/packaging", "sync/server", "sync/documents"))])
def test_a_library_is_imported_only_where_it_belongs(library, rooms):
    wrong = [
        name_of(path)
        for path in ALL_MODULES
        if not inside(path, rooms) and any(name.split(".")[0] == library for name in imports_of(path))
    ]
    assert wrong == []


def test_nothing_stands_directly_in_sync_but_the_one_that_finds_the_assets():
    assert {path.name for path in (ROOT / "sync").glob("*.py")} == {"__init__.py", "where.py"}


def test_no_committed_file_names_a_registry_or_this_machine():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    registries = ["pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org", "deb.debian" + ".org"]
    hosts = [*registries, "/work" + "/main"]
    wrong = []
    for name in listed:
        path = ROOT / name
        if path.is_file() and path.suffix in {".py", ".txt", ".toml", ".md", ".cfg", ".json", ".js", ".html", ""}:
            text = path.read_text(errors="ignore")
            wrong += [f"{name} names {host}" for host in hosts if host in text]
    assert wrong == []


def test_every_module_says_what_it_is():
    wrong = [name_of(p) for p, tree in trees(ALL_MODULES) if tree.body and not ast.get_docstring(tree)]
    assert wrong == []
