"""Mailtrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest

from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, signing_setting
from outreach.connections.mail_vendors.webhooks import require_same, sha256_hmac, signing_key

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class Mailtrap(MailVendor):
    key = "mailtrap"
    name = "Mailtrap"
    key_label = "API token"
    base_urls = {"": "https://send.api.mailtrap.io/api/"}
    options = {"api_token": "api_key"}
    settings = (signing_setting("Signature key of the webhook"),)
    probe = Probe(path="https://mailtrap.io/api/accounts", headers={"Authorization": "Bearer {api_key}"})
    tracking = ()
    hook_password = False
    webhook_view = "MailtrapTrackingWebhookView"
    hook_steps = f"Settings → Webhooks: add the address, then copy its signature key to here. {EVENTS_TO_CHOOSE}"

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        expected = sha256_hmac(signing_key(app).encode(), request.body).hexdigest()
        require_same(request.headers.get("Mailtrap-Signature", ""), expected)
