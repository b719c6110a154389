"""The public endpoints of a session."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.auth.sessions import tokens
from accounts.auth.sessions.serializers import EndedSessions, Login, OpenSession, Refresh, Session, session_answer
from accounts.auth.sessions.services import end_other_sessions, end_session, log_in
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject

MAX_SHOWN = 100


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
    def create(self, request: Request, data: JsonObject) -> object:
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
    def create(self, request: Request, data: JsonObject) -> object:
        return session_answer(*tokens.rotate(data["refresh_token"], caller=caller_of(request)))


class LogoutViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Log out",
        input=Refresh,
        success="UserLoggedOut_200",
        description="Ends the refresh token's session; its access token stops working too.",
    )
    def create(self, request: Request, data: JsonObject) -> None:
        tokens.revoke(data["refresh_token"])


class SessionViewSet(ResourceViewSet):
    private = True

    @endpoint(
        "List one's open sessions",
        output=OpenSession,
        many=True,
        list_parameters=(),
        description=f"Of browsers and programs alike, the one used last first; the newest {MAX_SHOWN} of them.",
    )
    def list(self, request: Request) -> object:
        sessions = tokens.open_sessions(self.actor.user_id)
        rows = [
            OpenSession.render(row) for row in OpenSession.project(sessions.order_by("-created_at", "-pk")[:MAX_SHOWN])
        ]
        for session in rows:
            session["isCurrent"] = session["_id"] == self.actor.session_id
        rows.sort(key=lambda session: (session["isCurrent"], session["lastUsedAt"]), reverse=True)
        return self.success(rows, totalCount=len(rows) if len(rows) < MAX_SHOWN else sessions.count(), nextCursor=None)

    @endpoint(
        "End one of one's sessions",
        success="SessionEnded_200",
        errors=("SessionNotFound_404",),
        description="Its tokens, or its browser, are refused at once. It may be the session of the request itself.",
    )
    def destroy(self, request: Request, id: str) -> None:
        end_session(user_id=self.actor.user_id, session_id=id)

    @endpoint(
        "End all of one's other sessions",
        output=EndedSessions,
        success="OtherSessionsEnded_200",
        description="The session of the request goes on.",
    )
    def bulk_destroy(self, request: Request) -> object:
        return {"endedCount": end_other_sessions(user_id=self.actor.user_id, session_id=self.actor.session_id)}
