"""How much of a file goes out at once: as much as the link carries in a few seconds, less after every cut.

Pure arithmetic over what was measured. A cut costs at most one chunk, so on a link that breaks often chunks are
small; on a good one they are large, for each costs a round trip and two flushes of the server's disk.
"""

from sync.client.policy import Policy


class Chunks:
    """The present size, in bytes; what fits it goes in one PUT."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.size = policy.chunk_first
        self._most = policy.chunk_most

    def went(self, size: int, ms: int) -> None:
        """``size`` bytes went out in ``ms``; the next chunk aims at the wished time, and at most doubles.

        A small file that went quickly says little about the link, so it never makes chunks smaller.
        """
        wished = size * self._policy.chunk_ms // max(ms, 1)
        if size < self.size // 2 and ms < self._policy.chunk_ms:
            return
        self._set(min(wished, self.size * 2))

    def broke(self) -> None:
        """The link broke, or was too slow, while bytes went out."""
        self._set(self.size // 2)

    def refused(self, size: int) -> bool:
        """Something on the way let no ``size`` bytes through at once: from now on less. False when it is least."""
        if size <= self._policy.chunk_least:
            return False
        self._most = max(self._policy.chunk_least, min(self._most, size // 2))
        self._set(self.size)
        return True

    def anew(self) -> None:
        """Another network: what was learned of the former says nothing."""
        self._most = self._policy.chunk_most
        self.size = self._policy.chunk_first

    def _set(self, size: int) -> None:
        self.size = max(self._policy.chunk_least, min(self._most, size))
