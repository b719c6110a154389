"""Endpoint of the login log (contract 4.6)."""

from __future__ import annotations

from accounts.login_log.filters import LOGIN_LOG_FIELDS
from accounts.login_log.models import LoginLog
from accounts.login_log.serializers import LoginLogOut
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet


class LoginLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing(
        "List logins",
        LoginLog.objects.all,
        LOGIN_LOG_FIELDS,
        LoginLogOut,
        description="Attempts by the company's people, good and bad, kept for LOGIN_LOG_DAYS (365).",
    )
