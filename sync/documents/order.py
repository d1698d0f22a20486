"""The registered order: the office's paper of a stop-work order, with register number, service and evidence.

Says the same as the placard (number, dates and their derivation come from the same functions) and adds what
the office knows: register number, who confirmed or declined it, how it was served, which evidence is held.
Registering moves no date; the paper shows posting and registration as two things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sync.documents import order_words as words
from sync.documents.both import Both
from sync.documents.evidence import caption_words, far_words, photo_grid, taken_words
from sync.documents.language import Translate, moment_words, parse_wall, translator
from sync.documents.office import contact_line, office_of, review_words
from sync.documents.order_texts import correction_in, one_sided, remark, said_in
from sync.documents.placard import finding_words, signature_lines
from sync.documents.spoken import spoken_lines
from sync.records.protocol import public_order_url


def order_pdf(
    order: Mapping[str, Any],
    pack: Any,
    *,
    city: dict[str, str] | None = None,
    dates: Iterable[Any],
    public_url: str,
    created: datetime,
    register: str | None,
    status: str,
    registered_at: datetime | None = None,
    issued: Mapping[str, Any] | None = None,
    decision: Mapping[str, Any] | None = None,
    ended: Mapping[str, Any] | None = None,
    site: Mapping[str, Any] | None = None,
    findings: Iterable[Mapping[str, Any]] = (),
    subjects: Mapping[str, str] | None = None,
    service: Sequence[tuple[str, str]] = (),
    evidence: Sequence[Mapping[str, Any]] = (),
    previews: Mapping[str, bytes] | None = None,
    layers: Mapping[str, Any] | None = None,
    language: str = "en",
) -> bytes:
    """The order for the office's register as PDF bytes; the other arguments are those of `placard_pdf`.

    `status` is the status word of the order ("in_force", "voided" ...). `decision` is
    `{"kind": "confirmed" | "declined", "by": name, "at": wall text or datetime, "reasons": text}`.
    `ended` says what voided an order other than declining it: `{"on": date text, "by": name, "reasons": text}`. A
    voided order says VOID and why before anything else, and gives no command.
    `service` are rows (way, record). `evidence` are photos as in facts, each with `held` (the original is on
    the server) and optionally `caption`; `previews` are small JPEGs by SHA-256, and need Pillow.

    Raises Problem as `placard_pdf` does.
    """
    from sync.documents.paper import INNER, LOUD, MARGIN, TEXT, WIDTH, Paper

    _ = translator(language)
    city = city or office_of(pack, language)
    grounds = words.grounds_lines(order, pack, language)
    steps = words.date_lines(dates, pack, _, language)
    void = status == "voided"
    number = order["number"]
    in_effect = status in ("posted", "in_force", "issued", "stayed", "released")
    paper = Paper(
        title=_("Stop-work order {number}").format(number=number),
        running=_("Stop-work order {number}").format(number=number),
        foot=_("{number} · {city} · ordinance pack {pack}").format(number=number, city=city["name"], pack=pack.ref),
        created=created,
        language=language,
        _=_,
        demo=pack.demo,
        invalid=not in_effect,
        paper_name=_("Office copy, register {register}").format(register=register or _("not registered")),
    )
    paper.add_page()
    top = paper.get_y() + 1
    side = 34.0
    left = INNER - side - 4
    posted_on = order.get("posted_on")
    paper.qr(public_order_url(public_url, number, order["token"], posted_on), WIDTH - MARGIN - side, top, side)
    paper.set_xy(MARGIN, top)
    paper.paragraph(city["name"], 12, style="B", width=left, after=0.2, family=LOUD)
    paper.paragraph(contact_line(city), 9.5, width=left, after=3)
    paper.paragraph(_("Stop-work order"), 22, style="B", width=left, family=LOUD, after=0)
    paper.fitted(number, left, 18)
    paper.set_x(MARGIN)
    paper.cell(left, 8, number, new_x="LMARGIN", new_y="NEXT")
    if void:
        paper.paragraph(_("VOID"), 30, style="B", width=left, family=LOUD, after=0)
    paper.paragraph(status_words(status, decision, _), 11.5, style="B", width=left)
    paper.set_y(max(paper.get_y(), top + side) + 1)
    why = (ended or {}).get("reasons") or ((decision or {}).get("reasons") if void else "")
    if why:
        paper.paragraph(_("Reasons: {reasons}").format(reasons=why), 11.5, style="B")

    rows = [(_("Register number"), register or _("not registered"))]
    if registered_at is not None:
        rows.append((_("Registered"), moment_words(registered_at, _)))
    if issued:
        rows.append((_("Issued"), _("{date} by {name}").format(date=_at(issued["on"], _), name=issued["by"])))
    elif posted_on:
        rows.append((_("Issued"), _("by posting it in the field")))
    rows.append((_("Posted"), words.posted_words(order, _) if posted_on else _("not posted yet")))
    if decision:
        label = _("Confirmed") if decision["kind"] == "confirmed" else _("Declined")
        rows.append((label, _("{date} by {name}").format(date=_at(decision["at"], _), name=decision["by"])))
        if decision.get("reasons") and not void:
            rows.append((_("Reasons"), decision["reasons"]))
    if ended:
        rows.append((_("Voided"), _("{date} by {name}").format(date=_at(ended["on"], _), name=ended["by"])))
    rows += [
        (_("Place"), order["address"]),
        (_("Parcel"), order.get("parcel") or _("unknown")),
        (_("Permit"), words.permit_words(order, _)),
    ]
    rows += words.party_lines(site or {}, Both((language,)))
    paper.pairs(rows, size=10)

    if void:
        paper.heading(_("It had ordered this work to stop, and has no force"))
        paper.paragraph(said_in(order, "must_stop", pack, language).text, 10.5)
    else:
        paper.heading(_("This work must stop"))
        paper.paragraph(said_in(order, "must_stop", pack, language).text, 10.5)
        paper.heading(_("This work may and must go on"))
        paper.paragraph(words.may_continue_words(order, pack, language, _), 10.5)
    paper.heading(_("What the inspector saw"))
    paper.paragraph(said_in(order, "observed", pack, language).text, 10.5)
    if one_sided(order, pack, language):
        paper.paragraph(remark(order, _), 9.5)
    for finding in findings:
        said = finding_words(finding, pack, subjects or {}, language, _, above=order["observed"])
        paper.paragraph("• " + said, 10.5, after=0.6)
    paper.heading(_("Grounds"))
    for ground in grounds:
        paper.paragraph(
            f"({ground.letter}) {ground.title}. " + _("Clause {cite}").format(cite=ground.cite), 10.5, after=0.6
        )
    if order["corrections"]:
        asked = _("It had asked for these corrections") if void else _("What must be corrected, and by when")
        paper.heading(asked, keep=24)
        paper.table(
            (_("No."), _("Correction"), _("Due")),
            [
                (str(place), correction_in(order, correction, pack, language).text,
                 words.due_words(correction.get("due"), _))
                for place, correction in enumerate(order["corrections"], start=1)
            ],
            (0.07, 0.6, 0.33),
            size=10,
        )
    if steps:
        paper.heading(_("What may follow, and the first day on which it may"), keep=24)
        if in_effect:
            for step in steps:
                _step_block(paper, step, _)
            if status == "issued":
                paper.paragraph(words.unposted_words(pack, _), 10.5)
        else:
            paper.paragraph(_("Nothing: the clocks of this order are closed."), 10.5)
    paper.heading(_("Service"), keep=20)
    served = [(_("Posted on the site"), words.posted_words(order, _))] if posted_on else []
    served.append((_("Persons on the site"), words.met_words(order, _)))
    paper.pairs([*served, *service], size=10)
    paper.heading(_("How this order ends"))
    paper.paragraph(_("Only a written release by the city lifts this order."), 10.5)
    paper.heading(_("If you disagree"))
    paper.paragraph(review_words(city, _), 10.5)
    paper.heading(_("Inspector"), keep=34)
    inspector = order["inspector"]
    paper.paragraph(
        _("{name}, {title}, credential {credential}").format(
            name=inspector["name"],
            title=inspector["title"],
            credential=inspector.get("credential_no") or _("none recorded"),
        ),
        10.5,
    )
    if said := spoken_lines(order, _):
        paper.pairs(said, size=10)
    signature_lines(paper, (_("Building inspector"), _("Date")))

    if evidence:
        paper.heading(_("Evidence"), keep=50)
        paper.table(
            (_("No."), _("What and when"), _("SHA-256 of the original"), _("Held here")),
            [
                (
                    str(place),
                    "\n".join(
                        part
                        for part in (caption_words(item.get("caption") or "", item, _), taken_words(item, _),
                                     far_words(item, site, pack, _))
                        if part
                    ),
                    item["sha256"],
                    _("yes") if item.get("held") else _("not yet"),
                )
                for place, item in enumerate(evidence, start=1)
            ],
            (0.06, 0.34, 0.48, 0.12),
            size=8.5,
        )
        shown = [item for item in evidence if previews and item["sha256"] in previews]
        if shown:
            paper.set_font(TEXT, "", 9)
            captions = {item["sha256"]: item.get("caption") or "" for item in shown}
            photo_grid(paper, shown, previews or {}, captions, _, site=site, pack=pack, layers=layers)
    return paper.finished()


def status_words(status: str, decision: Mapping[str, Any] | None, _: Translate) -> str:
    """The standing of an order in one sentence."""
    confirmed = bool(decision) and decision["kind"] == "confirmed"
    return {
        "recommended": _("Recommended. Not an order until the building inspector issues it."),
        "issued": _("Issued. Not posted on the site yet."),
        "posted": _("Posted on the site. Not registered yet."),
        "in_force": _("In force, confirmed by the building inspector.") if confirmed else _("In force."),
        "stayed": _("In force, but its clocks stand still while it is under review."),
        "released": _("Released: this order has ended."),
        "voided": _("Declined and void: this order has no force.")
        if decision and decision["kind"] == "declined"
        else _("Void: this order has no force."),
        "refused": _("Not issued: the recommendation was turned down."),
        "quarantined": _("Set aside: the office is checking this record. Its clocks do not run."),
    }.get(status, status)


def _at(value: Any, _: Translate) -> str:
    """A date, a wall text or a datetime in words."""
    from datetime import date

    from sync.documents.language import long_date_words, parse_date

    if isinstance(value, datetime):
        return moment_words(value, _)
    if isinstance(value, date):
        return long_date_words(value, _)
    return moment_words(parse_wall(value), _) if "T" in value else long_date_words(parse_date(value), _)


def _step_block(paper: Any, step: words.DateLine, _: Any) -> None:
    """A possible step with its first day, and under it, smaller, how that day was counted."""
    if step.eligible_from:
        first = _("{label}: from {date} on.").format(label=step.label, date=_at(step.eligible_from, _))
    else:
        first = _("{label}: no day is counted yet.").format(label=step.label)
    paper.room_for(16)
    paper.paragraph(first, 10.5, style="B", after=0.2)
    if step.words:
        counted = _("Clause {cite}. Counted: {words}").format(cite=step.cite, words=step.words)
        paper.paragraph(counted, 9.5, after=1.6)
