"""Endpoint of the server log (contract 4.6)."""

from __future__ import annotations

from accounts.request_log.filters import SERVER_LOG_FIELDS
from accounts.request_log.models import ServerLog
from accounts.request_log.serializers import ServerLogOut
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet


class ServerLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing(
        "List requests to the API",
        ServerLog.objects.all,
        SERVER_LOG_FIELDS,
        ServerLogOut,
        description="Those that one of the company's people or keys made, about a second after their end; kept for"
        " SERVER_LOG_DAYS (30).",
    )
