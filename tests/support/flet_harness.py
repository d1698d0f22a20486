"""Draws the tablet's screens without any client: a real Flet session on a connection that only writes down.

Everything sent is encoded as for a real client, so what cannot travel fails here too. It uses names that Flet does
not promise to keep; they stand in this file and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgpack
from flet.components.component import Component
from flet.components.hooks.use_state import StateHook
from flet.components.public_utils import unwrap_component
from flet.controls.base_control import BaseControl
from flet.controls.context import _context_page
from flet.messaging.connection import Connection
from flet.messaging.protocol import (
    Message,
    MessageAction,
    RegisterClientResponseBody,
    configure_encode_object_for_msgpack,
)
from flet.messaging.session import Session
from flet.pubsub.pubsub_hub import PubSubHub

SIZES = ((1280, 800), (800, 1280), (412, 915))


class PaperConnection(Connection):
    """Keeps what is sent; answers method calls from `replies` (by method name), else with None."""

    def __init__(self) -> None:
        super().__init__()
        self.pubsubhub = PubSubHub()
        self.loop = asyncio.get_running_loop()
        self.page_url = "http://test"
        self.sent: list[Message] = []
        self.bytes_sent = 0
        self.replies: dict[str, Any] = {}
        self.session: Session | None = None

    def send_message(self, message: Message) -> None:
        data = msgpack.packb(
            [message.action, message.body], default=configure_encode_object_for_msgpack(BaseControl)
        )
        self.bytes_sent += len(data)
        self.sent.append(message)
        if message.action == MessageAction.INVOKE_METHOD:
            reply = self.replies.get(message.body.name)
            value = reply(message.body.args) if callable(reply) else reply
            self.loop.call_soon(
                self.session.handle_invoke_method_results, message.body.control_id, message.body.call_id, value, None
            )

    def dispose(self) -> None:
        """Nothing to let go of."""


def walk(value: Any) -> Iterator[BaseControl]:
    """Every control below `value`, components opened, in the order in which they stand there."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        value = unwrap_component(waiting.pop())
        if isinstance(value, (list, tuple)):
            waiting.extend(reversed(value))
        elif isinstance(value, BaseControl) and id(value) not in seen:
            seen.add(id(value))
            yield value
            waiting.extend(reversed(parts_of(value)))


def parts_of(value: Any) -> list[Any]:
    """What a control holds: Flet keeps apart what differs from the default, and lists; nothing else can hold one."""
    if not isinstance(value, BaseControl):
        return []
    kept = [part for name, part in vars(value).items()
            if isinstance(part, (BaseControl, list, tuple)) and name[0] != "_" and name != "data"]
    return kept + [part for part in value._values.values() if isinstance(part, (BaseControl, list, tuple))]


def remembering(page: Any) -> dict[tuple[str, str], list[Any]]:
    """What the components of the page that have a state of their own remember, by their name and key."""
    found: dict[tuple[str, str], list[Any]] = {}
    waiting: list[Any] = [page.views]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Component):
            if any(isinstance(hook, StateHook) for hook in value._state.hooks):
                found.setdefault((value.fn.__name__, str(value.key)), []).append(value._state)
            waiting.append(value._b)
        else:
            waiting += value if isinstance(value, (list, tuple)) else parts_of(value)
    return found


def forgotten(before: dict[tuple[str, str], list[Any]], after: dict[tuple[str, str], list[Any]]) -> list[str]:
    """The components that are there before and after, and were made anew in between."""
    return [f"{name} {key}" for (name, key), states in before.items()
            if (now := after.get((name, key))) and len(now) == len(states) and {*map(id, now)} != {*map(id, states)}]


class Screen:
    """One open page: find parts by their Semantics identifier, press them, type into them, read what is shown."""

    def __init__(self, connection: PaperConnection, session: Session) -> None:
        self.connection, self.session, self.page = connection, session, session.page

    async def settle(self, turns: int = 12) -> None:
        """Let the loop run until nothing more is to be drawn (a fixed number of turns; no clock)."""
        for _turn in range(turns):
            await asyncio.sleep(0)

    def controls(self) -> list[BaseControl]:
        """Everything on the page, open dialogs included (a closed one leaves when the client says it faded)."""
        dialogs = [dialog for dialog in self.page._dialogs.controls if getattr(dialog, "open", False)]
        return [*walk(self.page.views), *walk(dialogs)]

    def ids(self) -> list[str]:
        """The identifiers on the page, in order."""
        return [c.identifier for c in self.controls() if getattr(c, "identifier", None)]

    def part(self, identifier: str) -> BaseControl:
        """The Semantics control with that identifier. Raises LookupError naming what is there."""
        for control in self.controls():
            if getattr(control, "identifier", None) == identifier:
                return control
        raise LookupError(f"{identifier!r} is not on the screen; there are {self.ids()}")

    def inside(self, identifier: str, *kinds: str) -> BaseControl:
        """The first control of one of these kinds (class names) at or below the part."""
        for control in walk(self.part(identifier)):
            if type(control).__name__ in kinds:
                return control
        raise LookupError(f"no {kinds} in {identifier!r}")

    def texts(self, identifier: str | None = None) -> list[str]:
        """All words shown, on the page or below one part."""
        where = walk(self.part(identifier)) if identifier else self.controls()
        return [c.value for c in where if type(c).__name__ == "Text" and c.value]

    def shows(self, words: str) -> bool:
        """Whether the words stand somewhere on the page."""
        return any(words in text for text in self.texts())

    async def press(self, identifier: str) -> None:
        """Tap the button or card. Raises AssertionError when it is disabled."""
        for control in walk(self.part(identifier)):
            if getattr(control, "on_click", None) is not None:
                assert not getattr(control, "disabled", False), f"{identifier!r} is disabled"
                await self.session.dispatch_event(control._i, "click", None)
                await self.settle()
                return
        raise LookupError(f"nothing to tap in {identifier!r}")

    def enabled(self, identifier: str) -> bool:
        """Whether the part can be tapped now."""
        return not any(getattr(c, "disabled", False) for c in walk(self.part(identifier)))

    async def type(self, identifier: str, text: str) -> None:
        """Replace the text of a field, as a client that sends its new value does."""
        field = self.inside(identifier, "TextField")
        self.session.apply_patch(field._i, {"value": text})
        await self.session.dispatch_event(field._i, "change", text)
        await self.settle()

    def value(self, identifier: str) -> str:
        """The text in a field."""
        return self.inside(identifier, "TextField").value

    async def fire(self, control: BaseControl, event: str, data: Any = None, **patch: Any) -> None:
        """Any other event of any control, with the values the client would send first."""
        if patch:
            self.session.apply_patch(control._i, patch)
        await self.session.dispatch_event(control._i, event, data)
        await self.settle()

    def close(self) -> None:
        self.session.close()


async def draw(main: Callable[..., Any], *, width: int = 1280, height: int = 800, route: str = "/") -> Screen:
    """Open a page of that size and run `main(page)` in it."""
    connection = PaperConnection()
    session = Session(connection)
    connection.session = session
    session.apply_page_patch({"route": route, "width": width, "height": height, "platform": "android", "web": False})
    _context_page.set(session.page)
    connection.send_message(
        Message(
            MessageAction.REGISTER_CLIENT,
            RegisterClientResponseBody(session_id=session.id, page_patch=session.get_page_patch(), error=""),
        )
    )
    result = main(session.page)
    if asyncio.iscoroutine(result):
        await result
    screen = Screen(connection, session)
    await session.after_event(session.page)
    await screen.settle()
    return screen
