"""Tests of a vendor's account: the cheapest request that takes the key, without sending."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings

from core.outbound_http import HttpAnswer, HttpFailed, send_request
from outreach.connections.mail_vendors.backends import secrets_of
from outreach.connections.mail_vendors.outcomes import words_of
from outreach.connections.smtp.outcome import SmtpError

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

SECONDS = 8.0


def verify_by_probe(app: MailApp) -> None:
    """Send the vendor's probe. Raises SmtpError: `auth` when the key is refused, else `connect`."""
    vendor = app.spec
    answer = _request_probe(app)
    body = _json(answer.body)
    if answer.status in (401, 403) and vendor.takes_limited_key(body):
        return
    text = words_of(body if body is not None else "", secrets_of(app))
    if answer.status in (401, 403) or error_code(body) in vendor.key_refusals:
        detail = f"{vendor.name} does not take the key. {text}".strip()
        raise SmtpError("auth", detail, temporary=False, code=answer.status)
    if not 200 <= answer.status < 300:
        detail = f"{vendor.name} answered {answer.status}. {text}".strip()
        raise SmtpError("connect", detail, temporary=True, code=answer.status)


def _request_probe(app: MailApp) -> HttpAnswer:
    probe = app.spec.probe
    if probe is None:
        raise SmtpError("connect", f"{app.spec.name} is not available yet.", temporary=False)
    api_key, secret_key = secrets_of(app)
    keys = {"api_key": api_key, "secret_key": secret_key}
    headers = {name: value.format(**keys) for name, value in probe.headers.items()}
    if probe.basic:
        pair = ":".join(part.format(**keys) for part in probe.basic)
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    body = None
    if probe.body:
        body = probe.body.format(**{name: json.dumps(value)[1:-1] for name, value in keys.items()}).encode()
        headers["Content-Type"] = "application/json"
    if not all(value.isascii() and value.isprintable() for value in headers.values()):
        raise SmtpError("auth", "The key has characters that no key has.", temporary=False)
    try:
        return send_request(probe.method, _address(app, probe.path), seconds=SECONDS, headers=headers, body=body)
    except HttpFailed as failed:
        raise SmtpError("connect", failed.detail, temporary=True) from None


def _address(app: MailApp, path: str) -> str:
    if settings.VENDOR_BASE_URLS.get(app.spec.key) and urlsplit(path).scheme:
        path = urlsplit(path).path
    return urljoin(app.spec.base_url(app.region, app.endpoint), path)


def error_code(body: Any) -> str:
    """Return the code or name of the error in a response; "" for none."""
    if not isinstance(body, dict):
        return ""
    data = body.get("data")
    return str((data.get("code") if isinstance(data, dict) else None) or body.get("name") or "")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
