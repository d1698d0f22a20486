"""The keys of the plan viewer enlarge what is in its middle, wherever fingers have moved the page before."""


from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.ui.components.lens import LARGEST, SMALLEST, Lens

WIDE, HIGH = 800.0, 500.0
SPOT = st.tuples(st.floats(0, WIDE), st.floats(0, HIGH))
GESTURES = st.lists(st.tuples(SPOT, SPOT, st.floats(0.2, 5)), max_size=4)


class Client:
    """A viewer as the client has it: it scales from the corner of the picture, and keeps to itself where that is."""

    def __init__(self) -> None:
        self.x = self.y = 0.0
        self.scale = 1.0

    def held(self, begin: tuple[float, float], end: tuple[float, float], wider: float) -> None:
        at = [(spot - corner) / self.scale for spot, corner in zip(begin, (self.x, self.y), strict=True)]
        self.scale = min(LARGEST, max(SMALLEST, self.scale * wider))
        self.x, self.y = end[0] - self.scale * at[0], end[1] - self.scale * at[1]

    def zoom(self, factor: float) -> None:
        self.scale = min(LARGEST, max(SMALLEST, self.scale * factor))

    def pan(self, across: float, down: float) -> None:
        self.x, self.y = self.x + self.scale * across, self.y + self.scale * down

    def in_the_middle(self) -> tuple[float, float]:
        return (WIDE / 2 - self.x) / self.scale, (HIGH / 2 - self.y) / self.scale


@settings(max_examples=150, deadline=None, derandomize=True)
@given(GESTURES, st.lists(st.sampled_from([1.6, 1 / 1.6]), min_size=1, max_size=6))
def test_what_is_in_the_middle_stays_there(gestures, presses):
    client, lens = Client(), Lens()
    for begin, end, wider in gestures:
        client.held(begin, end, wider)
        lens.begin(*begin)
        lens.go_on(*end, wider)
        client.pan(*lens.back_in(WIDE, HIGH))
    before = client.in_the_middle()
    assert -0.01 <= before[0] <= WIDE + 0.01 and -0.01 <= before[1] <= HIGH + 0.01, "a part of the page"
    for press in presses:
        factor, across, down = lens.enlarge(press, WIDE, HIGH)
        client.zoom(factor)
        client.pan(across, down)
        assert all(abs(a - b) < 0.01 for a, b in zip(before, client.in_the_middle(), strict=True))
    assert (round(lens.x, 3), round(lens.y, 3)) == (round(client.x, 3), round(client.y, 3))
