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

    `tick` and `work` say whether background work goes on, with `message` Degraded where it does not, and Held in a
    restored copy that nobody has released. The status stays 200 then: the web process can do its part, and a load
    balancer must not take it out. Needs no message row.
    """
    try:
        beat, hold = heartbeat(), current_hold()
    except Error:
        return unavailable()
    data = {
        "database": "ok",
        "tick": "stale" if beat.stale else "ok",
        "tickedAt": beat.ticked_at,
        "work": "held" if hold else "late" if beat.late else "ok",
        "heldSince": hold.since if hold else None,
    }
    message = "Degraded" if beat.stale or (beat.late and not hold) else "Held" if hold else "OK"
    body = {"status": "success", "success": True, "message": message, "data": data}
    return HttpResponse(dumps(body), content_type="application/json")
