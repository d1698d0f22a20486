"""The pictures that a person chose in the browser's own chooser: the page holds the files, and Python asks for them.

Flet's client would send the bytes as a message, and every message is made anew in Python's memory.
"""

from pyodide.ffi import JsException

from field_app.hardware.page_port import PagePort
from field_app.hardware.picker import Held
from field_app.hardware.ports import Picked
from field_app.photos.outside import outside
from sync.records.problems import Problem


def chosen_pictures(port: PagePort) -> Held:
    """`await chosen()`: what was chosen last, once. Raises Problem "evidence-not-an-image" for a file
    that is gone by now."""

    async def chosen() -> list[Picked]:
        files = (await port.ask("chosen-files")).get("files") or []
        try:
            return [Picked(file.name, await outside(file)) for file in files]
        except JsException as error:
            raise Problem("evidence-not-an-image", f"The chosen picture cannot be read any more: {error}") from error

    return chosen
