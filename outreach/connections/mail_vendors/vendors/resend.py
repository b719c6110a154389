"""Resend: the idempotency key goes in the request's headers, and svix signs its webhooks."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from core.types import JsonObject
from outreach.connections.mail_vendors.backends import GuardedBackend
from outreach.connections.mail_vendors.probe import error_code
from outreach.connections.mail_vendors.vendors.base import EVENTS_TO_CHOOSE, MailVendor, Probe, signing_setting
from outreach.connections.mail_vendors.webhooks import HookRefused, require_recent, sha256_hmac, signing_key

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp


class ResendBackend(GuardedBackend):
    """Moves the idempotency key from the message's headers to those of the request."""

    def build_message_payload(self, message: Any, defaults: Any) -> Any:
        payload = super().build_message_payload(message, defaults)  # type: ignore[misc]
        payload.headers["Idempotency-Key"] = message.idempotency_key
        return payload


class Resend(MailVendor):
    key = "resend"
    name = "Resend"
    base_urls = {"": "https://api.resend.com/"}
    options = {"api_key": "api_key"}
    backend_mixin = ResendBackend
    settings = (signing_setting("Signing secret of the webhook"),)
    probe = Probe(path="domains", headers={"Authorization": "Bearer {api_key}"})
    idempotency = "header"
    tracking = ()
    hook_password = False
    webhook_view = "ResendTrackingWebhookView"
    hook_steps = f"Webhooks → Add webhook: paste the address, then copy its signing secret to here. {EVENTS_TO_CHOOSE}"

    def takes_limited_key(self, body: Any) -> bool:
        return error_code(body) == "restricted_api_key"

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        key = base64.b64decode(signing_key(app).removeprefix("whsec_"))
        id = request.headers.get("svix-id", "")
        at = request.headers.get("svix-timestamp", "")
        require_recent(at)
        expected = base64.b64encode(sha256_hmac(key, f"{id}.{at}.".encode(), request.body).digest()).decode()
        signatures = [signature.partition(",")[2] for signature in request.headers.get("svix-signature", "").split()]
        if not any(constant_time_compare(signature, expected) for signature in signatures[:8]):
            raise HookRefused("the signature is missing or wrong")

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        bounce_type = str(raw.get("data", {}).get("bounce", {}).get("type", ""))
        return bounce_type.lower() in ("permanent", "hardbounce")
