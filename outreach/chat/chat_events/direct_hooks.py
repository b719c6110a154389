"""POST /hooks/messenger/<app id>/<token>, GET and POST /hooks/social-b/<app id>/<token>: incoming messages.

A messenger and the second social platform post them. An unknown address, and a token that is not the app's, both get a
404. A request without the secret in its header, or without a signature, gets a 403 and has no effect.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from core.ids import is_id
from core.tenancy import company_scope, unscoped
from outreach.chat.chat_events.direct_parser import read_messenger, read_social_b
from outreach.chat.chat_events.hooks import NOBODY
from outreach.chat.chat_events.services import store_events
from outreach.connections.chat_apps.hooks import MAX_BYTES
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.connected_apps.signatures import hook_answer, is_signed
from outreach.connections.direct_apps.hooks import SECRET_HEADER, is_secret
from outreach.connections.mail_vendors.hooks import TOKEN_LENGTH, is_token

Vendor = ChatApp.Vendor


@csrf_exempt
def messenger_hook(request: HttpRequest, id: str, token: str) -> HttpResponse:
    """Store the event of an update, and respond at once."""
    app = _app(Vendor.MESSENGER, id, token)
    if app is None:
        return hook_answer(404)
    refused = _refuse_request(request)
    if refused is not None:
        return refused
    # Telegram's way: a secret header instead of a signature.
    if not is_secret(request.headers.get(SECRET_HEADER, ""), app):
        return hook_answer(403)
    with company_scope(app.company_id):
        store_events(app, read_messenger(app, request.body))
    return hook_answer(200)


@csrf_exempt
def social_b_hook(request: HttpRequest, id: str, token: str) -> HttpResponse:
    """Confirm the ownership of the address to the platform; store the events of a webhook, and respond at once."""
    app = _app(Vendor.SOCIAL_B, id, token)
    if app is None:
        return hook_answer(404)
    if request.method == "GET":
        params = request.GET
        if params.get("hub.mode") != "subscribe" or not is_secret(params.get("hub.verify_token", ""), app):
            return hook_answer(403)
        # Meta's subscription: the challenge is given back as it came, cut and as plain text, against injected
        # markup.
        return hook_answer(200, params.get("hub.challenge", "")[:200])
    refused = _refuse_request(request)
    if refused is not None:
        return refused
    # Over the raw body: parsed and written again it would have other bytes.
    if not is_signed(app, request.body, request.headers.get("X-Hub-Signature-256", "")):
        return hook_answer(403)
    with company_scope(app.company_id):
        store_events(app, read_social_b(app, request.body))
    return hook_answer(200)


def _refuse_request(request: HttpRequest) -> HttpResponse | None:
    if request.method != "POST":
        return hook_answer(405)
    length = request.headers.get("Content-Length") or "0"
    return hook_answer(413) if not length.isdigit() or int(length) > MAX_BYTES else None


def _app(vendor: str, id: str, token: str) -> ChatApp | None:
    """Return the app whose address it is. The token is compared whether there is one or not."""
    app = None
    if is_id(id):
        with unscoped(reason="webhook: the app whose address it is"):
            app = ChatApp.objects.filter(pk=id, vendor=vendor).first()
    is_valid = is_token(token[: TOKEN_LENGTH + 1], *((app.pk, app.hook_salt) if app else NOBODY))
    return app if is_valid else None


urlpatterns = [
    path("hooks/messenger/<str:id>/<str:token>", messenger_hook, name="messenger-hook"),
    path("hooks/social-b/<str:id>/<str:token>", social_b_hook, name="social-b-hook"),
]
