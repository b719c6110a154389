"""The server log and the login log (contract 4.6)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.request_log.filters import LOGIN_LOG_FIELDS, SERVER_LOG_FIELDS
from accounts.request_log.models import LoginLog, ServerLog
from accounts.request_log.serializers import LoginLogOut, ServerLogOut
from core.api.endpoint import endpoint
from core.api.views import ApiView


class ServerLogs(ApiView):
    module = "logs"

    @endpoint(
        "List requests to the API",
        output=ServerLogOut,
        many=True,
        description="Those that one of the company's people or keys made, about a second after their end; kept for SERVER_LOG_DAYS (30).",
    )
    def get(self, request: Request) -> Any:
        return self.list_response(ServerLog.objects.all(), SERVER_LOG_FIELDS, ServerLogOut)


class LoginLogs(ApiView):
    module = "logs"

    @endpoint(
        "List logins",
        output=LoginLogOut,
        many=True,
        description="Attempts by the company's people, good and bad, kept for LOGIN_LOG_DAYS (365).",
    )
    def get(self, request: Request) -> Any:
        return self.list_response(LoginLog.objects.all(), LOGIN_LOG_FIELDS, LoginLogOut)
