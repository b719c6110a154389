"""Postmark."""

from __future__ import annotations

from core.types import JsonObject
from outreach.connections.mail_vendors.vendors.base import MailVendor, Probe, Setting


class Postmark(MailVendor):
    key = "postmark"
    name = "Postmark"
    key_label = "Server API token"
    base_urls = {"": "https://api.postmarkapp.com/"}
    options = {"server_token": "api_key", "message_stream": "message_stream"}
    settings = (Setting(column="message_stream", label="Message stream", help="Empty: outbound."),)
    probe = Probe(path="server", headers={"X-Postmark-Server-Token": "{api_key}", "Accept": "application/json"})
    webhook_view = "PostmarkTrackingWebhookView"
    hook_steps = (
        "Server → Message stream → Webhooks: add the address. Choose delivery, bounce, spam complaint"
        " and subscription change."
    )

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        return raw.get("Type") in ("HardBounce", "BadEmailAddress")
