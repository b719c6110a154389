"""GET /api/public/health."""

from __future__ import annotations

from django.db.utils import Error
from django.http import HttpRequest, HttpResponse

from core.api.handler import unavailable
from core.hold.services import current_hold
from core.jobs import heartbeat
from core.text.json import dumps


def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers, 503 otherwise.

    `tick` and `work` show the state of background work. `message` is Degraded if it does not run, and Held in a
    restored copy that is not released. The status stays 200 then: the web process still works, so a load balancer must
    not remove it. Needs no message row.
    """
    try:
        beat = heartbeat()
        hold = current_hold()
    except Error:
        return unavailable()
    work = "late" if beat.late else "ok"
    message = "Degraded" if beat.stale or beat.late else "OK"
    if hold:
        work = "held"
        message = "Degraded" if beat.stale else "Held"
    data = {
        "database": "ok",
        "tick": "stale" if beat.stale else "ok",
        "tickedAt": beat.ticked_at,
        "work": work,
        "heldSince": hold.since if hold else None,
    }
    body = {"status": "success", "success": True, "message": message, "data": data}
    return HttpResponse(dumps(body), content_type="application/json")
