"""Brevo."""

from __future__ import annotations

from typing import Any

from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe


class Brevo(MailVendor):
    key = "brevo"
    name = "Brevo"
    base_urls = {"": "https://api.brevo.com/v3/"}
    options = {"api_key": "api_key"}
    probe = Probe(path="account", headers={"api-key": "{api_key}"})
    idempotency = "message"
    tracking = ()
    webhook_view = "BrevoTrackingWebhookView"
    hook_steps = f"Transactional → Settings → Webhook: add the address. {EVENTS_TO_CHOOSE}"

    def had_already(self, status: int, body: Any) -> bool:
        # Brevo's answer to a repeated idempotency key: the first request has been accepted.
        return status == 400 and isinstance(body, dict) and body.get("code") == "duplicate_parameter"
