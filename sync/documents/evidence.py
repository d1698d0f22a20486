"""Photos and their fingerprints on a paper: each picture with where, when, how it was taken and its SHA-256.

A picture on paper is a preview; the fingerprint is that of the untouched original. A photo whose original or
preview is not there yet keeps its place on the paper, with its fingerprint and a sentence that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sync.documents.language import Translate, distance_words, moment_words, parse_wall
from sync.documents.layers import draw_on_paper
from sync.records.layers import Layer
from sync.records.places import metres_off


def position_words(photo: Mapping[str, Any], _: Translate) -> str:
    """Position in degrees with its accuracy in feet, or why there is none."""
    place = photo.get("position")
    if not place:
        return _("no position: {reason}").format(reason=photo.get("no_position") or _("not recorded"))
    words = _("{lat}, {lon} (within {distance})").format(
        lat=degrees(place["lat_udeg"]),
        lon=degrees(place["lon_udeg"]),
        distance=distance_words(place["accuracy_cm"] / 100, _),
    )
    return _("{words}; set by an app, not measured").format(words=words) if place.get("mocked") else words


def degrees(udeg: int) -> str:
    """Microdegrees as decimal degrees, exactly, without a float: -89123456 is "-89.123456"."""
    sign = "-" if udeg < 0 else ""
    return f"{sign}{abs(udeg) // 1_000_000}.{abs(udeg) % 1_000_000:06d}"


def source_words(source: str, _: Translate) -> str:
    return {
        "camera": _("taken in the app"),
        "system camera": _("taken with the tablet's camera app"),
        "gallery": _("chosen from the gallery, not taken in the app"),
    }.get(source, source)


def caption_words(about: str, photo: Mapping[str, Any], _: Translate) -> str:
    """What a photo shows, and whether from afar or close up: "Placard · wide"."""
    view = photo.get("view") or ""
    if not about:
        return {"wide": _("Wide view"), "close": _("Close view")}.get(view, "")
    return {"wide": _("{what} · wide"), "close": _("{what} · close")}.get(view, "{what}").format(what=about)


def taken_words(photo: Mapping[str, Any], _: Translate) -> str:
    """When it was taken. A picture from the gallery only says so itself; without that, when it was chosen."""
    taken = photo.get("taken") or {}
    if not taken.get("wall"):
        return _("time not recorded")
    moment = moment_words(parse_wall(taken["wall"]), _)
    if photo.get("source") != "gallery":
        return moment
    claimed = _claimed(photo)
    if claimed is None:
        return _("chosen {moment}; when it was taken is not known").format(moment=moment)
    return _("{moment}, as the picture itself says").format(moment=moment_words(claimed, _))


def _claimed(photo: Mapping[str, Any]) -> datetime | None:
    """When the picture's own EXIF says it was taken; nobody checked that text, so it may be anything."""
    exif = photo.get("exif")
    try:
        return datetime.fromisoformat(exif["taken"]) if isinstance(exif, Mapping) else None
    except (KeyError, TypeError, ValueError):
        return None


def far_words(photo: Mapping[str, Any], site: Mapping[str, Any] | None, pack: Any, _: Translate) -> str:
    """A warning when the photo was taken far from the site, by the pack's own measure, with what the inspector said to
    it and where the site was by the tablet's list, when that was another place than now; else empty."""
    metres = metres_off(photo, site or {}, pack.far_photo_m)
    then, now = photo.get("site_position"), site or {}
    if metres is None and not then:
        return ""
    off = metres if metres is not None else photo.get("site_m") or 0
    words = _("{distance} from the site").format(distance=distance_words(off, _))
    if then and any(then[name] != now.get(name) for name in ("lat_udeg", "lon_udeg")):
        words = _("{words} as it was listed then, {lat}, {lon}").format(
            words=words, lat=degrees(then["lat_udeg"]), lon=degrees(then["lon_udeg"]))
    return f"{words}: {photo['far_reason']}" if photo.get("far_reason") else words


def fingerprint_lines(sha256: str) -> str:
    """The fingerprint in two lines that can be compared by eye."""
    return f"{sha256[:32]}\n{sha256[32:]}"


def photo_grid(
    paper: Any,
    photos: Iterable[Mapping[str, Any]],
    previews: Mapping[str, bytes],
    captions: Mapping[str, str],
    _: Translate,
    *,
    site: Mapping[str, Any] | None,
    pack: Any,
    layers: Mapping[str, Layer] | None = None,
    absent: Mapping[str, str] | None = None,
) -> None:
    """Two photos a row: frame, then when, where, how, fingerprint. `previews` and `captions` go by SHA-256, `layers`
    (what the inspector drew over a copy) by the photo's. `absent`: why there is no picture of one, by its SHA-256;
    without that it has not arrived yet.

    A photo taken far from `site` says so, in bold.
    """
    from sync.documents.paper import INNER, MARGIN, TEXT

    gap = 7.0
    wide = (INNER - gap) / 2
    high = wide * 0.54  # three rows fill a page

    def below(photo: Mapping[str, Any]) -> list[tuple[str, float, float, str]]:
        """What stands under a picture: style, size, height of a line, text."""
        sha = photo["sha256"]
        lines = [taken_words(photo, _), position_words(photo, _), source_words(photo.get("source", ""), _)]
        if layers and sha in layers:
            lines.append(_("with the inspector's marks; the photo itself has none"))
        elif photo.get("layer") and sha in previews:
            lines.append(_("the inspector's marks over it cannot be shown here"))
        said = [
            ("B", 8.5, 3.7, caption_words(captions.get(sha) or photo.get("name") or "", photo, _)),
            ("", 8.0, 3.5, "\n".join(line for line in lines if line)),
            ("B", 8.0, 3.5, far_words(photo, site, pack, _)),
            ("", 7.0, 3.1, "SHA-256 " + fingerprint_lines(sha)),
        ]
        return [one for one in said if one[3]]

    def written(parts: list[tuple[str, float, float, str]], *, only_measured: bool = False) -> float:
        """The parts one below the other from where the paper is; their height in millimetres."""
        total = 0.0
        for style, size, line, text in parts:
            paper.set_font(TEXT, style, size)
            if only_measured:
                total += paper.height_in(text, wide, line)
            else:
                total += paper.multi_cell(wide, line, text, align="L", new_x="LEFT", new_y="NEXT", output="HEIGHT")
        return total

    shown = list(photos)
    for place in range(0, len(shown), 2):
        pair = [(photo, below(photo)) for photo in shown[place : place + 2]]
        text = max(written(parts, only_measured=True) for _photo, parts in pair)
        paper.room_for(high + 1 + text)
        top = paper.get_y()
        for at, (photo, parts) in enumerate(pair):
            left, sha = MARGIN + at * (wide + gap), photo["sha256"]
            paper.set_line_width(0.2)
            paper.set_draw_color(150, 150, 150)
            paper.rect(left, top, wide, high)
            if sha in previews:
                paper.picture(previews[sha], left + 0.4, top + 0.4, wide - 0.8, high - 0.8)
                if layers and sha in layers:
                    draw_on_paper(paper, layers[sha], left + 0.4, top + 0.4, wide - 0.8, high - 0.8)
            else:
                paper.set_font(TEXT, "", 9)
                paper.set_xy(left + 4, top + high / 2 - 4)
                paper.multi_cell(wide - 8, 4.2, (absent or {}).get(sha) or _("This photo has not arrived yet."),
                                 align="C")
            paper.set_xy(left, top + high + 1)
            written(parts)
        paper.set_xy(MARGIN, top + high + 1 + text + 3)
