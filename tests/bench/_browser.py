"""What sending costs in the browser, beside the native figures of ``resume``: the engine's longest step, and memory.

``longest_step_browser_ms``: as the native one, in the web app's own Pyodide in Chromium, each step at the quickest of
several runs (a browser tells no processor time). ``upload_heap_growth``: WASM heap after 30 photos of 2 MB over that
after 3, previews and parts included.
"""

import sys

from tests.support.browser_uploads import browser_tablet


def figures() -> dict[str, float]:
    with browser_tablet() as tablet:
        step = tablet.longest_step()
        three, thirty = tablet.send(3), tablet.send(30)
    print(f"resume: longest step in the browser {step['longest_ms']:.1f} ms ({step['longest_of']}); heap "
          f"{three['heap'] >> 20} MB after 3 photos, {thirty['heap'] >> 20} MB after 33", file=sys.stderr)
    return {"longest_step_browser_ms": round(step["longest_ms"], 2),
            "upload_heap_growth": round(thirty["heap"] / three["heap"], 3)}
