"""Anymail's backends over guarded connections, one a thread and app, closed when it has been idle."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings

from core.crypto import SecretUnreadable
from core.outbound_http import GUARDED_POOLS, guarded_session
from core.s3 import lone_session
from core.types import JsonObject, Values
from outreach.connections.mail_vendors.registry import Vendor
from outreach.connections.smtp.outcome import SmtpError

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

IDLE_SECONDS = 20.0
"""A connection that the vendor has dropped meanwhile looks like one that breaks while a message is sent."""
CONNECT_SECONDS = 10.0
SECONDS = 30.0
"""Time limit of one request, in total."""
MAX_BYTES = 1 << 20
UNREADABLE = "The stored key was given for another server. Enter the key again."

_kept = threading.local()


@dataclass
class _CachedBackend:
    backend: Any
    arguments: Values
    used_at: float


def base_url(spec: Vendor, region: str, endpoint: str) -> str:
    """Return the base address of the vendor, ending with a slash: from VENDOR_BASE_URLS, or its own.

    An override without a path keeps the vendor's path. The guard judges each address when it is connected to.
    """
    own = spec.base_urls.get(region) or next(iter(spec.base_urls.values()), "")
    if not own and endpoint:
        own = endpoint.rstrip("/") + "/"
    override = settings.VENDOR_BASE_URLS.get(spec.key, "")
    if not override:
        return own
    if urlsplit(override).path.strip("/"):
        return override.rstrip("/") + "/"
    return urljoin(override, urlsplit(own).path or "/")


def secrets_of(app: MailApp) -> tuple[str, str]:
    """Return key and second key. Raises SmtpError when they were stored for another place."""
    try:
        return app.api_key, app.secret_key
    except SecretUnreadable:
        raise SmtpError("auth", UNREADABLE, temporary=False) from None


def arguments_of(app: MailApp) -> JsonObject:
    """Return all that the backend of an app needs to know. Raises SmtpError."""
    spec, (api_key, secret_key) = app.spec, secrets_of(app)
    base = base_url(spec, app.region, app.endpoint)
    if spec.login:
        return {"api_url": base}
    if spec.key == "ses":
        return {
            "access_key": api_key,
            "secret_key": secret_key,
            "region": app.region,
            "endpoint": base,
            "configuration_set_name": app.configuration_set or None,
        }
    values = {"api_key": api_key, "secret_key": secret_key}
    options = {
        name: values[column] if column in values else getattr(app, column) or None
        for name, column in spec.options.items()
    }
    if spec.key == "mailgun":
        options["sender_domain"] = app.domain or app.from_email.rpartition("@")[2]
    return {**options, "api_url": base}


@contextmanager
def backend_of(app: MailApp) -> Iterator[Any]:
    """Return this thread's open backend of the app. One with other settings, or that was idle, is replaced."""
    arguments = arguments_of(app)
    backends: dict[str, _CachedBackend] = _kept.__dict__.setdefault("backends", {})
    close_idle()
    kept = backends.get(app.pk)
    if kept is not None and kept.arguments != arguments:
        backends.pop(app.pk).backend.close()
        kept = None
    if kept is None:
        kept = backends[app.pk] = _CachedBackend(_opened(app.spec, arguments), arguments, monotonic())
    try:
        yield kept.backend
    except BaseException:
        backends.pop(app.pk, None)
        kept.backend.close()
        raise
    kept.used_at = monotonic()


class Wire:
    """A guarded session at a vendor that anymail does not know."""

    def __init__(self, api_url: str) -> None:
        self.url = api_url
        self.session = _bounded_session()

    def ask(self, method: str, path: str, token: str, **options: Any) -> Any:
        """Send a request with an access token, and return the answer."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        timeout = (CONNECT_SECONDS, SECONDS)
        return self.session.request(method, urljoin(self.url, path), headers=headers, timeout=timeout, **options)

    def close(self) -> None:
        """End the connections."""
        self.session.close()


def close_idle(seconds: float = IDLE_SECONDS) -> None:
    """Close this thread's connections that were not used for so long."""
    backends: dict[str, _CachedBackend] = _kept.__dict__.setdefault("backends", {})
    for key in [key for key, kept in backends.items() if monotonic() - kept.used_at >= seconds]:
        backends.pop(key).backend.close()


