"""What every use case needs at hand: store, evidence box, hardware, words, the pack, who is signed in."""


class Desk:
    def __init__(self, store, box, hardware, *, server: str, language: str | None) -> None:
        self.store, self.box, self.hardware, self.server = store, box, hardware, server
