"""Which tablet asks: the bearer token of each request, looked up anew each time (so a withdrawal counts at once)."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from sync.records.problems import Problem
from sync.records.protocol import HEADER_WITNESS
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet, tablet_at_a_glance, tablet_by_token
from sync.server.casework.witness import heed, is_known

_bearer = HTTPBearer(auto_error=False, scheme_name="device token",
                     description="The device token that the tablet was given when it enrolled.")


async def _city(request: Request) -> City:
    return request.app.state.city


def bearer_token(request: Request) -> str:
    """The token that the request bears. Raises Problem "token-missing"."""
    scheme, _sep, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem("token-missing", "send the header Authorization: Bearer ...", where="Authorization")
    return token.strip()


async def _tablet(request: Request, _: Annotated[object, Depends(_bearer)]) -> Tablet:
    """Any tablet that we know, withdrawn ones included. Raises Problem "token-missing", "token-unknown",
    "token-expired"."""
    token, city = bearer_token(request), request.app.state.city
    said = request.headers.get(HEADER_WITNESS)
    if said and not is_known(city, said):  # before the tablet is told anything, or anything is given to it
        await to_thread.run_sync(heed, city, said)
    return tablet_at_a_glance(city, token) or await to_thread.run_sync(tablet_by_token, city, token)


async def _renewing(request: Request, _: Annotated[object, Depends(_bearer)]) -> Tablet:
    """The same, whose token may be old: for its renewal alone."""
    token, city = bearer_token(request), request.app.state.city
    return await to_thread.run_sync(lambda: tablet_by_token(city, token, even_old=True))


async def _active(tablet: Annotated[Tablet, Depends(_tablet)]) -> Tablet:
    """A tablet in use. Raises Problem "tablet-revoked" for a withdrawn one, which may only hand over what it has."""
    if tablet.status != "active":
        raise Problem("tablet-revoked")
    return tablet


TheCity = Annotated[City, Depends(_city)]
AnyTablet = Annotated[Tablet, Depends(_tablet)]
RenewingTablet = Annotated[Tablet, Depends(_renewing)]
ActiveTablet = Annotated[Tablet, Depends(_active)]
