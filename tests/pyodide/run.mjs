// Runs pytest inside flet-web's own Pyodide, under node. Arguments: one JSON object
// {pyodide, project, packages, arguments, without, absent} ; the last line printed is "PYODIDE {exit, collected, passed, ...}".
const { pyodide, project, packages, arguments: given, without, absent } = JSON.parse(process.argv[2]);
const { loadPyodide } = await import(`file://${pyodide}/pyodide.mjs`);
const py = await loadPyodide({ indexURL: pyodide, env: { HOME: "/home", PYTHONDONTWRITEBYTECODE: "1" } });
for (const [place, folder] of [["/packages", packages], ["/project", project]]) {
  py.FS.mkdirTree(place);
  py.FS.mount(py.FS.filesystems.NODEFS, { root: folder }, place);
}
py.globals.set("given", py.toPy(given));
py.globals.set("without", py.toPy(without));
py.globals.set("absent", py.toPy(absent));
const exit = py.runPython(`
import os, sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/project", "/packages"]
os.chdir("/project")
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"
from tests.pyodide.inside import run
run(list(given), list(without), list(absent))
`);
process.exit(exit);
