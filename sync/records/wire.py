"""The one way a record becomes bytes, and bytes become a record.

Bytes are hashed and signed, so they are made once (sorted keys, no spaces, UTF-8) and never made again from a
parsed copy. Floats are refused both ways: a number that matters to the law is an integer or a decimal string.
"""

import json
import re
from typing import Any

from sync.records.problems import Problem

MAX_DEPTH = 32
_HALF = re.compile("[\ud800-\udfff]")
_PLAIN = (int, bool, type(None))


def _refuse(value: Any, where: str, depth: int = 0) -> None:
    """Refuses what JSON text can hold and a record may not: floats, half surrogate pairs, bottomless nesting."""
    if depth > MAX_DEPTH:
        raise Problem("wire-malformed", f"nested deeper than {MAX_DEPTH} levels", where=where)
    if isinstance(value, float):
        raise Problem("wire-malformed", f"{value!r} is a float: write an integer or a decimal string", where=where)
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise Problem("wire-malformed", f"the key {key!r} is not text", where=where)
            _refuse(key, where)
            _refuse(inner, f"{where}.{key}" if where else key, depth + 1)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _refuse(inner, f"{where}[{index}]", depth + 1)
    elif isinstance(value, str):
        if not value.isascii() and _HALF.search(value):
            raise Problem("wire-malformed", "the text holds half a surrogate pair", where=where)
    elif value is not None and not isinstance(value, int | bool):
        raise Problem("wire-malformed", f"{type(value).__name__} cannot travel", where=where)


def _fine(value: Any, depth: int = 0) -> bool:
    """Whether there is nothing to refuse, for plain types, quickly. False: ``_refuse`` decides, and says where."""
    if depth > MAX_DEPTH:
        return False
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) is not str or not (key.isascii() or _fine(key)):
                return False
        value = value.values()
    elif kind is not list:
        return (kind is str and (value.isascii() or not _HALF.search(value))) or kind in _PLAIN
    for inner in value:
        kind = type(inner)
        if kind is str:
            if not inner.isascii() and _HALF.search(inner):
                return False
        elif kind not in _PLAIN and not _fine(inner, depth + 1):
            return False
    return True


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def encode(value: Any) -> bytes:
    """The exact bytes of ``value``. Raises Problem "wire-malformed" for floats, other types, lone surrogates."""
    if not _fine(value):
        _refuse(value, "")
    return _ENCODER.encode(value).encode()


def _no_float(text: str) -> Any:
    raise Problem("wire-malformed", f"{text} is a float or too large: write an integer or a decimal string")


def _whole(text: str) -> int:
    if len(text) > 40:
        raise Problem("wire-malformed", "an integer of more than 40 digits")
    return int(text)


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise Problem("wire-malformed", f"the key {twin!r} stands twice",
                      where=twin.encode(errors="backslashreplace").decode())
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_no_twins, parse_float=_no_float, parse_constant=_no_float, parse_int=_whole)
_QUICK = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float, parse_int=_whole)


def _texts(value: dict[str, Any] | list[Any], left: int = MAX_DEPTH) -> int:
    """How many texts there are in it, keys too. Far below zero where it is nested too deeply."""
    if left < 0:
        return -2**62
    found = 0
    if type(value) is dict:
        found, value = len(value), value.values()
    for inner in value:
        kind = type(inner)
        if kind is str:
            found += 1
        elif kind is dict or kind is list:
            found += _texts(inner, left - 1)
    return found


def _quickly(data: bytes) -> Any | None:
    """The value of most messages, which escape nothing; None: ``decode`` takes its time.

    Without a backslash every quotation mark begins or ends a text, so a key that stood twice shows in their number, and
    no half of a surrogate pair can be there. Floats are refused as they are read.
    """
    if b"\\" in data:
        return None
    value = _QUICK.decode(data.decode("utf-8"))
    plain = type(value) in (dict, list) and 2 * _texts(value) == data.count(b'"')
    return value if plain else None


def decode(data: bytes | str) -> Any:
    """The value in ``data``. Raises Problem "wire-malformed" for anything that is not strict, float-free JSON."""
    try:
        if isinstance(data, bytes) and (quick := _quickly(data)) is not None:
            return quick
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = _DECODER.decode(text)
    except Problem:
        raise
    except RecursionError as err:
        raise Problem("wire-malformed", "nested too deeply") from err
    except ValueError as err:
        raise Problem("wire-malformed", f"not JSON: {err}") from err
    if not _fine(value):
        _refuse(value, "")
    return value
