"""Calls by the browser's own fetch, from Python in Pyodide.

An evidence file goes out as a JS File from OPFS, or as what the browser decrypted of it, so its bytes never enter the
WASM heap, which never shrinks. Redirects are not followed, no cookies go along, nothing is cached. `js` is imported
only inside the functions, so that this module can be imported (and its names checked) anywhere.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from sync.client.calls import CUT, LOCAL, MAX_REPLY_BYTES, OFFLINE, REDIRECT, TIMEOUT, Reply, Request, Room, Target
from sync.records.problems import Problem

_OPTIONS = {
    "redirect": "manual", "credentials": "omit", "cache": "no-store", "referrerPolicy": "no-referrer",
}  # fmt: skip


def _headers(response: Any) -> dict[str, str]:
    import js

    return {str(pair[0]).lower(): str(pair[1]) for pair in js.Array.from_(response.headers.entries())}


class BrowserTransport:
    """`Transport` over fetch. The browser tells no progress of an upload, so ``progress`` is not called."""

    async def send(
        self, target: Target, request: Request, body: Any = None, progress: Callable[[int], None] | None = None
    ) -> Reply:
        import js

        controller = js.AbortController.new()
        try:
            return await asyncio.wait_for(
                self._fetch(target, request, body, controller.signal), request.timeout_ms / 1000
            )
        except TimeoutError:
            return Reply(failure=TIMEOUT, detail=f"no answer within {request.timeout_ms} ms")
        finally:
            # After an answer this does nothing; after a time-out or a stop it frees the connection.
            controller.abort()

    async def download(self, target: Target, request: Request, sink: Any, room: Room) -> Reply:
        """The answer's body goes into ``sink`` piece by piece, as the browser's own arrays: not a byte of it enters
        Python's memory. Raises what the sink raises (Problem: no room)."""
        import js

        controller = js.AbortController.new()
        try:
            return await asyncio.wait_for(
                self._fetch_into(target, request, sink, room, controller.signal), request.timeout_ms / 1000
            )
        except TimeoutError:
            return Reply(failure=TIMEOUT, detail=f"no answer within {request.timeout_ms} ms")
        finally:
            controller.abort()

    async def _fetch_into(self, target: Target, request: Request, sink: Any, room: Room, signal: Any) -> Reply:
        import js
        from pyodide.ffi import JsException, to_js

        headers = target.headers(request)
        headers.pop("Accept-Encoding", None)  # fetch sets it by itself and does not let anybody else
        options = to_js({**_OPTIONS, "method": request.method, "headers": headers},
                        dict_converter=js.Object.fromEntries)
        options.signal = signal
        try:
            response = await js.fetch(target.server + request.path, options)
            if response.type == "opaqueredirect":
                return Reply(failure=REDIRECT)
            status, found = int(response.status), _headers(response)
            left = room(status, found)
            if left is None:
                return Reply(status, found, (await response.arrayBuffer()).to_bytes())
            reader = response.body.getReader()
            while left:
                step = await reader.read()
                if step.done:
                    return Reply(failure=CUT, detail=f"{left} bytes are missing")
                piece = step.value if step.value.byteLength <= left else step.value.subarray(0, left)
                sink.write(piece)
                left -= piece.byteLength
            return Reply(status, found)
        except JsException as err:
            return Reply(failure=CUT if sink.written else OFFLINE, detail=str(err))

    async def _fetch(self, target: Target, request: Request, body: Any, signal: Any) -> Reply:
        import js
        from pyodide.ffi import JsException, to_js

        options = to_js(
            {**_OPTIONS, "method": request.method, "headers": target.headers(request)},
            dict_converter=js.Object.fromEntries,
        )
        options.signal = signal
        content = body if body is not None else request.body
        if body is not None and not isinstance(body, bytes) and hasattr(body, "plain"):
            # A file that lies encrypted: the browser decrypts the part that goes out, and holds it.
            first, end = (request.part[0], sum(request.part)) if request.part is not None else (0, body.size)
            try:
                content = await body.plain(first, end)
            except Problem as problem:
                return Reply(failure=LOCAL, detail=str(problem))
        elif request.part is not None:  # a slice of a File is no copy: its bytes stay out of memory
            first, end = request.part[0], sum(request.part)
            content = content[first:end] if isinstance(content, bytes) else content.slice(first, end)
        if content is not None:
            options.body = to_js(content) if isinstance(content, bytes | bytearray) else content
        try:
            response = await js.fetch(target.server + request.path, options)
        except JsException as err:
            # fetch tells no cause: refused, no network, a bad certificate and a cut request look the same.
            return Reply(failure=OFFLINE, detail=str(err))
        if response.type == "opaqueredirect":
            return Reply(failure=REDIRECT)
        headers = _headers(response)
        if int(headers.get("content-length") or 0) > MAX_REPLY_BYTES:
            return Reply(failure=CUT, detail="the answer is too long to be ours")
        try:
            data = (await response.arrayBuffer()).to_bytes()
        except JsException as err:
            return Reply(failure=CUT, detail=str(err))
        return Reply(int(response.status), headers, data)
