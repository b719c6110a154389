"""The envelope of success (contract section 4.1), with the status and text of a named message (section 7)."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response

from core.errors import NamedError
from core.messages import message_for
from core.types import JsonObject

QUEUED = "BulkJobQueued_200"
"""The success of a change that is too much for a request, so that a job makes it."""


def envelope(name: str, **members: Any) -> tuple[int, JsonObject]:
    """Return the HTTP status and the envelope of a named success. A name without a row is a failure (contract)."""
    status, text = message_for(name)
    if status >= 400:
        raise NamedError(name)
    return status, {"status": "success", "success": True, "message": text, **members}


def respond(name: str, data: Any = None, **extra: Any) -> Response:
    """Return the response of a named success. `extra` are members of the response next to data."""
    status, body = envelope(name, data=data, **extra)
    return Response(body, status=status)
