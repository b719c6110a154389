"""MailerSend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

from core.types import JsonObject
from outreach.connections.mail_vendors.backends import GuardedBackend
from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, signing_setting
from outreach.connections.mail_vendors.webhooks import require_same, sha256_hmac, signing_key

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class MailerSendBackend(GuardedBackend):
    """Gives answers without a body a type, which anymail expects."""

    def parse_recipient_status(self, response: Any, payload: Any, message: Any) -> Any:
        response.headers.setdefault("Content-Type", "text/html")
        return super().parse_recipient_status(response, payload, message)  # type: ignore[misc]


class MailerSend(MailVendor):
    key = "mailersend"
    name = "MailerSend"
    key_label = "API token"
    base_urls = {"": "https://api.mailersend.com/v1/"}
    options = {"api_token": "api_key"}
    backend_mixin = MailerSendBackend
    settings = (signing_setting("Signing secret of the webhook"),)
    probe = Probe(path="domains", headers={"Authorization": "Bearer {api_key}"})
    metadata = False
    hook_password = False
    webhook_view = "MailerSendTrackingWebhookView"
    hook_steps = f"Domains → Webhooks: add the address, then copy its signing secret to here. {EVENTS_TO_CHOOSE}"

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        expected = sha256_hmac(signing_key(app).encode(), request.body).hexdigest()
        require_same(request.headers.get("Signature", ""), expected)

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        return bool(raw.get("data", {}).get("type") == "hard_bounced")
