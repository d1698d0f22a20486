"""What an inspector does, in a few calls: fill in an inspection, with or without failures, up to a signed order."""

from __future__ import annotations

from field_app.work.app import Work
from field_app.work.views import InspectionView, ItemView, PlacardView, SignedView
from tests.support.field_desk import PIN, jpeg

INLET = "INL-01@inlet:inlet-01"


def item(view: InspectionView, key: str) -> ItemView:
    """The item of that key, wherever it stands."""
    return next(i for s in view.sections for c in s.cards for i in c.items if i.key == key)


async def nothing_else(work: Work, draft: str) -> InspectionView:
    """Everything that was not answered does not apply, open findings of last time were not looked at, and nobody in
    charge was on the site."""
    view = work.inspection(draft)
    for section in view.sections:
        for card in section.cards:
            view = await work.answer_rest(draft, card.key, "na")
    for one in view.last_time:
        if not one.effective:
            await work.follow_up(draft, one.id, "not_observed")
    await work.set_closing(draft, how="nobody present")
    return work.inspection(draft)


async def soil_on_the_road(work: Work, draft: str) -> None:
    """A major failure with everything it needs: note and photo."""
    for part, value in (("soil", "clumps"), ("distance", "40"), ("gutter", "no")):
        await work.answer(draft, "TRK-06", part, value)
    await work.note(draft, "TRK-06", "Mud along Mill Street for 40 feet.")
    await work.add_photo(draft, "TRK-06", jpeg(1), source="camera", view="wide")


async def unprotected_inlet(work: Work, draft: str) -> None:
    """A critical failure: no barrier while water runs in; a wide and a close photo."""
    for part, value in (("barrier", "none"), ("runoff", "yes"), ("rain_due", "no")):
        await work.answer(draft, INLET, part, value)
    await work.note(draft, INLET, "No barrier, muddy water runs in.")
    await work.add_photo(draft, INLET, jpeg(2), source="camera", view="wide")
    await work.add_photo(draft, INLET, jpeg(3), source="camera", view="close")


async def failing_inspection(work: Work, site: str = "site-01") -> SignedView:
    """Begun, filled in with two failures, signed."""
    view = await work.begin_inspection(site)
    await soil_on_the_road(work, view.id)
    await unprotected_inlet(work, view.id)
    await nothing_else(work, view.id)
    return await work.sign_inspection(view.id, PIN)


async def written_order(work: Work, signed: SignedView, **second: str) -> str:
    """An order on that inspection with nothing missing; its id. `second`: how and reason, where another one stands;
    without them it is for another part of the site."""
    if not second and work.must_ask_first(signed.site):
        second = {"how": "beside", "reason": "Another part of the site."}
    order = await work.begin_order(signed.site, signed.fact, **second)
    order = await work.set_nobody_present(order.id, True)
    assert order.missing == ()
    return order.id


async def posted_order(work: Work, signed: SignedView, **second: str) -> PlacardView:
    order = await written_order(work, signed, **second)
    await work.make_placard(order)
    await work.placard_is_up(order)
    return await work.post_order(order, PIN)


async def recommended_order(work: Work, signed: SignedView) -> str:
    """An order of a person who may not post it."""
    order = await written_order(work, signed)
    await work.make_placard(order)
    await work.recommend_order(order, PIN)
    return order
