"""What the modules of a QR code say: format, mask, code words, correction, text (ISO/IEC 18004, versions 1 to 20).

Only a code whose error correction agrees is read; anything else gives None, never a guess.
"""

from __future__ import annotations

from functools import cache
from itertools import chain

LARGEST = 20
Modules = list[list[int]]

# Error correction code words in each block, and blocks, by level and version (table 9 of the standard).
_CORRECTION = {
    "L": (7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28),
    "M": (10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26),
    "Q": (13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30),
    "H": (17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28),
}
_BLOCKS = {
    "L": (1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8),
    "M": (1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16),
    "Q": (1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20),
    "H": (1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25),
}
_LEVELS = ("M", "L", "H", "Q")  # as their two bits count
_MASKS = (
    lambda i, j: (i + j) % 2 == 0, lambda i, j: i % 2 == 0, lambda i, j: j % 3 == 0, lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0, lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0, lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
)
_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"


def read_modules(modules: Modules) -> str | None:
    """The text of a code, its modules row by row (1 dark); None when they are no code that agrees with itself."""
    size = len(modules)
    version = (size - 17) // 4
    form = _format(modules)
    if form is None or not 1 <= version <= LARGEST:
        return None
    level, mask = form
    words = _words(modules, version, mask)
    data = _corrected(words, version, level)
    return None if data is None else _text(data, version)


def alignment_places(version: int) -> list[int]:
    """Rows (and columns) in which the small squares of this version have their middles."""
    if version == 1:
        return []
    count = version // 7 + 2
    step = (version * 8 + count * 3 + 5) // (count * 4 - 4) * 2
    return [6, *sorted(version * 4 + 10 - at * step for at in range(count - 1))]


@cache
def _formats() -> tuple[int, ...]:
    made = []
    for data in range(32):
        rest = data << 10
        for bit in range(14, 9, -1):
            if rest >> bit & 1:
                rest ^= 0x537 << (bit - 10)
        made.append((data << 10 | rest) ^ 0x5412)
    return tuple(made)


def _format(modules: Modules) -> tuple[str, int] | None:
    """Level and mask, from the better of their two copies; None when both are too damaged."""
    size = len(modules)
    around = [modules[8][c] for c in (0, 1, 2, 3, 4, 5, 7, 8)] + [modules[r][8] for r in (7, 5, 4, 3, 2, 1, 0)]
    apart = [modules[r][8] for r in range(size - 1, size - 8, -1)] + [modules[8][c] for c in range(size - 8, size)]
    best = min(
        ((int("".join(map(str, bits)), 2) ^ form).bit_count(), data)
        for bits in (around, apart)
        for data, form in enumerate(_formats())
    )
    return (_LEVELS[best[1] >> 3], best[1] & 7) if best[0] <= 3 else None


@cache
def _data_places(version: int) -> tuple[tuple[int, int], ...]:
    """Where the data bits lie, in their order."""
    size = 17 + 4 * version
    fixed = {(r, c) for r in range(9) for c in range(9)}
    fixed |= {(r, c) for r in range(9) for c in range(size - 8, size)}
    fixed |= {(r, c) for r in range(size - 8, size) for c in range(9)}
    fixed |= {(6, at) for at in range(size)} | {(at, 6) for at in range(size)}
    middles = alignment_places(version)
    for row in middles:
        for column in middles:
            if (row, column) not in ((6, 6), (6, size - 7), (size - 7, 6)):
                fixed |= {(row + i, column + j) for i in range(-2, 3) for j in range(-2, 3)}
    if version >= 7:
        fixed |= {(r, c) for r in range(6) for c in range(size - 11, size - 8)}
        fixed |= {(c, r) for r in range(6) for c in range(size - 11, size - 8)}
    places = []
    upward = True
    for right in chain(range(size - 1, 6, -2), range(5, 0, -2)):
        for row in range(size - 1, -1, -1) if upward else range(size):
            places += [(row, column) for column in (right, right - 1) if (row, column) not in fixed]
        upward = not upward
    return tuple(places)


def _words(modules: Modules, version: int, mask: int) -> list[int]:
    turned = _MASKS[mask]
    bits = [modules[r][c] ^ turned(r, c) for r, c in _data_places(version)]
    return [int("".join("1" if bit else "0" for bit in bits[at : at + 8]), 2) for at in range(0, len(bits) - 7, 8)]


