"""In and out: a one-time link shows whom it signs in and uses nothing up; the click on its button opens the session.

A mail scanner or a link preview that fetches the link changes nothing, so the link still works for its owner.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from sync.server.casework.office import link_person
from sync.server.casework.sessions import end_session, redeem_link
from sync.server.console.seat import Seat, signed_out
from sync.server.console.security import COOKIE, drop_session, set_session


def sign_in_link(public_url: str, token: str) -> str:
    """The address to give to a person, for the token that `create_sign_in_link` made."""
    return f"{public_url}/office/sign-in?link={quote(token)}"


def sign_in_page(seat: Seat) -> Response:
    link = seat.asked("link")
    if link is None:
        return signed_out(seat.city)
    person = link_person(seat.city, link)
    return seat.alone("sign_in.html", name=person["name"], person_title=person["title"], link=link)


def sign_in(seat: Seat) -> Response:
    token, ends = redeem_link(seat.city, seat.form.get("link", ""))
    answer = seat.go("/office/")
    seconds = int((ends - seat.city.now()).total_seconds())
    set_session(answer, token, seconds=seconds, public_url=seat.city.public_url)
    return answer


def sign_out(seat: Seat) -> Response:
    end_session(seat.city, seat.request.cookies.get(COOKIE) or "")
    answer = signed_out(seat.city, left=True)
    drop_session(answer, public_url=seat.city.public_url)
    return answer
