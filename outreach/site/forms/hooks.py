"""GET and POST /hooks/social-a/<app id>/<token>: the social platform's notifications of leads.

It only sends their ids; a worker fetches the leads. An unknown address, and a token that is not the app's, get the same
404. An unsigned request gets a 403 and has no effect.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from core.ids import is_id
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from outreach.connections.connected_apps.signatures import hook_answer, is_signed
from outreach.connections.mail_vendors.hooks import TOKEN_LENGTH, is_token
from outreach.connections.social_apps.hooks import MAX_BYTES, is_verify_token
from outreach.connections.social_apps.models import SocialAApp
from outreach.site.forms.models import Form
from outreach.site.forms.submissions import store_reported

NOBODY = ("0" * 24, "")
MAX_LEADS = 1000
"""Leads of one webhook."""


@csrf_exempt
def social_hook(request: HttpRequest, id: str, token: str) -> HttpResponse:
    """Answer the platform's verification challenge, or store the ids of a webhook's leads."""
    app = _app(id)
    is_valid = is_token(token[: TOKEN_LENGTH + 1], *((app.pk, app.hook_salt) if app else NOBODY))
    if app is None or not is_valid:
        return hook_answer(404)
    if request.method == "GET":
        params = request.GET
        if params.get("hub.mode") != "subscribe" or not is_verify_token(params.get("hub.verify_token", ""), app):
            return hook_answer(403)
        return hook_answer(200, params.get("hub.challenge", "")[:200])
    if request.method != "POST":
        return hook_answer(405)
    length = request.headers.get("Content-Length") or "0"
    if not length.isdigit() or int(length) > MAX_BYTES:
        return hook_answer(413)
    if not is_signed(app, request.body, request.headers.get("X-Hub-Signature-256", "")):
        return hook_answer(403)
    with company_scope(app.company_id):
        _store(app, request.body)
    return hook_answer(200)


def _store(app: SocialAApp, body: bytes) -> None:
    leads_by_form: dict[str, dict[str, datetime]] = {}
    for form_id, leadgen_id, at in _reported_leads(body):
        leads_by_form.setdefault(form_id, {})[leadgen_id] = at
    # What comes while a form is paused, or still a draft, is another program's.
    forms = Form.objects.filter(
        app=app, source=Form.Source.SOCIAL_A, state=Form.State.PUBLISHED, form_id__in=leads_by_form
    )
    for form in forms:
        store_reported(form, leads_by_form[form.form_id])


def _reported_leads(body: bytes) -> Iterator[tuple[str, str, datetime]]:
    """Yield form, lead and time of each lead in a webhook; other content is ignored."""
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        return
    count = 0
    for entry in _items(payload, "entry"):
        for change in _items(entry, "changes"):
            value = change.get("value") if change.get("field") == "leadgen" else None
            if not isinstance(value, dict) or count >= MAX_LEADS:
                continue
            form_id, leadgen_id = (_id(value.get(name)) for name in ("form_id", "leadgen_id"))
            if form_id and leadgen_id:
                count += 1
                yield form_id, leadgen_id, _time(value.get("created_time"))


def _items(value: Any, name: str) -> list[JsonObject]:
    rows = value.get(name) if isinstance(value, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _id(value: Any) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text.isascii() and text.isalnum() and len(text) <= 40 else ""


def _time(value: Any) -> datetime:
    now = timezone.now()
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 2**33:
        return now
    return min(datetime.fromtimestamp(value, UTC), now)


def _app(id: str) -> SocialAApp | None:
    if not is_id(id):
        return None
    with unscoped(reason="webhook: the social app whose address it is"):
        return SocialAApp.objects.filter(pk=id, is_active=True).first()


urlpatterns = [path("hooks/social-a/<str:id>/<str:token>", social_hook, name="social-hook")]
