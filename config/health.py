"""GET /api/public/health."""

from __future__ import annotations

from django.db import connection
from django.db.utils import Error
from django.http import HttpRequest, HttpResponse

from core.api.handler import plain_response
from core.text.json import dumps

HEALTHY = {"status": "success", "success": True, "message": "OK", "data": {"database": "ok"}}
"""The answer to probes, which needs no message row."""


def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers, 503 otherwise."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return plain_response(503, "The database does not answer", "see the server's log")
    return HttpResponse(dumps(HEALTHY), content_type="application/json")
