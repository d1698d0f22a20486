"""Calls by `requests` in a thread: native apps, desktop, server mode, and the tests.

Redirects are not followed, cookies and .netrc are not used (either would let a stranger's network change who we are
to whom), files are streamed from disk, and no answer is read beyond a limit or past its deadline.
"""

import io
import time
from collections.abc import Callable
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from requests import exceptions
from urllib3.exceptions import HTTPError, NewConnectionError
from urllib3.exceptions import TimeoutError as TransferTimeout

from sync.client.calls import CUT, INSECURE, LOCAL, MAX_REPLY_BYTES, OFFLINE, TIMEOUT, Reply, Request, Room, Target
from sync.client.transports.deadline import Session, within
from sync.records.problems import Problem

_GRACE_S = 0.25
"""So long after its deadline a call may still end by itself."""


def _too_late() -> Reply:
    return Reply(failure=TIMEOUT, detail="the answer took too long")


class _Late(TimeoutError):
    """The call as a whole took too long."""


class _Body:
    """A request body that counts what has gone out and gives up at the deadline; never copies a file into memory."""

    def __init__(self, source: Any, deadline: float, progress: Callable[[int], None] | None,
                 part: tuple[int, int] | None = None) -> None:
        self._file = io.BytesIO(source) if isinstance(source, bytes | bytearray | memoryview) else source
        self._deadline, self._progress, self._sent = deadline, progress, 0
        self.unreadable: OSError | None = None
        at = self._file.tell()
        size = self._file.seek(0, io.SEEK_END) - at
        skipped, wanted = part or (0, size)
        if skipped + wanted > size:
            raise ValueError(f"the file has {size} bytes, not {skipped + wanted}")
        self._size = self._left = wanted
        self._file.seek(at + skipped)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Any:
        while block := self.read(65536):
            yield block

    def read(self, size: int = -1) -> bytes:
        if time.monotonic() > self._deadline:
            raise _Late
        try:
            block = self._file.read(self._left if size < 0 else min(size, self._left))
        except OSError as err:
            self.unreadable = err
            raise
        self._left -= len(block)
        self._sent += len(block)
        if self._progress:
            self._progress(self._sent)
        return block

    def close(self) -> None:
        self._file.close()


class NativeTransport:
    """One connection pool for all calls. ``stall_ms``: give up when nothing moves for so long."""

    def __init__(self, *, connect_ms: int = 5_000, stall_ms: int = 30_000) -> None:
        self._connect, self._stall = connect_ms / 1000, stall_ms / 1000
        self._session = Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def close(self) -> None:
        self._session.close()

    async def send(
        self, target: Target, request: Request, body: Any = None, progress: Callable[[int], None] | None = None
    ) -> Reply:
        return await within(request.timeout_ms / 1000 + _GRACE_S,
                            lambda: self._send(target, request, body, progress), _too_late)

    async def download(self, target: Target, request: Request, sink: Any, room: Room) -> Reply:
        """The answer's body goes into ``sink`` as far as ``room(status, headers)`` says; where that is None it is
        no part of the file and comes back as any other answer. Raises what the sink raises (Problem: no room)."""
        return await within(request.timeout_ms / 1000 + _GRACE_S,
                            lambda: self._download(target, request, sink, room), _too_late)

    def _download(self, target: Target, request: Request, sink: Any, room: Room) -> Reply:
        whole = request.timeout_ms / 1000
        deadline = time.monotonic() + whole
        try:
            with self._session.request(
                request.method, target.server + request.path, headers=target.headers(request),
                timeout=(min(self._connect, whole), min(self._stall, whole)), allow_redirects=False, stream=True,
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                left = room(response.status_code, headers)
                if left is None:
                    return Reply(response.status_code, headers, self._read(response, deadline))
                while left and (piece := response.raw.read1(min(65536, left))):
                    sink.write(piece)
                    left -= len(piece)
                    if time.monotonic() > deadline:
                        raise _Late
                if left:
                    return Reply(failure=CUT, detail=f"{left} bytes are missing")
                return Reply(response.status_code, headers)
        except Problem:
            raise
        except (requests.RequestException, HTTPError, OSError, ValueError) as err:
            return Reply(failure=_failure(err), detail=str(err))

    def _send(
        self, target: Target, request: Request, source: Any, progress: Callable[[int], None] | None
    ) -> Reply:
        whole = request.timeout_ms / 1000
        deadline = time.monotonic() + whole
        body: Any = request.body
        try:
            if source is not None:
                body = _Body(source, deadline, progress, request.part)
        except (OSError, ValueError) as err:
            return Reply(failure=LOCAL, detail=str(err))
        # While a file goes out the first of the two is the limit for each write as well.
        connect = min(self._stall if source is not None else self._connect, whole)
        try:
            with self._session.request(
                request.method,
                target.server + request.path,
                headers=target.headers(request),
                data=body,
                timeout=(connect, min(self._stall, whole)),
                allow_redirects=False,
                stream=True,
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Reply(response.status_code, headers, self._read(response, deadline))
        except (requests.RequestException, HTTPError, OSError, ValueError) as err:
            if isinstance(body, _Body) and body.unreadable:
                return Reply(failure=LOCAL, detail=str(body.unreadable))
            return Reply(failure=_failure(err), detail=str(err))
        finally:
            if isinstance(body, _Body):
                body.close()

    def _read(self, response: requests.Response, deadline: float) -> bytes:
        found = bytearray()
        if 300 <= response.status_code < 400:  # nobody of ours: what it says is read by nobody
            return b""
        # read1 gives what has come; read would wait for a full block, which an answer that drips never fills
        while block := response.raw.read1(65536, decode_content=True):
            found += block
            if time.monotonic() > deadline:
                raise _Late
            if len(found) > MAX_REPLY_BYTES:
                raise HTTPError("the answer is too long to be ours")
        return bytes(found)


def _chain(err: BaseException) -> list[BaseException]:
    """The error and all that is wrapped in it: requests and urllib3 hide the cause in arguments and attributes."""
    found: list[BaseException] = []
    left: list[Any] = [err]
    while left and len(found) < 20:
        one = left.pop(0)
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            left += [*one.args, getattr(one, "reason", None), one.__cause__, one.__context__]
    return found


def _failure(err: BaseException) -> str:
    causes = _chain(err)
    if isinstance(err, exceptions.SSLError):
        return INSECURE
    if any(isinstance(cause, NewConnectionError) for cause in causes):  # for urllib3 a kind of time-out
        return OFFLINE
    if any(isinstance(cause, exceptions.Timeout | TransferTimeout | TimeoutError) for cause in causes):
        return TIMEOUT
    return CUT if isinstance(err, exceptions.ConnectionError | HTTPError) else OFFLINE
