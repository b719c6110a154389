"""The public doors of a session."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from rest_framework.request import Request

from accounts import tokens
from accounts.api.public_serializers import Login, Refresh, Session
from accounts.models import Member, User
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import Named
from core.tenancy import unscoped


def _session(user: User, issued: tokens.Tokens) -> dict[str, Any]:
    with unscoped(reason="login: the memberships of one user in all companies"):
        rows = list(Member.objects.filter(user=user).order_by("created_at").values("id", "status", "company_id", "company__name"))
    return {
        "token": issued.access,
        "refreshToken": issued.refresh,
        "expiresIn": issued.expires_in,
        "user": {"_id": user.pk, "name": user.name, "email": user.email},
        "memberships": [
            {"_id": row["id"], "status": row["status"], "company": {"_id": row["company_id"], "name": row["company__name"]}} for row in rows
        ],
    }


class LoginView(ApiView):
    public = True

    @endpoint("Log in", input=Login, output=Session, message="Logged in", errors=("InvalidCredentials_400",))
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        user = User.objects.filter(email=data["email"], is_active=True).first()
        if user is None:
            make_password(data["password"])  # as much work as for a known address, so that the time tells nothing
        if user is None or not check_password(data["password"], user.password):
            raise Named("InvalidCredentials_400", "email or password is wrong")
        return _session(user, tokens.issue(user))


class RefreshView(ApiView):
    public = True

    @endpoint(
        "Renew a session",
        input=Refresh,
        output=Session,
        errors=("Unauthorized_401",),
        description="The refresh token is replaced; a second use of one ends its session.",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        issued = tokens.rotate(data["refresh_token"])
        claims = tokens.read_access(issued.access)
        return _session(User.objects.get(pk=claims["sub"]), issued)


class LogoutView(ApiView):
    public = True

    @endpoint(
        "Log out", input=Refresh, message="Logged out", description="Ends the refresh token's session; the access token runs out by itself."
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        tokens.revoke(data["refresh_token"])
