"""Every address of the office and of the public page: URL, method, function. Start here to find a page.

GET changes nothing, anywhere. Each POST goes through the origin check in `seat.office`.
"""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ExceptionHandler

from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.console import (
    blanks,
    conflicts,
    diagnoses,
    files,
    finds,
    importing,
    inspections,
    law,
    orders,
    overview,
    permits,
    plans,
    public,
    public_notice,
    records,
    recovery,
    register,
    revisions,
    signing_in,
    site_acts,
    site_changes,
    site_edit,
    sites,
    tablet_sites,
    tablets,
)
from sync.server.console.seat import Handler, office, problem_page

OPEN = frozenset({"/office/sign-in"})

PAGES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/office/", overview.overview),
    ("GET", "/office/sign-in", signing_in.sign_in_page),
    ("POST", "/office/sign-in", signing_in.sign_in),
    ("POST", "/office/sign-out", signing_in.sign_out),
    ("GET", "/office/orders", orders.order_list),
    ("GET", "/office/orders/{id}", orders.order_page),
    ("GET", "/office/orders/{id}/order.pdf", files.order_paper),
    ("GET", "/office/orders/{id}/placard.pdf", files.order_placard),
    ("POST", "/office/orders/{id}/{act}", orders.decide),
    ("GET", "/office/register", register.show),
    ("GET", "/office/inspections", inspections.inspection_list),
    ("GET", "/office/inspections/{id}", inspections.inspection_page),
    ("GET", "/office/inspections/{id}/report.pdf", files.inspection_paper),
    ("GET", "/office/evidence/{sha256}", files.original),
    ("GET", "/office/evidence/{sha256}/preview", files.small),
    ("GET", "/office/sites", sites.site_list),
    ("GET", "/office/sites/{id}", sites.site_page),
    ("POST", "/office/sites/{id}/found/{act}", finds.decide),
    ("POST", "/office/sites/{id}/changes/{act}", site_changes.change),
    ("GET", "/office/permits/{id}", permits.show),
    ("POST", "/office/permits/{id}/{act}", permits.decide),
    ("GET", "/office/site-acts/{id}", site_acts.show),
    ("GET", "/office/site-acts/{id}/paper.pdf", site_acts.paper),
    ("POST", "/office/site-acts/{id}/{act}", site_acts.decide),
    ("GET", "/office/rain", finds.rain),
    ("GET", "/office/sites/{id}/edit", site_edit.form_page),
    ("POST", "/office/sites/{id}/edit", site_edit.save),
    ("GET", "/office/sites/{id}/revision", revisions.form_page),
    ("POST", "/office/sites/{id}/revision", revisions.order),
    ("POST", "/office/sites/{id}/plans", plans.add),
    ("GET", "/office/plans/{id}", plans.show),
    ("GET", "/office/plans/{id}/pages/{page}", plans.picture),
    ("POST", "/office/plans/{id}/withdraw", plans.withdraw),
    ("GET", "/office/set-aside", records.set_aside),
    ("POST", "/office/conflicts", conflicts.decide),
    ("GET", "/office/records/{id}", records.record_page),
    ("GET", "/office/tablets", tablets.tablets),
    ("POST", "/office/tablets/code", tablets.new_enrolment_code),
    ("GET", "/office/forgotten", recovery.show),
    ("POST", "/office/forgotten/key", recovery.make_key),
    ("POST", "/office/forgotten/file", recovery.take_question),
    ("GET", "/office/forgotten/{id}/file", recovery.answer_file),
    ("POST", "/office/forgotten/{id}/answer", recovery.answer),
    ("POST", "/office/forgotten/{id}/decline", recovery.decline),
    ("GET", "/office/import", importing.choose),
    ("POST", "/office/import", importing.look),
    ("POST", "/office/import/{token}/take", importing.take),
    ("GET", "/office/import/{token}/receipts", importing.receipts),
    ("GET", "/office/tablets/{code}/held", tablets.tablet),
    ("GET", "/office/tablets/{code}/reports", diagnoses.show),
    ("GET", "/office/tablets/{code}/blanks", blanks.show),
    ("POST", "/office/tablets/{code}/blanks", blanks.print_stack),
    ("POST", "/office/tablets/{code}/blanks/void", blanks.void),
    ("GET", "/office/tablets/{code}/blanks/{sheet}/placards.pdf", blanks.paper),
    ("POST", "/office/tablets/{code}/withdraw", tablets.withdraw),
    ("GET", "/office/tablets/{code}/sees", tablet_sites.show),
    ("POST", "/office/tablets/{code}/sees", tablet_sites.save),
    ("POST", "/office/tablets/{code}/people/{person}/end", tablet_sites.end_sign_in),
    ("GET", "/office/people", tablets.people),
    ("POST", "/office/people/{id}/code", tablets.new_personal_code),
    ("POST", "/office/people/{id}/link", tablets.new_sign_in_link),
    ("POST", "/office/people/{id}/power", tablets.end_a_power),
    ("GET", "/office/law", law.show),
    ("POST", "/office/law/check", law.bring),
    ("POST", "/office/law/install", law.install),
    ("GET", "/office/audit", records.audit_log),
    ("POST", "/office/audit/check", records.check_chain),
)


def refusals(city: City) -> dict[Any, ExceptionHandler]:
    """What an address answers that is none, or that takes no such method: a page like the others, not bare text."""

    def page(request: Request, problem: Problem) -> Response:
        if request.url.path.startswith("/o/"):
            # The same page as for every made-up number.
            language = public.language_of(None, request.headers.get("accept-language", ""))
            return public.show(city, "", request.query_params.get("t"), None, language)
        if request.url.path.startswith("/n/"):
            language = public.language_of(None, request.headers.get("accept-language", ""))
            return public_notice.show(city, "", request.query_params.get("t"), language)
        return problem_page(city, problem)

    async def refuse(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        if status == 405 and request.method not in ("GET", "HEAD"):
            problem = Problem("method-not-allowed")
        elif status == 405:
            problem = Problem("method-not-allowed", "This address belongs to a button. Use the page that has it.")
        else:
            problem = Problem("not-found")
        answer = await run_in_threadpool(page, request, problem)
        answer.headers.update(getattr(error, "headers", None) or {})
        return answer

    return {404: refuse, 405: refuse}


def console_routes(city: City) -> list[BaseRoute]:
    """The routes to hand to a Starlette or FastAPI application."""
    routes: list[BaseRoute] = [
        Route("/office/static/{path:path}", files.static, methods=["GET"]),
        Route(f"{public.STATIC}/{{path:path}}", files.static, methods=["GET"]),
        Route("/o/{number}", public.public_page(city), methods=["GET"]),
        Route("/n/{record}", public_notice.notice_page(city), methods=["GET"]),
        Route("/favicon.ico", files.icon, methods=["GET"]),
    ]
    for method, path, handler in PAGES:
        routes.append(Route(path, office(city, handler, needs_session=path not in OPEN), methods=[method]))
    return routes
