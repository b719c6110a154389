"""Anymail's backends over guarded connections, one a thread and app, closed when it has been idle.

Private parts of requests 2.34.2: the content of a response that was read in bounds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from core.crypto import SecretUnreadable
from core.outbound_http import guarded_session
from core.types import Values
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


def secrets_of(app: MailApp) -> tuple[str, str]:
    """Return key and second key. Raises SmtpError when they were stored for another place."""
    try:
        return app.api_key, app.secret_key
    except SecretUnreadable:
        raise SmtpError("auth", UNREADABLE, temporary=False) from None


@contextmanager
def backend_of(app: MailApp) -> Iterator[Any]:
    """Return this thread's open backend of the app. One with other settings, or that was idle, is replaced."""
    arguments = app.spec.arguments(app)
    backends: dict[str, _CachedBackend] = _kept.__dict__.setdefault("backends", {})
    close_idle()
    kept = backends.get(app.pk)
    if kept is not None and kept.arguments != arguments:
        backends.pop(app.pk).backend.close()
        kept = None
    if kept is None:
        kept = backends[app.pk] = _CachedBackend(app.spec.open_backend(arguments), arguments, monotonic())
    try:
        yield kept.backend
    except BaseException:
        backends.pop(app.pk, None)
        kept.backend.close()
        raise
    kept.used_at = monotonic()


def close_idle(seconds: float = IDLE_SECONDS) -> None:
    """Close this thread's connections that were not used for so long."""
    backends: dict[str, _CachedBackend] = _kept.__dict__.setdefault("backends", {})
    for key in [key for key, kept in backends.items() if monotonic() - kept.used_at >= seconds]:
        backends.pop(key).backend.close()


class GuardedBackend:
    """Mix-in of anymail's backends: guarded connections, with limits of time and size."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.timeout = (CONNECT_SECONDS, SECONDS)

    def create_session(self) -> Any:
        """Return the session for anymail's requests."""
        return bounded_session()


def bounded_session() -> Any:
    """Return a guarded session that reads MAX_BYTES of an answer at most."""
    session = guarded_session()
    session.headers.update({"User-Agent": "Leadwright", "Accept-Encoding": "identity"})
    request = session.request

    def request_bounded(*args: Any, **options: Any) -> Any:
        response = request(*args, **{**options, "stream": True, "allow_redirects": False})
        content = bytearray()
        for chunk in response.iter_content(1 << 16):
            content += chunk
            if len(content) > MAX_BYTES:
                response.close()
                break
        response._content = bytes(content)
        return response

    session.request = request_bounded  # type: ignore[method-assign]
    return session
