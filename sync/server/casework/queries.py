"""What the office looks at. Reads only; every function is one consistent look and returns plain documents.

Times are aware datetimes, dates are dates, bodies are as signed. Lists come newest first and in pages.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import and_, func, or_, select

from sync.records.facts import parse
from sync.records.wire import decode
from sync.server.casework.city import City
from sync.server.casework.inspections import fact_of, finding_id, first_of_its_id, question
from sync.server.casework.matters import affixings_of
from sync.server.casework.naming import names_of
from sync.server.casework.previews import previews_of
from sync.server.casework.receiving import reason_in_words
from sync.server.casework.smaller_copies import copies_of
from sync.server.db.acts import acts
from sync.server.db.engine import Tx
from sync.server.db.schema import (
    attachments,
    audit,
    evidence,
    fact_evidence,
    facts,
    findings,
    inspections,
    order_acts,
    orders,
    people,
    permits,
    places,
    powers,
    refusals,
    sites,
    strays,
    tablets,
)

Doc = dict[str, Any]
BEGUN, ENDED = ("recommended", "issued", "in_force", "stayed"), ("released", "voided")
"""The standings of orders that are shown beside another one of their site."""


# --- places and people --------------------------------------------------------------------------------------------
def site_list(city: City) -> list[Doc]:
    """Every site with its permits, the count of open findings and of orders in force; by address."""
    with city.db.read() as tx:
        permit_docs: dict[str, list[Doc]] = {}
        for row in tx.execute(select(permits.c.site, permits.c.doc).where(permits.c.city_id == city.id)
                              .order_by(permits.c.number)):
            permit_docs.setdefault(row.site, []).append(row.doc)
        open_findings = dict(tx.execute(
            select(findings.c.site, func.count()).where(findings.c.city_id == city.id, findings.c.status == "open")
            .group_by(findings.c.site)).tuples().all())
        in_force = dict(tx.execute(
            select(orders.c.site, func.count()).where(
                orders.c.city_id == city.id, orders.c.status.in_(("in_force", "stayed"))
            ).group_by(orders.c.site)).tuples().all())
        rows = tx.execute(select(sites.c.doc).where(sites.c.city_id == city.id).order_by(sites.c.address, sites.c.id))
        return [{**row.doc, "permits": permit_docs.get(row.doc["id"], []),
                 "open_findings": open_findings.get(row.doc["id"], 0),
                 "orders_in_force": in_force.get(row.doc["id"], 0)} for row in rows]


def site_page(city: City, ident: str) -> Doc | None:
    """One site with its permits, inlets, devices, findings, inspections and orders; None when there is none."""
    with city.db.read() as tx:
        row = tx.execute(select(sites.c.doc).where(sites.c.city_id == city.id, sites.c.id == ident)).first()
        if row is None:
            return None
        where = {"permits": permits, "findings": findings}
        found: Doc = {"site": row.doc}
        for name, table in where.items():
            found[name] = [r.doc for r in tx.execute(
                select(table.c.doc).where(table.c.city_id == city.id, table.c.site == ident).order_by(table.c.id))]
        for kind in ("inlet", "device"):
            found[f"{kind}s"] = [r.doc for r in tx.execute(
                select(places.c.doc).where(places.c.city_id == city.id, places.c.kind == kind,
                                           places.c.site == ident).order_by(places.c.id))]
        found["inspections"] = _inspections(tx, city, inspections.c.site == ident, 200)
        found["orders"] = _orders(tx, city, orders.c.site == ident, 200)
        return found


def people_list(city: City) -> list[Doc]:
    """Everybody with the powers granted, by name: {id, name, title, credential_no, powers: [{power, from, until}]}."""
    with city.db.read() as tx:
        granted: dict[str, list[Doc]] = {}
        for row in tx.execute(select(powers).where(powers.c.city_id == city.id)
                              .order_by(powers.c.power, powers.c.from_day)):
            granted.setdefault(row.person, []).append(
                {"power": row.power, "from": row.from_day, "until": row.until_day})
        return [{"id": row.id, "name": row.name, "title": row.title, "credential_no": row.credential_no,
                 "valid_from": row.valid_from, "valid_until": row.valid_until, "powers": granted.get(row.id, [])}
                for row in tx.execute(select(people).where(people.c.city_id == city.id).order_by(people.c.name))]


def tablet_list(city: City) -> list[Doc]:
    """Every tablet: {id, code, status, note, enrolled_at, seen_at, facts, people: [names]}, by code."""
    from sync.server.db.schema import credentials

    with city.db.read() as tx:
        names = names_of(tx, city)
        sent = dict(tx.execute(select(facts.c.tablet_code, func.count()).where(facts.c.city_id == city.id)
                               .group_by(facts.c.tablet_code)).tuples().all())
        signed_in: dict[str, list[str]] = {}
        for row in tx.execute(select(credentials.c.tablet_code, credentials.c.person)
                              .where(credentials.c.city_id == city.id).order_by(credentials.c.person)):
            signed_in.setdefault(row.tablet_code, []).append(names.get(row.person, row.person))
        return [{"id": row.id, "code": row.code, "status": row.status, "note": row.note,
                 "enrolled_at": row.enrolled_at, "seen_at": row.seen_at, "facts": sent.get(row.code, 0),
                 "people": signed_in.get(row.code, [])}
                for row in tx.execute(select(tablets).where(tablets.c.city_id == city.id).order_by(tablets.c.code))]


# --- inspections --------------------------------------------------------------------------------------------------
def _inspections(tx: Tx, city: City, where: Any, limit: int, before: tuple[date, str] | None = None) -> list[Doc]:
    query = (
        select(inspections, sites.c.name.label("site_name"), sites.c.address)
        .join(sites, and_(sites.c.city_id == inspections.c.city_id, sites.c.id == inspections.c.site))
        .where(inspections.c.city_id == city.id, where)
        .order_by(inspections.c.inspected_on.desc(), inspections.c.id.desc()).limit(limit)
    )
    if before is not None:
        day, ident = before
        query = query.where(or_(inspections.c.inspected_on < day,
                                and_(inspections.c.inspected_on == day, inspections.c.id < ident)))
    names = names_of(tx, city)
    rows = list(tx.execute(query))
    files = _file_counts(tx, city, [row.id for row in rows])
    stopped = _stopped(tx, city, rows)
    return [{"id": row.id, "site": row.site, "site_name": row.site_name, "address": row.address, "type": row.type,
             "inspected_on": row.inspected_on, "person": row.person, "person_name": names.get(row.person, row.person),
             "tablet_code": row.tablet_code, "findings": row.findings,
             "outcome": "stop-work posted" if row.id in stopped else row.outcome, "root": row.root,
             "critical": row.critical, "superseded_by": row.superseded_by, "received_at": row.received_at,
             "files": files.get(row.id, (0, 0))[0], "files_held": files.get(row.id, (0, 0))[1]} for row in rows]


def _stopped(tx: Tx, city: City, rows: list[Any]) -> set[str]:
    """Those of these inspections on which an order rests that was posted: it is part of what they came to."""
    places_of = {row.site for row in rows}
    if not places_of:
        return set()
    posted = tx.execute(select(orders.c.doc).where(
        orders.c.city_id == city.id, orders.c.site.in_(places_of), orders.c.posted_on.is_not(None)))
    return {ref["fact"] for row in posted for ref in row.doc["body"]["findings"]}


def _file_counts(tx: Tx, city: City, ids: list[str]) -> dict[str, tuple[int, int]]:
    """How many evidence files each fact names, and how many of them are here."""
    if not ids:
        return {}
    rows = tx.execute(
        select(fact_evidence.c.fact, func.count(), func.count(evidence.c.sha256))
        .outerjoin(evidence, and_(evidence.c.city_id == fact_evidence.c.city_id,
                                  evidence.c.sha256 == fact_evidence.c.sha256))
        .where(fact_evidence.c.city_id == city.id, fact_evidence.c.fact.in_(ids)).group_by(fact_evidence.c.fact))
    return {fact: (named, held) for fact, named, held in rows}


def inspection_list(city: City, *, before: tuple[date, str] | None = None, limit: int = 100) -> list[Doc]:
    """The newest inspections, superseded ones included and marked; ``before`` = (inspected_on, id) to go on from."""
    with city.db.read() as tx:
        return _inspections(tx, city, inspections.c.id.is_not(None), limit, before)


def inspection_page(city: City, ident: str) -> Doc | None:
    """One inspection as signed, with its photos, its files, its site and the orders that rest on it.

    {row, fact: {id, sha256, at, user, tablet, counter, received_at, text}, body, site, permits, subjects: {id: label},
    findings: [docs as they stand], photos: [PHOTO + held], added: [photo facts], orders, titles: {item: question}}
    """
    with city.db.read() as tx:
        rows = _inspections(tx, city, inspections.c.id == ident, 1)
        if not rows:
            return None
        fact = fact_document(tx, city, ident)
        body = fact["body"]
        site = body["site"]
        photos, added = photos_of(tx, city, ident, body["photos"])
        resting = [order for order in _orders(tx, city, orders.c.site == site, 200)
                   if any(ref["fact"] == ident for ref in order["doc"]["body"]["findings"])]
        subjects = {row.doc["id"]: row.doc["label"] for row in tx.execute(
            select(places.c.doc).where(places.c.city_id == city.id, places.c.site == site))}
        pack = city.pack(tx, fact["pack"]) if _has_pack(tx, city, fact["pack"]) else None
        items = {a["item"] for a in body["answers"]} | {f["item"] for f in body["findings"]}
        return {
            "row": rows[0], "fact": fact, "body": body, "photos": photos, "added": added, "orders": resting,
            "site": tx.execute(select(sites.c.doc).where(
                sites.c.city_id == city.id, sites.c.id == site)).scalar_one(),
            "permits": [r.doc for r in tx.execute(select(permits.c.doc).where(
                permits.c.city_id == city.id, permits.c.site == site).order_by(permits.c.number))],
            "subjects": subjects,
            "findings": [r.doc for r in tx.execute(select(findings.c.doc).where(
                findings.c.city_id == city.id, findings.c.inspection == ident).order_by(findings.c.id))],
            "titles": {item: question(pack, item) or item for item in items} if pack else {},
        }


def _has_pack(tx: Tx, city: City, ref: str) -> bool:
    from sync.server.db.schema import packs

    ident, _, version = ref.partition("@")
    return tx.execute(select(packs.c.id).where(
        packs.c.city_id == city.id, packs.c.id == ident, packs.c.version == version)).first() is not None


def photos_of(tx: Tx, city: City, about: str, own: list[Doc]) -> tuple[list[Doc], list[Doc]]:
    """A record's own photos and those added later, each with ``held`` and, when held, size and media; else with the
    ``preview`` that is here and the ``smaller`` copy that came instead, or None."""
    added = [{**row.doc, "fact": row.fact} for row in tx.execute(
        select(attachments.c.doc, attachments.c.fact).where(
            attachments.c.city_id == city.id, attachments.c.about == about).order_by(attachments.c.fact))]
    here = {row.sha256: row for row in tx.execute(select(evidence).where(
        evidence.c.city_id == city.id, evidence.c.sha256.in_([p["sha256"] for p in (*own, *added)] or [""])))}

    away = [p["sha256"] for p in (*own, *added) if p["sha256"] not in here]
    small, instead = previews_of(tx, city, away), copies_of(tx, city, away)

    def with_file(photo: Doc) -> Doc:
        file = here.get(photo["sha256"])
        return {**photo, "held": file is not None, "size": file.size if file else None,
                "media": file.media if file else None, "preview": small.get(photo["sha256"]),
                "smaller": instead.get(photo["sha256"])}

    return [with_file(p) for p in own], [with_file(p) for p in added]


def fact_document(tx: Tx, city: City, ident: str) -> Doc | None:
    """A stored fact with how it came: its exact text, and what it says as plain values; None when there is none."""
    row = tx.execute(select(facts).where(facts.c.city_id == city.id, facts.c.id == ident)).first()
    if row is None:
        return None
    fact = parse(row.text)
    name = names_of(tx, city).get(row.person, row.person)
    return {"id": row.id, "sha256": row.sha256, "text": row.text, "kind": row.kind, "tablet_code": row.tablet_code,
            "counter": row.counter, "person": row.person, "person_name": name, "at": fact.at, "pack": fact.pack,
            "body": fact.body, "revises": fact.revises, "state": row.state, "reason": row.reason, "detail": row.detail,
            "received_at": row.received_at, "applied_at": row.applied_at,
            "evidence": [one.to_wire() for one in fact.evidence]}


# --- orders -------------------------------------------------------------------------------------------------------
def _orders(tx: Tx, city: City, where: Any, limit: int) -> list[Doc]:
    names = names_of(tx, city)
    rows = list(tx.execute(
        select(orders, sites.c.name.label("site_name"), sites.c.address)
        .join(sites, and_(sites.c.city_id == orders.c.city_id, sites.c.id == orders.c.site))
        .where(orders.c.city_id == city.id, where)
        .order_by(orders.c.received_at.desc(), orders.c.id.desc()).limit(limit)))
    files = _file_counts(tx, city, [row.id for row in rows])
    return [{"id": row.id, "number": row.number, "status": row.status, "site": row.site, "site_name": row.site_name,
             "address": row.address, "posted_on": row.posted_on, "issued_on": row.issued_on,
             "register": row.doc["register"], "registered_at": row.registered_at, "received_at": row.received_at,
             "grounds": row.doc["grounds"], "dates": row.doc["dates"], "confirmed": row.doc["confirmed"],
             "declined": row.doc["declined"], "issue_refused": row.doc["issue_refused"],
             "by_name": names.get(who := row.doc["posted_by"] or row.doc["recommended_by"] or "", who),
             "recommended": row.doc["recommended_by"] is not None, "doc": row.doc,
             "files": files.get(row.id, (0, 0))[0], "files_held": files.get(row.id, (0, 0))[1],
             "needs_decision": needs_decision(row.status, row.doc)} for row in rows]


def order_list(city: City, *, limit: int = 200) -> list[Doc]:
    """The orders that arrived last, whatever their status; ``needs_decision`` marks those that wait for the office."""
    with city.db.read() as tx:
        return _orders(tx, city, orders.c.id.is_not(None), limit)


def order_page(city: City, ident: str) -> Doc | None:
    """One order with everything that it rests on; None when there is none.

    {row, doc, body, fact, acts: [{act, person, person_name, at, on_day, reasons}], findings: [docs],
    put_up: body of the record of its putting-up that counts ({}: none came), inspections, photos, site, permits,
    twins: [ids of orders under the same number],
    others: [rows of other orders on the site that stand], ended: [those released or voided], audit: [entries],
    pack_ref}
    """
    with city.db.read() as tx:
        rows = _orders(tx, city, orders.c.id == ident, 1)
        if not rows:
            return None
        row = rows[0]
        names = names_of(tx, city)
        body, ups = row["doc"]["body"], affixings_of(tx, city, ident)
        _, added = photos_of(tx, city, row["number"], [])
        _, to_fact = photos_of(tx, city, ident, [])
        beside = _orders(tx, city, and_(
            orders.c.site == row["site"], orders.c.id != ident, orders.c.status.in_((*BEGUN, *ENDED))), 100)
        resting = {ref["fact"] for ref in body["findings"]}
        roots = dict(tx.execute(select(inspections.c.id, inspections.c.root).where(
            inspections.c.city_id == city.id, inspections.c.id.in_(resting))).tuples().all())
        wanted = {finding_id(roots[ref["fact"]], ref["finding"]) for ref in body["findings"] if ref["fact"] in roots}
        named = [r.doc for r in tx.execute(select(findings.c.id, findings.c.doc).where(
            findings.c.city_id == city.id, findings.c.root.in_(set(roots.values()))).order_by(findings.c.id))
            if first_of_its_id(r.id) in wanted]
        return {
            "row": row, "doc": row["doc"], "body": body, "fact": fact_document(tx, city, ident),
            "acts": [{"act": a.act, "person": a.person, "person_name": names.get(a.person, a.person), "at": a.at,
                      "on_day": a.on_day, "reasons": a.reasons} for a in tx.execute(
                select(order_acts).where(order_acts.c.city_id == city.id, order_acts.c.order_id == ident)
                .order_by(order_acts.c.at))],
            "put_up": fact_of(tx, city, ups[0].fact).body if ups else {},
            "findings": named,
            "inspections": _inspections(tx, city, inspections.c.id.in_(resting), 50),
            "photos": added + to_fact,
            "site": tx.execute(select(sites.c.doc).where(
                sites.c.city_id == city.id, sites.c.id == row["site"])).scalar_one(),
            "permits": [r.doc for r in tx.execute(select(permits.c.doc).where(
                permits.c.city_id == city.id, permits.c.site == row["site"]).order_by(permits.c.number))],
            "twins": [other for other in tx.execute(select(orders.c.id).where(
                orders.c.city_id == city.id, orders.c.number == row["number"])).scalars() if other != ident],
            "others": [other for other in beside if other["status"] in BEGUN],
            "ended": [other for other in beside if other["status"] in ENDED],
            "audit": _audit(tx, city, audit.c.subject == f"order:{ident}", 100),
            "pack_ref": row["doc"]["pack"],
        }


# --- what waits for a person --------------------------------------------------------------------------------------
def set_aside(city: City, *, limit: int = 200) -> Doc:
    """Everything that is not worked in: {quarantined, waiting, refused, left_out}, in words, newest first.

    quarantined: facts kept with a reason, whether they could be trusted (``origin`` "signed") or not ("unproven"),
    and orders under one number; waiting: for what; refused: lines only.
    """
    with city.db.read() as tx:
        names = names_of(tx, city)

        def told(row: Any, ident: str, origin: str) -> Doc:
            return {"fact": ident, "kind": row.kind, "tablet_code": row.tablet_code, "person": row.person,
                    "person_name": names.get(row.person, row.person), "received_at": row.received_at,
                    "reason": row.reason, "reason_words": reason_in_words(row.reason), "detail": row.detail,
                    "origin": origin}

        kept = [told(row, row.id, "signed") for row in tx.execute(
            select(facts).where(facts.c.city_id == city.id, facts.c.state == "quarantined",
                                facts.c.reason != "left-out")
            .order_by(facts.c.received_at.desc(), facts.c.id).limit(limit))]
        settled = {(act.about, act.step.partition(":")[2]) for act in tx.execute(select(acts).where(
            acts.c.city_id == city.id, acts.c.act == "leave_apart"))}
        all_apart = [(told(row, row.fact, "unproven"), (row.fact, row.sha256) in settled) for row in tx.execute(
            select(strays).where(strays.c.city_id == city.id)
            .order_by(strays.c.received_at.desc(), strays.c.fact).limit(limit))]
        apart = [one for one, done in all_apart if not done]
        left_out = [told(row, row.id, "signed") for row in tx.execute(
            select(facts).where(facts.c.city_id == city.id, facts.c.reason == "left-out")
            .order_by(facts.c.received_at.desc(), facts.c.id).limit(limit))]
        left_out += [one for one, done in all_apart if done]
        twins = [{"fact": row["id"], "kind": "order", "tablet_code": row["number"].split("-")[2], "person": "",
                  "person_name": row["by_name"], "received_at": row["received_at"], "reason": "number-taken",
                  "reason_words": reason_in_words("number-taken"), "detail": row["number"], "origin": "signed"}
                 for row in _orders(tx, city, orders.c.status == "quarantined", limit)]
        waiting = [{**told(row, row.id, "signed"), "waits_for": row.waits_for} for row in tx.execute(
            select(facts).where(facts.c.city_id == city.id, facts.c.state == "waiting")
            .order_by(facts.c.received_at.desc(), facts.c.id).limit(limit))]
        refused = [{"tablet_code": row.tablet, "at": row.at, "code": row.code,
                    "reason_words": reason_in_words(row.code), "detail": row.detail} for row in tx.execute(
            select(refusals).where(refusals.c.city_id == city.id).order_by(refusals.c.at.desc()).limit(limit))]
        quarantined = sorted(kept + apart + twins, key=lambda one: one["received_at"], reverse=True)
        return {"quarantined": quarantined, "waiting": waiting, "refused": refused, "left_out": left_out}


def desk(city: City) -> Doc:
    """The orders of the first page: {to_decide, in_force, issued, today}."""
    with city.db.read() as tx:
        listed = _orders(tx, city, orders.c.status.in_(("recommended", "in_force", "issued")), 500)
    return {"today": city.today(), "to_decide": [order for order in listed if order["needs_decision"]],
            "in_force": [order for order in listed if order["status"] == "in_force"],
            "issued": [order for order in listed if order["status"] == "issued"]}


def needs_decision(status: str, doc: Doc) -> bool:
    """Whether the order waits for the building inspector: to be issued, or to be confirmed."""
    return status == "recommended" or (
        status == "in_force" and doc["recommended_by"] is None and doc["confirmed"] is None)


def _audit(tx: Tx, city: City, where: Any, limit: int) -> list[Doc]:
    names = names_of(tx, city)
    return [{"seq": row.seq, "at": datetime.fromisoformat(row.at), "who": row.who,
             "who_name": names.get(row.who, row.who), "what": row.what, "subject": row.subject,
             "details": decode(row.details), "hash": row.hash}
            for row in tx.execute(select(audit).where(audit.c.city_id == city.id, where)
                                  .order_by(audit.c.seq.desc()).limit(limit))]


def audit_list(city: City, *, before: int | None = None, limit: int = 100) -> list[Doc]:
    """The newest audit entries: {seq, at, who, who_name, what, subject, details, hash}."""
    with city.db.read() as tx:
        return _audit(tx, city, audit.c.seq < before if before is not None else audit.c.seq > 0, limit)
