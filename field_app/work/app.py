"""`Work`: everything the inspector does on the tablet, in one object that the screens call.

Reading methods are plain calls on memory and give a view-model of `views.py`. Writing methods are
coroutines: when one returns, what it did is durable (one store change each) and the view-model it gives
shows the stored state. A refusal is a `Problem`; `problem_view()` puts it in words. Nothing here waits for
the network except `enrol`, `sign_in` and `send_now`. Only this package calls the store, the evidence box
and the sync client.
"""

from __future__ import annotations

from field_app.work import enrolling
from field_app.work.desk import PIN_ROUNDS, Desk
from field_app.work.faces.finds import FindsFace
from field_app.work.faces.inspection import InspectionFace
from field_app.work.faces.marks import MarksFace
from field_app.work.faces.orders import OrdersFace
from field_app.work.faces.photos import PhotosFace
from field_app.work.faces.plans import PlansFace
from field_app.work.faces.session import SessionFace
from field_app.work.faces.site_acts import SiteActsFace
from field_app.work.faces.sites import SitesFace
from field_app.work.faces.tablet import TabletFace
from field_app.work.faces.voice import VoiceFace
from field_app.work.views import AnotherTabView


def another_tab_view(language: str = "en") -> AnotherTabView:
    """The screen for `StoreBusy`, when there is no Work yet."""
    return enrolling.another_tab_view(language)


class Work(SessionFace, SitesFace, FindsFace, InspectionFace, PhotosFace, MarksFace, VoiceFace, OrdersFace, PlansFace,
           SiteActsFace, TabletFace):
    """One tablet's work. Build it once per session, on an open store and evidence box."""

    def __init__(
        self, store, box, hardware, *, server: str, language: str | None = None, pin_rounds: int = PIN_ROUNDS
    ) -> None:
        """`server` is the address of the central server ("http://127.0.0.1:8000"); it is only a default for a
        tablet not enrolled yet: an enrolled tablet keeps its own. `language` overrides the stored choice.
        `pin_rounds`: cost of a new PIN's verifier; only tests lower it."""
        self._desk = Desk(store, box, hardware, server=server, language=language, pin_rounds=pin_rounds)
