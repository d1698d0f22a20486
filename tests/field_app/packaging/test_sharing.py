"""How the page hands a paper over: the sheet of a tablet, and a download where the sheet is missing or fails.

Chromium on a computer has no such sheet, so the page's own functions run in Node with the browser's parts beside them.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tests.pyodide.harness import node

START = Path(__file__).resolve().parents[3] / "assets" / "pwa" / "start.js"
AROUND = """
const calls = [];
const flet = { pageFacts: {} };
globalThis.matchMedia = () => ({ matches: COARSE });
Object.defineProperty(globalThis, "navigator", { value: NAVIGATOR });
const saveFile = (name) => { calls.push("download " + name); return { saved: true }; };
"""
ASK = """
shareFile("SW-1.pdf", "application/pdf", new Uint8Array([37, 80])).then((answer) =>
  console.log(JSON.stringify({ shares: flet.pageFacts.shares, answer, calls })));
"""


def run(navigator: str, coarse: bool = True) -> dict:
    text = START.read_text()
    own = text[text.index("  const sample = "):text.index("  // What the camera's preview shows")]
    script = AROUND.replace("COARSE", str(coarse).lower()).replace("NAVIGATOR", navigator) + own + ASK
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
