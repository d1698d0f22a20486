"""How the page hands a paper over: the sheet of a tablet, and a download where the sheet is missing or fails.

Chromium on a computer has no such sheet, so the page's own functions run in Node with the browser's parts beside them.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tests.pyodide.harness import node

PAPERS = Path(__file__).resolve().parents[3] / "assets" / "pwa" / "papers.js"
AROUND = """
const calls = [];
globalThis.matchMedia = () => ({ matches: COARSE });
Object.defineProperty(globalThis, "navigator", { value: NAVIGATOR });
const link = { remove() {}, click() { calls.push("download " + link.download); } };
globalThis.document = { createElement: () => link, body: { append() {} } };
"""
ASK = """
papers.share("SW-1.pdf", "application/pdf", new Uint8Array([37, 80])).then((answer) => {
  console.log(JSON.stringify({ shares: papers.shares, answer, calls }));
  process.exit();
});
"""


def run(navigator: str, coarse: bool = True) -> dict:
    around = AROUND.replace("COARSE", str(coarse).lower()).replace("NAVIGATOR", navigator)
    script = around + PAPERS.read_text() + ASK
    done = subprocess.run([node(), "-e", script], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def sheet(then: str) -> str:
    note = "calls.push('sheet ' + what.files[0].name);"
    return f"{{ canShare: () => true, share: async (what) => {{ {note} {then} }} }}"


@pytest.mark.parametrize("then, answer, calls", [
    ("", {"shared": True}, ["sheet SW-1.pdf"]),
    ("throw new DOMException('', 'AbortError');", {}, ["sheet SW-1.pdf"]),
    ("throw new DOMException('', 'NotAllowedError');", {"saved": True}, ["sheet SW-1.pdf", "download SW-1.pdf"]),
])
def test_a_paper_goes_to_the_sheet_or_is_saved(then, answer, calls):
    assert run(sheet(then)) == {"shares": True, "answer": answer, "calls": calls}


def test_a_computer_or_a_browser_without_a_sheet_saves():
    assert run(sheet(""), coarse=False)["shares"] is False
    assert run("{}") == {"shares": False, "answer": {"saved": True}, "calls": ["download SW-1.pdf"]}
    assert run("{ share: async () => {}, canShare: () => false }")["shares"] is False
