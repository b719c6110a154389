"""POST /hooks/mail/<vendor>/<app id>/<token>: mail vendors' events of messages.

An unknown address, and a token that is not the app's, get the same 404. A request that is not the vendor's gets a 403
and has no effect.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from core.ids import is_id
from core.tenancy import company_scope, unscoped
from outreach.connections.mail_vendors.hooks import TOKEN_LENGTH, is_token
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.webhooks import HookRefused
from outreach.messaging.mail_events.parser import read_hook, signed_token
from outreach.messaging.mail_events.services import take_call

MAX_BYTES = 1 << 20
# A token is checked for unknown apps as well, so that the time of the answer reveals nothing about which ids
# exist.
NOBODY = ("0" * 24, "")


@csrf_exempt
def mail_hook(request: HttpRequest, vendor: str, id: str, token: str) -> HttpResponse:
    """Store the events of a webhook, and answer at once."""
    app = _app(vendor, id)
    # One character more than a token has: longer ones fail without being hashed as a whole.
    is_valid = is_token(token[: TOKEN_LENGTH + 1], *((app.pk, app.hook_salt) if app else NOBODY))
    if app is None or not is_valid:
        return _answer(404)
    if request.method in ("GET", "HEAD"):
        return _answer(200)  # some vendors look whether the address is there
    if request.method != "POST":
        return _answer(405)
    length = request.headers.get("Content-Length") or "0"
    # Before the body is read. Chunked bodies have no length, and no vendor sends them.
    if not length.isdigit() or int(length) > MAX_BYTES:
        return _answer(413)
    # Some vendors send the password only after they were asked for it (RFC 7617).
    if app.spec.hook_password and not request.headers.get("Authorization"):
        refused = _answer(401)
        refused["WWW-Authenticate"] = 'Basic realm="events"'
        return refused
    try:
        events = read_hook(app, request)
        with company_scope(app.company_id):
            take_call(app, events, signed_token(app, request))
    except HookRefused:
        return _answer(403)
    return _answer(200)


def _app(vendor: str, id: str) -> MailApp | None:
    if not is_id(id):
        return None
    # The token in the address is what shows that the request is the vendor's; it is checked by the caller.
    with unscoped(reason="webhook: the app whose address it is"):
        return MailApp.objects.filter(pk=id, vendor=vendor).first()


def _answer(status: int) -> HttpResponse:
    answer = HttpResponse(status=status)
    answer["Cache-Control"] = "no-store"
    return answer


urlpatterns = [path("hooks/mail/<str:vendor>/<str:id>/<str:token>", mail_hook, name="mail-hook")]