def _corrected(words: list[int], version: int, level: str) -> bytes | None:
    """The data words, each block put right; None when a block is damaged beyond that."""
    spare, count = _CORRECTION[level][version - 1], _BLOCKS[level][version - 1]
    short = len(words) // count - spare
    longer = len(words) % count  # that many blocks at the end have one data word more
    lengths = [short + (at >= count - longer) for at in range(count)]
    blocks: list[list[int]] = [[] for _ in lengths]
    found = iter(words)
    for at in range(short + 1):
        for block, length in zip(blocks, lengths, strict=True):
            if at < length:
                block.append(next(found))
    for _at in range(spare):
        for block in blocks:
            block.append(next(found))
    data = []
    for block, length in zip(blocks, lengths, strict=True):
        right = _repair(block, spare)
        if right is None:
            return None
        data += right[:length]
    return bytes(data)


# --- arithmetic in the field of 256 elements, in which the code words are corrected ---
_EXP = [1] * 512
for _at in range(1, 512):
    _EXP[_at] = _EXP[_at - 1] << 1 ^ (0x11D if _EXP[_at - 1] & 0x80 else 0)
_LOG = {_EXP[_at]: _at for _at in range(255)}


def _times(a: int, b: int) -> int:
    return _EXP[_LOG[a] + _LOG[b]] if a and b else 0


def _value(polynomial: list[int], x: int) -> int:
    """The polynomial's value, its highest coefficient first."""
    total = 0
    for one in polynomial:
        total = _times(total, x) ^ one
    return total


def _repair(block: list[int], spare: int) -> list[int] | None:
    """Reed-Solomon: the block with its errors put right; None when there are more than `spare` / 2."""
    checks = [_value(block, _EXP[at]) for at in range(spare)]
    if not any(checks):
        return block
    # Berlekamp and Massey: the polynomial whose roots tell where the errors lie, its lowest coefficient first.
    where, before, length, gap, lead = [1], [1], 0, 1, 1
    for at, check in enumerate(checks):
        wrong = check
        for k in range(1, length + 1):
            wrong ^= _times(where[k] if k < len(where) else 0, checks[at - k])
        if not wrong:
            gap += 1
            continue
        factor = _EXP[_LOG[wrong] + 255 - _LOG[lead]]
        shifted = [0] * gap + [_times(factor, one) for one in before]
        longest = max(len(where), len(shifted))
        new = [(where[k] if k < len(where) else 0) ^ (shifted[k] if k < len(shifted) else 0) for k in range(longest)]
        if 2 * length <= at:
            length, before, lead, gap = at + 1 - length, where, wrong, 1
        else:
            gap += 1
        where = new
    if 2 * length > spare:
        return None
    size = len(block)
    places = [at for at in range(size) if not _value(where[::-1], _EXP[(255 - at) % 255])]
    if len(places) != length:
        return None
    # Forney: by how much each is wrong.
    amounts = [0] * spare
    for at in range(spare):
        for k in range(min(at, len(where) - 1) + 1):
            amounts[at] ^= _times(where[k], checks[at - k])
    fixed = list(block)
    for at in places:
        root = _EXP[(255 - at) % 255]
        slope = 0
        for k in range(1, len(where), 2):
            slope ^= _times(where[k], _EXP[_LOG[root] * (k - 1) % 255])
        if not slope:
            return None
        amount = _times(_value(amounts[::-1], root), _EXP[(255 - _LOG[slope]) % 255])
        fixed[size - 1 - at] ^= _times(amount, _EXP[at % 255])
    return fixed if not any(_value(fixed, _EXP[at]) for at in range(spare)) else None


def _text(data: bytes, version: int) -> str | None:
    """The text of the segments; None for an alphabet that is not read here (Kanji) or words that break off."""
    bits = int.from_bytes(data, "big")
    left = len(data) * 8

    def take(count: int) -> int:
        nonlocal left
        left -= count
        return bits >> left & (1 << count) - 1 if left >= 0 else -1

    wide = 0 if version < 10 else 1
    made = b""
    while left >= 4:
        mode = take(4)
        if mode == 0:
            break
        if mode == 7:  # says which characters the bytes are; those of an address are the same in all
            take(8)
        elif mode == 4:
            count = take((8, 16)[wide])
            if left < count * 8:
                return None
            made += bytes(take(8) for _ in range(count))
        elif mode == 1:
            count = take((10, 12)[wide])
            for size in [3] * (count // 3) + ([count % 3] if count % 3 else []):
                made += str(take((0, 4, 7, 10)[size])).zfill(size).encode()
        elif mode == 2:
            count = take((9, 11)[wide])
            for _ in range(count // 2):
                pair = take(11)
                if not 0 <= pair < 45 * 45:
                    return None
                made += (_ALPHANUMERIC[pair // 45] + _ALPHANUMERIC[pair % 45]).encode()
            if count % 2 and 0 <= (last := take(6)) < 45:
                made += _ALPHANUMERIC[last].encode()
        else:
            return None
        if left < 0:
            return None
    try:
        return made.decode()
    except UnicodeDecodeError:
        return made.decode("latin-1")
