"""The base class of mail vendors: a vendor that django-anymail knows, by an API key.

A vendor is a subclass with its name, addresses and fields; it overrides the methods in which it differs.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.http import HttpRequest

from core.types import JsonObject, Values
from outreach.connections.mail_vendors.backends import GuardedBackend, secrets_of
from outreach.connections.mail_vendors.hooks import hook_secret, hook_token
from outreach.connections.mail_vendors.outcomes import read_answer, response_body
from outreach.connections.mail_vendors.probe import verify_by_probe
from outreach.connections.mail_vendors.transport import VendorSession
from outreach.connections.mail_vendors.webhooks import ProviderEvent, provider_event, require_password
from outreach.connections.smtp.outcome import BAD_ADDRESS, Outcome

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

EVENTS_TO_CHOOSE = "Choose delivered, bounced, deferred, complained and unsubscribed."
US_AND_EU = ("us", "eu")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting of a vendor's app in addition to its key and From address. `column` is that of MailApp."""

    column: str
    label: str
    required: bool = False
    secret: bool = False
    choices: tuple[str, ...] = ()
    help: str = ""


def signing_setting(label: str) -> Setting:
    """Return the setting for the key that the vendor signs its webhooks with."""
    return Setting(
        column="signing_key",
        label=label,
        secret=True,
        help="Without it no event of the vendor is taken: deliveries, bounces and complaints stay unknown.",
    )


