"""The public endpoints of a session."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.auth import tokens
from accounts.auth.session_serializers import Login, Refresh, Session, session_answer
from accounts.auth.sessions import log_in
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet


class LoginViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Log in",
        input=Login,
        output=Session,
        success="UserLoggedIn_200",
        errors=("InvalidCredentials_400",),
        limited=True,
        description="An address that has not been verified is refused like a wrong password; the mail to verify it is"
        " sent again then.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        return session_answer(*log_in(**data, caller=caller_of(request)))


class RefreshViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Renew a session",
        input=Refresh,
        output=Session,
        errors=("Unauthorized_401",),
        description="The refresh token is replaced; a second use of one ends its session.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        return session_answer(*tokens.rotate(data["refresh_token"]))


class LogoutViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Log out",
        input=Refresh,
        success="UserLoggedOut_200",
        description="Ends the refresh token's session; its access token stops working too.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        tokens.revoke(data["refresh_token"])
