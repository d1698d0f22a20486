"""What the document of an order says about the acts that came after it: released, voided, put up again, ratified ...

Only what people did and when; the status and the dates come from the law.
"""

from __future__ import annotations

from typing import Any

from sync.ordinance.orders import OrderState
from sync.server.casework.city import City

VOIDING = ("void", "supersede", "count_as_repost")


def told(city: City, own: list[Any], ups: list[Any]) -> dict[str, Any]:
    """The acts (rows of ``acts``, in order) and further affixings of one order: who, when, why."""
    by = {name: [act for act in own if act.act == name] for name in {act.act for act in own}}

    def first(*names: str) -> dict[str, Any] | None:
        found = [act for name in names for act in by.get(name, ())]
        return one(min(found, key=lambda act: (act.on_day, act.at, act.step))) if found else None

    def one(act: Any) -> dict[str, Any]:
        return {"by": act.person, "on": act.on_day.isoformat(),
                "at": act.at.astimezone(city.zone).isoformat(timespec="seconds"), "reasons": act.reasons or "",
                "fact": act.fact, "how": act.act, **act.doc}

    releases = [one(act) for act in by.get("release", ())]
    whole = [release for release in releases if release["scope"] == "whole"]
    again = [{"on": up.posted_on.isoformat(), "at": up.posted_at, "by": up.person, "place": up.place or ""}
             for up in ups[1:]]
    again += [{"on": act.on_day.isoformat(), "at": act.doc.get("posted_at"), "by": act.person,
               "place": act.doc.get("place", ""),
               **{name: act.doc[name] for name in ("position", "no_position") if name in act.doc}}
              for act in by.get("repost", ())]
    return {
        "released": whole[0] if whole else None,
        "partly_released": [release for release in releases if release["scope"] == "part"],
        "void": first(*VOIDING),
        "reversed": next((one(act) for act in by.get("appeal_decided", ()) if act.doc["result"] == "reversed"), None),
        "ratified": first("ratify"),
        "service_confirmed": first("service_confirmed"),
        "appealed": first("appeal_filed"),
        # Each a breach of its own; a document of an order that was kept says nothing of it.
        **({"worked_on": [one(act) for act in by["worked_on"]]} if "worked_on" in by else {}),
        "reposted": sorted(again, key=lambda up: (up["on"], up["at"] or "", up["by"])),
    }


def first_day(doc: dict[str, Any]) -> str | None:
    """Of an order's document: the day before which nothing can have been done with it; None while nobody issued it or
    put it up. Ratified, it counts from later, and was up before."""
    return min((on for on in (doc["posted_on"], doc["issued_on"], doc["body"]["posted_on"]) if on), default=None)


def since(order: OrderState, granted: dict[str, str] | None) -> dict[str, Any]:
    """What happened with the order's site and parties, for its document; nothing where nothing did.

    ``granted``: {permit, number, on} of a permit granted after it; ``sold``: {on, served}: the land changed hands, and
    when its new owner was served; ``service``: [{party, on, name, method}], whoever was served.
    """
    found: dict[str, Any] = {"granted": granted} if granted else {}
    if order.sold_on is not None:
        served = order.served("landowner")
        found["sold"] = {"on": order.sold_on.isoformat(), "served": served.isoformat() if served else None}
    if order.service:
        found["service"] = [{"party": one.party, "on": one.on.isoformat(), "name": one.name, "method": one.method}
                            for one in order.service]
    return found