@dataclass(frozen=True, kw_only=True)
class Probe:
    """The cheapest request that shows whether the vendor takes the key. `path` is joined to the base URL."""

    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Name -> value, in which {api_key} and {secret_key} are replaced by the credentials."""
    basic: tuple[str, str] | None = None
    body: str = ""


class MailVendor:
    """A mail vendor: its addresses, its form, its requests, its answers and its webhooks."""

    # Name and form
    key: ClassVar[str]
    """Stored with each app, so it never changes."""
    name: ClassVar[str]
    key_label: ClassVar[str] = "API key"
    settings: ClassVar[tuple[Setting, ...]] = ()
    login: ClassVar[bool] = False
    """It is connected by a log-in there, not by a key."""
    connect_description: ClassVar[str] = (
        "An account at {name}, by the company's own key. The vendor is asked at once whether it"
        " takes the key: one that it refuses is not connected. Where it cannot be asked, the app is connected"
        " unverified and sends nothing before a test passes; `lastError` says why."
    )
    """Description of connecting an app, for the API's documents."""
    connect_errors: ClassVar[tuple[str, ...]] = ()
    """Further errors of connecting an app; the first is one of changing it too."""

    # Requests
    anymail_module: ClassVar[str] = ""
    """Name of its modules in anymail; empty: its key, with underscores."""
    base_urls: ClassVar[Mapping[str, str]] = {}
    """Region -> base URL; the first is the default. Empty: the app's own `endpoint`, or the vendor's library knows."""
    options: ClassVar[Mapping[str, str]] = {}
    """Argument of anymail's backend -> column."""
    backend_mixin: ClassVar[type[GuardedBackend]] = GuardedBackend
    """Put in front of anymail's backend; a subclass adapts its methods."""
    probe: ClassVar[Probe | None] = None
    idempotency: ClassVar[Literal["", "header", "message"]] = ""
    """Place of its idempotency key: in the request's headers, in the message's, or none."""
    metadata: ClassVar[bool] = True
    """Its webhooks return the metadata of the message."""
    tracking: ClassVar[tuple[str, ...]] = ("track_opens", "track_clicks")
    """Parts of its own tracking that can be switched off by message."""
    finds_sent: ClassVar[bool] = False
    """Its sessions can look up a message among those that were sent."""
    key_refusals: ClassVar[frozenset[str]] = frozenset()
    """Codes by which it refuses a key in a response whose status is not an error."""

    # Webhooks
    has_webhooks: ClassVar[bool] = True
    hook_password: ClassVar[bool] = True
    """Its webhooks bring the password of their address. False: `verify_webhook` checks something else."""
    webhook_view: ClassVar[str] = ""
    """Class of anymail that reads its webhooks."""
    hook_steps: ClassVar[str] = ""
    """Steps to take at the vendor, for people."""

    @property
    def available(self) -> bool:
        """Return whether it can be connected here."""
        return True

    def check_values(self, values: Values) -> None:
        """Raise ValidationFailed for values of an app that the vendor cannot work with."""

    # Requests

    def base_url(self, region: str, endpoint: str) -> str:
        """Return the base address of the vendor, ending with a slash: from VENDOR_BASE_URLS, or its own.

        An override without a path keeps the vendor's path. The guard judges each address when it is connected to.
        """
        own = self.base_urls.get(region) or next(iter(self.base_urls.values()), "")
        if not own and endpoint:
            own = endpoint.rstrip("/") + "/"
        override = settings.VENDOR_BASE_URLS.get(self.key, "")
        if not override:
            return own
        if urlsplit(override).path.strip("/"):
            return override.rstrip("/") + "/"
        return urljoin(override, urlsplit(own).path or "/")

    def arguments(self, app: MailApp) -> JsonObject:
        """Return all that the backend of an app needs to know. Raises SmtpError."""
        api_key, secret_key = secrets_of(app)
        secrets = {"api_key": api_key, "secret_key": secret_key}
        options = {
            name: secrets[column] if column in secrets else getattr(app, column) or None
            for name, column in self.options.items()
        }
        return {**options, "api_url": self.base_url(app.region, app.endpoint)}

    def load_backend(self) -> type[Any]:
        """Import anymail's backend of the vendor. A vendor that anymail does not know returns one of its own."""
        backend: type[Any] = self._import_anymail("backends").EmailBackend
        return backend

    @cached_property
    def backend_class(self) -> type[Any]:
        """The vendor's backend over guarded connections."""
        backend = self.load_backend()
        return type(f"Guarded{backend.__name__}", (self.backend_mixin, backend), {})

    def open_backend(self, arguments: Values) -> Any:
        """Return an open backend for `arguments`; it has `close`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of SendGrid, at each one: anymail has no account to test with
            backend = self.backend_class(**arguments)
        backend.open()
        return backend

    def open_session(self, app: MailApp) -> VendorSession:
        """Return a session of the app for many messages in a row."""
        return VendorSession(app)

    def verify(self, app: MailApp) -> None:
        """Ask the vendor whether it takes the key. Raises SmtpError: `auth` when it does not, else `connect`."""
        verify_by_probe(app)

    def _import_anymail(self, package: str) -> ModuleType:
        module = self.anymail_module or self.key.replace("-", "_")
        return import_module(f"anymail.{package}.{module}")

    # Answers

    def read_error(self, response: Any, secrets: Sequence[str]) -> Outcome:
        """Return the outcome of a response that anymail takes for an error."""
        return read_answer(self, response.status_code, response.headers, response_body(response), secrets)

    def had_already(self, status: int, body: Any) -> bool:
        """Return whether an answer means that the vendor has had the message before."""
        return False

    def refusal_code(self, body: Any) -> str:
        """Return the vendor's error code in a response whose status is not an error; "" for any other."""
        return ""

    def rejection_reason(self, status: str) -> str:
        """Return why a message was `invalid` or `rejected`: the address, or "" where that is not certain."""
        return BAD_ADDRESS

    def takes_limited_key(self, body: Any) -> bool:
        """Return whether a refusal of the probe comes from a key that may send, and nothing else."""
        return False

    # Webhooks

    @property
    def needs_signing_key(self) -> bool:
        """Return whether its webhooks are taken only with a key that the company enters."""
        return any(setting.column == "signing_key" for setting in self.settings)

    def hook_url(self, app_id: str, salt: str) -> str:
        """Return the address to enter at the vendor, with the password where it signs nothing; "" without webhooks."""
        if not self.has_webhooks:
            return ""
        base = urlsplit(settings.BASE_URL.rstrip("/"))
        user = f"{hook_secret(app_id, salt)}@" if self.hook_password else ""
        path = f"{base.path}/hooks/mail/{self.key}/{app_id}/{hook_token(app_id, salt)}"
        return f"{base.scheme}://{user}{base.netloc}{path}"

    def verify_webhook(self, app: MailApp, request: HttpRequest) -> None:
        """Check that a webhook is the vendor's own. Raises HookRefused, or any other error, when it is not."""
        require_password(app, request)

    def parse_webhook(self, request: HttpRequest) -> list[ProviderEvent]:
        """Return the events of a verified webhook."""
        return [self.to_event(event) for event in self.webhook_reader.parse_events(request)]

    def to_event(self, event: Any) -> ProviderEvent:
        """Return an event that anymail has read."""
        return provider_event(event, self.says_hard)

    @cached_property
    def webhook_reader(self) -> Any:
        """Anymail's reader of the vendor's events; it checks nothing here."""
        view = getattr(self._import_anymail("webhooks"), self.webhook_view)
        return view.__new__(view)

    def says_hard(self, raw: JsonObject, reject_reason: str) -> bool:
        """Return whether the vendor says of a bounce that the mailbox or domain doesn't exist."""
        text = json.dumps(raw).lower()
        # Some vendors report soft bounces as "bounced" and say so only in the raw event.
        return reject_reason in ("bounced", "invalid") and not re.search("soft[_ -]?bounce", text)

    def signed_token(self, request: HttpRequest) -> tuple[str, str] | None:
        """Return the token that a signature covers instead of the events, and the rest, both as hashes; else None."""
        return None

    def is_confirmation_url(self, url: str) -> bool:
        """Return whether the address of a CONFIRM event is the vendor's own."""
        return False
