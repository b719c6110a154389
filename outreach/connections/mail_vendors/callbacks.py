"""GET /oauth/mailvendor-x/callback: the address to which vendors redirect browsers after a log-in.

The state contains the company, whose page continues (outreach.connections.senders.pages).
Nothing is read or written here.
"""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from core.ids import is_id

KEPT = ("code", "state", "error")
MAX_QUERY_LENGTH = 2000


@require_safe
def oauth_callback(request: HttpRequest, app: str) -> HttpResponse:
    """Lead on to the page of the company that the log-in is for."""
    return lead_on(request, "web:vendor-return")


def lead_on(request: HttpRequest, page: str) -> HttpResponse:
    """Lead on to a page of the company whose id the state begins with."""
    params = {name: request.GET[name][:MAX_QUERY_LENGTH] for name in KEPT if name in request.GET}
    company = params.get("state", "").partition(".")[0]
    to = f"{reverse(page, args=[company])}?{urlencode(params)}" if is_id(company) else "/"
    answer = HttpResponseRedirect(to)
    answer["Cache-Control"] = "no-store"
    return answer


urlpatterns = [path("oauth/<str:app>/callback", oauth_callback, name="vendor-login-callback")]
