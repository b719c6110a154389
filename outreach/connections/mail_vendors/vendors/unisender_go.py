"""Unisender Go: it signs its webhooks with the API key."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from django.http import HttpRequest

from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, Setting
from outreach.connections.mail_vendors.webhooks import require_same

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class UnisenderGo(MailVendor):
    key = "unisender-go"
    name = "Unisender Go"
    base_urls = {
        "go1": "https://go1.unisender.ru/ru/transactional/api/v1/",
        "go2": "https://go2.unisender.ru/ru/transactional/api/v1/",
    }
    options = {"api_key": "api_key"}
    settings = (Setting(column="region", label="Data center", choices=("go1", "go2")),)
    probe = Probe(path="system/info.json", method="POST", headers={"X-API-KEY": "{api_key}"}, body="{{}}")
    hook_password = False
    webhook_view = "UnisenderGoTrackingWebhookView"
    hook_steps = f"Webhooks: add the address. {EVENTS_TO_CHOOSE}"

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        signature = str(json.loads(request.body)["auth"])
        # The signature stands inside of the body that it signs: with the key in its place.
        signed = request.body.replace(signature.encode(), app.api_key.encode())
        require_same(signature, hashlib.md5(signed, usedforsecurity=False).hexdigest())
