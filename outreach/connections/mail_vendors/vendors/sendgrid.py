"""SendGrid: it signs its webhooks with a private key."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
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
from outreach.connections.mail_vendors.webhooks import public_key, require_recent

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class SendGrid(MailVendor):
    key = "sendgrid"
    name = "SendGrid"
    base_urls = {"us": "https://api.sendgrid.com/v3/", "eu": "https://api.eu.sendgrid.com/v3/"}
    options = {"api_key": "api_key"}
    settings = (
        Setting(column="region", label="Region", choices=US_AND_EU),
        signing_setting("Verification key of the signed event webhook"),
    )
    probe = Probe(path="scopes", headers={"Authorization": "Bearer {api_key}"})
    hook_password = False
    webhook_view = "SendGridTrackingWebhookView"
    hook_steps = (
        "Settings → Mail settings → Event webhook: paste the address, switch the signature on and copy"
        f" the verification key to here. {EVENTS_TO_CHOOSE}"
    )

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        at = request.headers.get("X-Twilio-Email-Event-Webhook-Timestamp", "")
        encoded = request.headers.get("X-Twilio-Email-Event-Webhook-Signature", "")
        signature = base64.b64decode(encoded, validate=True)
        key = public_key(app)
        require_recent(at)
        # The time is part of what is signed, so nobody can make an old request young.
        key.verify(signature, at.encode() + request.body, ec.ECDSA(hashes.SHA256()))

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        # SendGrid calls blocks bounces, too, and the type alone distinguishes them.
        return raw.get("type") != "blocked"
