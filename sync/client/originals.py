"""Which files wait while the network costs money: originals do, records and previews never.

Pure. Whether the network is metered is said from outside (the platform, else the person); "send them now anyway" holds
for the files that wait at that moment, once, so that it cannot empty a data plan by being forgotten.
"""

from collections.abc import Iterable

from sync.client.rows import FileRow

# What is large: a photo as it was taken, a sound. A preview, a signature or a placard is small and goes at once.
LARGE = frozenset({"photo", "voice_note"})


class Originals:
    """``metered``: the present network costs money, or the person wants photos to wait."""

    def __init__(self) -> None:
        self.metered = False
        self._anyway: frozenset[str] = frozenset()

    def holds_all(self, kind: str) -> bool:
        """Whether every file of this kind waits for another network."""
        return self.metered and kind in LARGE and not self._anyway

    def holds(self, row: FileRow) -> bool:
        """Whether the file waits for another network."""
        return self.metered and row.kind in LARGE and not row.held and row.sha256 not in self._anyway

    def held_back(self, rows: Iterable[FileRow]) -> tuple[FileRow, ...]:
        """Those of ``rows`` that wait for another network."""
        return tuple(row for row in rows if self.holds(row)) if self.metered else ()

    def send_anyway(self, rows: Iterable[FileRow]) -> None:
        """What waits now goes all the same; what is taken later waits again."""
        self._anyway |= {row.sha256 for row in self.held_back(rows)}
