"""Postal, on a server of the company's: it answers refusals with 200."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from django.http import HttpRequest

from outreach.connections.mail_vendors.vendors.base import (
    EVENTS_TO_CHOOSE,
    MailVendor,
    Probe,
    Setting,
    signing_setting,
)
from outreach.connections.mail_vendors.webhooks import public_key

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class Postal(MailVendor):
    key = "postal"
    name = "Postal"
    options = {"api_key": "api_key"}
    settings = (
        Setting(column="endpoint", label="Server", required=True, help="Such as https://postal.example.org"),
        signing_setting("Public key that webhooks are signed with"),
    )
    probe = Probe(
        path="api/v1/messages/message",
        method="POST",
        headers={"X-Server-API-Key": "{api_key}"},
        body='{{"id": 0}}',
    )
    metadata = False
    tracking = ()
    key_refusals = frozenset({"AccessDenied", "InvalidServerAPIKey"})
    hook_password = False
    webhook_view = "PostalTrackingWebhookView"
    hook_steps = f"Mail server → Webhooks: add the address. {EVENTS_TO_CHOOSE}"

    def refusal_code(self, body: Any) -> str:
        if not isinstance(body, dict) or body.get("status") not in ("error", "parameter-error"):
            return ""
        return str((body.get("data") or {}).get("code") or body["status"])

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        signature = base64.b64decode(request.headers.get("X-Postal-Signature", ""))
        key = public_key(app)
        key.verify(signature, request.body, padding.PKCS1v15(), hashes.SHA1())  # noqa: S303  Postal's choice
