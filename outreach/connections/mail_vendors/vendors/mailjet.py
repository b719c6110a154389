"""Mailjet."""

from __future__ import annotations

from core.types import JsonObject
from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, Setting


class Mailjet(MailVendor):
    key = "mailjet"
    name = "Mailjet"
    base_urls = {"": "https://api.mailjet.com/v3.1/"}
    options = {"api_key": "api_key", "secret_key": "secret_key"}
    settings = (Setting(column="secret_key", label="Secret key", required=True, secret=True),)
    probe = Probe(path="/v3/REST/apikey", basic=("{api_key}", "{secret_key}"))
    webhook_view = "MailjetTrackingWebhookView"
    hook_steps = f"Account settings → Event notifications: add the address. {EVENTS_TO_CHOOSE}"

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        return raw.get("hard_bounce") in (True, 1, "1", "true")
