"""SparkPost."""

from __future__ import annotations

import json

from core.types import JsonObject
from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, US_AND_EU, MailVendor, Probe, Setting

HARD_CLASSES = ('"bounce_class": "10"', '"bounce_class": "30"', '"bounce_class": "90"')


class SparkPost(MailVendor):
    key = "sparkpost"
    name = "SparkPost"
    base_urls = {"us": "https://api.sparkpost.com/api/v1/", "eu": "https://api.eu.sparkpost.com/api/v1/"}
    options = {"api_key": "api_key", "subaccount": "subaccount"}
    settings = (
        Setting(column="region", label="Region", choices=US_AND_EU),
        Setting(column="subaccount", label="Subaccount"),
    )
    probe = Probe(path="account", headers={"Authorization": "{api_key}"})
    webhook_view = "SparkPostTrackingWebhookView"
    hook_steps = f"Configuration → Webhooks: add the address with basic authentication. {EVENTS_TO_CHOOSE}"

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        text = json.dumps(raw).lower()
        return any(hard_class in text for hard_class in HARD_CLASSES)