def _opened(spec: Vendor, arguments: Values) -> Any:
    if spec.login:
        return Wire(**arguments)
    kind = _ses_backend() if spec.key == "ses" else _backend(spec.key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SendGrid, at each one: anymail has no account to test with
        backend = kind(**arguments)
    backend.open()
    return backend


@cache
def _backend(key: str) -> type[Any]:
    """Return anymail's backend of a vendor that is reached by HTTP, over a guarded session."""
    base = import_module(f"anymail.backends.{key.replace('-', '_')}").EmailBackend
    methods: JsonObject = {"__init__": _init(base), "create_session": lambda self: _bounded_session()}
    if key == "resend":
        methods["build_message_payload"] = _keyed(base)
    if key == "mailersend":
        methods["parse_recipient_status"] = _typed(base)
    return type(f"Guarded{base.__name__}", (base,), methods)


def _init(base: type[Any]) -> Any:
    def __init__(self: Any, **arguments: Any) -> None:
        base.__init__(self, **arguments)
        self.timeout = (CONNECT_SECONDS, SECONDS)

    return __init__


def _keyed(base: type[Any]) -> Any:
    """Move the idempotency key from the message's headers to those of the request."""

    def build_message_payload(self: Any, message: Any, defaults: Any) -> Any:
        payload = base.build_message_payload(self, message, defaults)
        payload.headers["Idempotency-Key"] = message.idempotency_key
        return payload

    return build_message_payload


def _typed(base: type[Any]) -> Any:
    """An answer without a body has no type, which anymail expects."""

    def parse_recipient_status(self: Any, response: Any, payload: Any, message: Any) -> Any:
        response.headers.setdefault("Content-Type", "text/html")
        return base.parse_recipient_status(self, response, payload, message)

    return parse_recipient_status


def _bounded_session() -> Any:
    """Return a guarded session that reads MAX_BYTES of an answer at most."""
    session = guarded_session()
    session.headers.update({"User-Agent": "Leadwright", "Accept-Encoding": "identity"})
    request = session.request

    def bounded(*args: Any, **options: Any) -> Any:
        response = request(*args, **{**options, "stream": True, "allow_redirects": False})
        content = bytearray()
        for chunk in response.iter_content(1 << 16):
            content += chunk
            if len(content) > MAX_BYTES:
                response.close()
                break
        response._content = bytes(content)
        return response

    session.request = bounded  # type: ignore[method-assign]
    return session


@cache
def _ses_backend() -> type[Any]:
    """Return anymail's backend of Amazon SES, whose client has guarded connections and tries once."""
    from anymail.backends.amazon_ses import EmailBackend  # noqa: PLC0415

    class SesBackend(EmailBackend):  # type: ignore[misc]
        def __init__(self, **arguments: Any) -> None:
            self.place = arguments
            self.client: Any = None
            super().__init__(
                session_params={},
                client_params={},
                configuration_set_name=arguments["configuration_set_name"],
                message_tag_name=None,
            )

        def open(self) -> bool:
            if self.client is not None:
                return False
            self.client = ses_client(self.place)
            return True

    return SesBackend


def ses_client(place: Values) -> Any:
    """Return a guarded client of Amazon SES for `arguments_of`, that tries once."""
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        region_name=place["region"],
        connect_timeout=CONNECT_SECONDS,
        read_timeout=SECONDS,
        retries={"total_max_attempts": 1, "mode": "standard"},
        proxies={},
        ignore_configured_endpoint_urls=True,
    )
    session = lone_session(place["access_key"], place["secret_key"])
    client = session.client("sesv2", endpoint_url=place["endpoint"] or None, config=config)
    client._endpoint.http_session._manager.pool_classes_by_scheme = GUARDED_POOLS
    return client
