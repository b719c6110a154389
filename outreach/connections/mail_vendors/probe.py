"""Tests of a vendor's account: the cheapest request that takes the key, without sending."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings

from core.outbound import OutboundRefused
from core.outbound_http import HttpAnswer, HttpFailed, causes, exchange, within
from outreach.connections.mail_vendors.access import access_token
from outreach.connections.mail_vendors.backends import arguments_of, base_url, secrets_of, ses_client
from outreach.connections.mail_vendors.outcomes import REFUSED_KEYS, words_of
from outreach.connections.mail_vendors.registry import Vendor
from outreach.connections.smtp.outcome import SmtpError

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

SECONDS = 8.0


def verify(app: MailApp) -> None:
    """Ask the vendor whether it takes the key. Raises SmtpError: `auth` when it does not, else `connect`."""
    if app.spec.login:
        access_token(app, instead_of=app.access_token)
        return
    if app.spec.key == "ses":
        _verify_ses(app)
        return
    answer = _ask(app)
    body = _json(answer.body)
    if answer.status in (401, 403) and _code(body) == "restricted_api_key":
        return  # a key that may send, and nothing else
    text = words_of(body if body is not None else "", secrets_of(app))
    if answer.status in (401, 403) or _refused(app.spec, body):
        detail = f"{app.spec.name} does not take the key. {text}".strip()
        raise SmtpError("auth", detail, temporary=False, code=answer.status)
    if not 200 <= answer.status < 300:
        detail = f"{app.spec.name} answered {answer.status}. {text}".strip()
        raise SmtpError("connect", detail, temporary=True, code=answer.status)


def _ask(app: MailApp) -> HttpAnswer:
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
        return exchange(probe.method, _address(app, probe.path), seconds=SECONDS, headers=headers, body=body)
    except HttpFailed as failed:
        raise SmtpError("connect", failed.detail, temporary=True) from None


def _address(app: MailApp, path: str) -> str:
    base, override = base_url(app.spec, app.region, app.endpoint), settings.VENDOR_BASE_URLS.get(app.spec.key)
    if override and urlsplit(path).scheme:
        path = urlsplit(path).path
    return urljoin(base, path)


def _refused(spec: Vendor, body: Any) -> bool:
    """Return whether an answer that is no error means a bad key."""
    return spec.key in ("postal", "mandrill") and _code(body) in REFUSED_KEYS


def _code(body: Any) -> str:
    if not isinstance(body, dict):
        return ""
    data = body.get("data")
    return str((data.get("code") if isinstance(data, dict) else None) or body.get("name") or "")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _verify_ses(app: MailApp) -> None:
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    try:
        with within(SECONDS):
            ses_client(arguments_of(app)).get_account()
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        text = words_of(error.response.get("Error", {}).get("Message", ""), secrets_of(app))
        if status in (401, 403):
            detail = f"{app.spec.name} does not take the key. {text}".strip()
            raise SmtpError("auth", detail, temporary=False, code=status) from None
        detail = f"{app.spec.name} answered {status}. {text}".strip()
        raise SmtpError("connect", detail, temporary=True, code=status) from None
    except (BotoCoreError, ValueError, OSError) as error:
        refused = next((cause for cause in causes(error) if isinstance(cause, OutboundRefused)), None)
        detail = refused.detail if refused else f"{app.spec.name} could not be reached."
        raise SmtpError("connect", detail, temporary=True) from None
