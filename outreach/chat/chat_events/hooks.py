"""GET and POST /hooks/chatapp/<app id>/<token>: incoming messages, and the states of sent ones, from the chat vendor.

An unknown address, and a token that is not the app's, get the same 404. An unsigned request gets a 403 and has no
effect.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from core.ids import is_id
from core.tenancy import company_scope, unscoped
from outreach.chat.chat_events.parser import read_hook
from outreach.chat.chat_events.services import store_events
from outreach.connections.chat_apps.hooks import MAX_BYTES, is_verify_token
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.connected_apps.signatures import hook_answer, is_signed
from outreach.connections.mail_vendors.hooks import TOKEN_LENGTH, is_token

NOBODY = ("0" * 24, "")


@csrf_exempt
def chat_hook(request: HttpRequest, id: str, token: str) -> HttpResponse:
    """Answer the vendor's verification challenge, or store the events of a webhook and answer at once."""
    app = _app(id)
    # A token is compared for unknown apps as well, so that the time of the answer reveals nothing about them.
    is_valid = is_token(token[: TOKEN_LENGTH + 1], *((app.pk, app.hook_salt) if app else NOBODY))
    if app is None or not is_valid:
        return hook_answer(404)
    if request.method == "GET":
        params = request.GET
        if params.get("hub.mode") != "subscribe" or not is_verify_token(params.get("hub.verify_token", ""), app):
            return hook_answer(403)
        # Given back as plain text and cut: nothing of a caller's is shown as a page.
        return hook_answer(200, params.get("hub.challenge", "")[:200])
    if request.method != "POST":
        return hook_answer(405)
    length = request.headers.get("Content-Length") or "0"
    if not length.isdigit() or int(length) > MAX_BYTES:
        return hook_answer(413)
    # HMAC-SHA256 with the app's secret over the raw body, as Meta signs its webhooks.
    if not is_signed(app, request.body, request.headers.get("X-Hub-Signature-256", "")):
        return hook_answer(403)
    with company_scope(app.company_id):
        store_events(app, read_hook(app, request.body))
    return hook_answer(200)


def _app(id: str) -> ChatApp | None:
    if not is_id(id):
        return None
    with unscoped(reason="webhook: the chat app whose address it is"):
        return ChatApp.objects.filter(pk=id, vendor=ChatApp.Vendor.CHATAPP).first()


urlpatterns = [path("hooks/chatapp/<str:id>/<str:token>", chat_hook, name="chat-hook")]
