"""Mandrill: it answers some refusals with 200, and signs its webhooks' address with their form."""

from __future__ import annotations

import base64
import hmac
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

from core.types import JsonObject
from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, signing_setting
from outreach.connections.mail_vendors.webhooks import require_same, signing_key
from outreach.connections.smtp.outcome import BAD_ADDRESS

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class Mandrill(MailVendor):
    key = "mandrill"
    name = "Mandrill"
    base_urls = {"": "https://mandrillapp.com/api/1.0/"}
    options = {"api_key": "api_key"}
    settings = (signing_setting("Webhook key"),)
    probe = Probe(path="users/ping2.json", method="POST", body='{{"key": "{api_key}"}}')
    key_refusals = frozenset({"Invalid_Key", "PaymentRequired"})
    hook_password = False
    webhook_view = "MandrillCombinedWebhookView"
    hook_steps = f"Settings → Webhooks: add the address, then copy its key to here. {EVENTS_TO_CHOOSE}"

    def refusal_code(self, body: Any) -> str:
        if not isinstance(body, dict) or body.get("status") != "error":
            return ""
        return "" if body.get("name") in (None, "GeneralError") else str(body["name"])

    def rejection_reason(self, status: str) -> str:
        # It rejects for the sender's faults as well, and says only later for which.
        return "" if status == "rejected" else BAD_ADDRESS

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        signed = self.hook_url(app.pk, app.hook_salt)
        for name in sorted(request.POST):
            signed += name + request.POST[name]
        digest = hmac.new(signing_key(app).encode(), signed.encode(), "sha1").digest()
        require_same(request.headers.get("X-Mandrill-Signature", ""), base64.b64encode(digest).decode())

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        return raw.get("event") == "hard_bounce"
