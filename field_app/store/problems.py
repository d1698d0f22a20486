"""What can go wrong with the store, each with its stable code of the one catalogue."""

from sync.records.problems import Problem


class StoreBusy(Problem):
    """Another tab, window or process holds the store. Nothing was touched."""

    def __init__(self, where: str = ""):
        super().__init__("store-busy", where=where)


class StoreFull(Problem):
    """No room for the change. Everything saved before is still there; this change is not."""

    def __init__(self, where: str = ""):
        super().__init__(
            "store-full",
            "There is no room left on this tablet. The last step was not saved; all that was saved before is safe",
            where=where,
        )


class StoreDamaged(Problem):
    """The files cannot be read as they should be. They are left exactly as they are."""

    def __init__(self, detail: str, *, where: str):
        super().__init__("store-damaged", detail, where=where)


class StoreNewer(Problem):
    """A newer version of the app wrote this store. It is left exactly as it is."""

    def __init__(self, version: int, *, where: str):
        super().__init__("store-newer", f"The records have format {version}, newer than this app knows", where=where)


class StoreValue(Problem):
    """A document that would not come back from the disk as it went in, or a wrong use of the store."""

    def __init__(self, detail: str, *, where: str = ""):
        super().__init__("store-value", detail, where=where)


class StoreLocked(Problem):
    """The records are encrypted, and nobody has unlocked them since the app began."""

    def __init__(self) -> None:
        super().__init__("store-locked")
