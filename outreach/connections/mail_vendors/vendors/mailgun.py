"""Mailgun: its signature covers a time and a token instead of the events."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING

from django.http import HttpRequest

from core.types import JsonObject
from outreach.connections.mail_vendors.vendors.base import (
    EVENTS_TO_CHOOSE,
    US_AND_EU,
    MailVendor,
    Probe,
    Setting,
    signing_setting,
)
from outreach.connections.mail_vendors.webhooks import (
    HookRefused,
    digest,
    require_recent,
    require_same,
    sha256_hmac,
    signing_key,
)

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

TOLERANCE = timedelta(hours=9)
"""Mailgun tries again for eight hours, and does not say whether it signs again."""


class Mailgun(MailVendor):
    key = "mailgun"
    name = "Mailgun"
    base_urls = {"us": "https://api.mailgun.net/v3/", "eu": "https://api.eu.mailgun.net/v3/"}
    options = {"api_key": "api_key", "sender_domain": "domain"}
    settings = (
        Setting(column="region", label="Region", choices=US_AND_EU),
        Setting(column="domain", label="Sending domain", help="Empty: the domain of the From address."),
        signing_setting("HTTP webhook signing key"),
    )
    probe = Probe(path="domains", basic=("api", "{api_key}"))
    hook_password = False
    webhook_view = "MailgunTrackingWebhookView"
    hook_steps = f"Sending → Webhooks: add the address for each kind of event. {EVENTS_TO_CHOOSE}"

    def arguments(self, app: MailApp) -> JsonObject:
        domain = app.domain or app.from_email.rpartition("@")[2]
        return {**super().arguments(app), "sender_domain": domain}

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        block = json.loads(request.body)["signature"]
        # Nothing stands between timestamp and token in what is signed: only digits belong to the timestamp.
        if re.fullmatch(r"[0-9]{1,12}", str(block["timestamp"])) is None:
            raise HookRefused("its timestamp is no number of seconds")
        require_recent(block["timestamp"], TOLERANCE)
        signed = f"{block['timestamp']}{block['token']}".encode()
        require_same(str(block["signature"]), sha256_hmac(signing_key(app).encode(), signed).hexdigest())

    def signed_token(self, request: HttpRequest) -> tuple[str, str]:
        body = json.loads(request.body)
        token = str(body.pop("signature")["token"])
        return hashlib.sha256(token.encode()).hexdigest(), digest(body)
