"""The page behind the code of a correction notice: what must be corrected on the site, by when, and what is done.

Anybody may open it who has the code: no cookie, no script. Whatever is not known and proved gets one and the same
page, which also says that a fresh notice is shown once the inspector's tablet has reached the office.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from sync.documents.inspection_words import correction_words, finding_title, gravity, severity_word
from sync.documents.language import date_words, parse_date, translator
from sync.documents.order_words import due_words
from sync.server.casework.city import City
from sync.server.casework.office import pack_of
from sync.server.casework.public_notice import public_notice
from sync.server.console.public import (
    STATIC,
    code_missing_page,
    contact_words,
    language_of,
    other_languages,
    shown,
    unknown_page,
)
from sync.server.console.seat import Endpoint, alone
from sync.server.console.words import SEVERITY_TONES


def notice_page(city: City) -> Endpoint:
    """GET /n/{record}?t=TOKEN."""

    async def endpoint(request: Request) -> Response:
        asked = request.query_params
        language = language_of(asked.get("lang"), request.headers.get("accept-language", ""))
        return await run_in_threadpool(
            shown, city, language, lambda: show(city, request.path_params["record"], asked.get("t"), language))

    return endpoint


def show(city: City, record: str, token: str | None, language: str = "en") -> Response:
    _ = translator(language)
    if not token:
        return code_missing_page(city, language)
    notice = public_notice(city, record, token)
    if notice is None:
        # Nothing of what was asked comes back: one page for every guess, and for what has not arrived.
        return unknown_page(city, "public_notice_unknown.html", language)
    pack = pack_of(city, notice.pack)
    labels = {one["subject"]["id"]: one["subject"].get("label", "") for one, _status in notice.lines if one["subject"]}
    done = {"corrected": _("corrected"), "continued": _("found again; see the later notice")}
    left = [one for one, status in notice.lines if status == "open"]
    return alone(
        city,
        "public_notice.html",
        static=STATIC,
        language=language,
        address=notice.address,
        inspected=date_words(parse_date(notice.inspected_on), _),
        title=notice.title,
        corrected=notice.corrected,
        verdict=_("{count} to be corrected").format(count=len(left)) if left else _("Nothing is left to correct"),
        tone="wait" if left else "good",
        lines=[
            {
                "what": correction_words(one, pack, language) or finding_title(one, pack, labels, language),
                "found": finding_title(one, pack, labels, language),
                "severity": severity_word(one["severity"], _),
                "tone": SEVERITY_TONES.get(one["severity"], ""),
                "due": due_words(one["due"], _) if one["due"] else "",
                "done": done.get(status, ""),
            }
            for one, status in sorted(notice.lines, key=lambda line: gravity(line[0]))
        ],
        contact=contact_words(pack, language, _),
        others=other_languages(language, {"t": token}),
    )
