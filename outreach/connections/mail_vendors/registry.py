"""The mail vendors that companies can send by, and the letters of /apps/mailvendor-x.

A letter is only an alias in routes, logs and channels: the record stores the vendor. MAIL_VENDOR_LETTERS gives letters
to other vendors; connected apps keep the vendor that they were connected with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

LETTERS = "abcdefgh"
NAMES = {
    "api_key": "apiKey",
    "secret_key": "secretKey",
    "signing_key": "webhookSigningKey",
    "message_stream": "messageStream",
    "configuration_set": "configurationSet",
}
"""Column of MailApp -> its name in bodies and answers, where they differ."""
Check = Literal[
    "basic", "svix", "mailersend", "sendgrid", "sns", "mailgun", "mailtrap", "mandrill", "postal", "unisender"
]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting of a vendor's app in addition to its key and From address. `column` is that of MailApp."""

    column: str
    label: str
    required: bool = False
    secret: bool = False
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """The cheapest request that shows whether the vendor takes the key. `path` is joined to the base URL."""

    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Name -> value, in which {api_key} and {secret_key} are replaced by the credentials."""
    basic: tuple[str, str] | None = None
    body: str = ""


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """A mail vendor: its addresses, its features, and the fields of its form."""

    key: str
    name: str
    key_label: str = "API key"
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Region -> base URL; the first is the default. Empty: the app's own `endpoint`, or the vendor's library knows."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Argument of anymail's backend -> column."""
    settings: tuple[Setting, ...] = ()
    probe: Probe | None = None
    idempotency: Literal["", "header", "message"] = ""
    """Place of its idempotency key: in the request's headers, in the message's, or none."""
    metadata: bool = True
    """Its webhooks return the metadata of the message."""
    tracking: tuple[str, ...] = ("track_opens", "track_clicks")
    """Parts of its own tracking that can be switched off by message."""
    check: Check | None = "basic"
    """Verification method of its webhooks; None: it has none."""
    signing_label: str = ""
    """The vendor's name of the key that signs its webhooks."""
    hook_steps: str = ""
    """Steps to take at the vendor, for people."""
    login: bool = False
    """It is connected by a log-in there, which needs a client of the service (GOOGLE_CLIENT_ID)."""

    @property
    def available(self) -> bool:
        """Return whether it can be connected here."""
        return not self.login or bool(settings.GOOGLE_CLIENT_ID and settings.GOOGLE_CLIENT_SECRET)


def _signing(label: str) -> Setting:
    return Setting(
        column="signing_key",
        label=label,
        secret=True,
        help="Without it no event of the vendor is taken: deliveries, bounces and complaints stay unknown.",
    )


_EU = ("us", "eu")
_DOMAIN = Setting(column="domain", label="Sending domain", help="Empty: the domain of the From address.")
_EVENTS = "Choose delivered, bounced, deferred, complained and unsubscribed."

VENDORS: dict[str, Vendor] = {
    vendor.key: vendor
    for vendor in (
        Vendor(
            key="brevo",
            name="Brevo",
            base_urls={"": "https://api.brevo.com/v3/"},
            options={"api_key": "api_key"},
            probe=Probe(path="account", headers={"api-key": "{api_key}"}),
            idempotency="message",
            tracking=(),
            hook_steps=f"Transactional → Settings → Webhook: add the address. {_EVENTS}",
        ),
        Vendor(
            key="resend",
            name="Resend",
            base_urls={"": "https://api.resend.com/"},
            options={"api_key": "api_key"},
            settings=(_signing("Signing secret of the webhook"),),
            probe=Probe(path="domains", headers={"Authorization": "Bearer {api_key}"}),
            idempotency="header",
            tracking=(),
            check="svix",
            hook_steps=f"Webhooks → Add webhook: paste the address, then copy its signing secret to here. {_EVENTS}",
        ),
        Vendor(
            key="gmail",
            name="Gmail",
            base_urls={"": "https://gmail.googleapis.com/"},
            check=None,
            metadata=False,
            tracking=(),
            login=True,
        ),
        Vendor(
            key="mailersend",
            name="MailerSend",
            key_label="API token",
            base_urls={"": "https://api.mailersend.com/v1/"},
            options={"api_token": "api_key"},
            settings=(_signing("Signing secret of the webhook"),),
            probe=Probe(path="domains", headers={"Authorization": "Bearer {api_key}"}),
            metadata=False,
            check="mailersend",
            hook_steps=f"Domains → Webhooks: add the address, then copy its signing secret to here. {_EVENTS}",
        ),
        Vendor(
            key="postmark",
            name="Postmark",
            key_label="Server API token",
            base_urls={"": "https://api.postmarkapp.com/"},
            options={"server_token": "api_key", "message_stream": "message_stream"},
            settings=(Setting(column="message_stream", label="Message stream", help="Empty: outbound."),),
            probe=Probe(path="server", headers={"X-Postmark-Server-Token": "{api_key}", "Accept": "application/json"}),
            hook_steps="Server → Message stream → Webhooks: add the address. Choose delivery, bounce, spam complaint"
            " and subscription change.",
        ),
        Vendor(
            key="sendgrid",
            name="SendGrid",
            base_urls={"us": "https://api.sendgrid.com/v3/", "eu": "https://api.eu.sendgrid.com/v3/"},
            options={"api_key": "api_key"},
            settings=(
                Setting(column="region", label="Region", choices=_EU),
                _signing("Verification key of the signed event webhook"),
            ),
            probe=Probe(path="scopes", headers={"Authorization": "Bearer {api_key}"}),
            check="sendgrid",
            hook_steps="Settings → Mail settings → Event webhook: paste the address, switch the signature on and copy"
            f" the verification key to here. {_EVENTS}",
        ),
        Vendor(
            key="ses",
            name="Amazon SES",
            key_label="Access key id",
            settings=(
                Setting(column="secret_key", label="Secret access key", required=True, secret=True),
                Setting(column="region", label="Region", required=True, help="Such as eu-central-1."),
                Setting(column="configuration_set", label="Configuration set", help="The one that publishes events."),
                Setting(
                    column="signing_key",
                    label="ARN of the SNS topic",
                    secret=True,
                    help="Without it no event is taken: deliveries, bounces and complaints stay unknown.",
                ),
            ),
            tracking=(),
            check="sns",
            hook_steps="Publish the configuration set's events to an SNS topic, enter its ARN here, and subscribe the"
            " address to it (HTTPS). The subscription is confirmed by itself.",
        ),
        Vendor(
            key="sparkpost",
            name="SparkPost",
            base_urls={"us": "https://api.sparkpost.com/api/v1/", "eu": "https://api.eu.sparkpost.com/api/v1/"},
            options={"api_key": "api_key", "subaccount": "subaccount"},
            settings=(
                Setting(column="region", label="Region", choices=_EU),
                Setting(column="subaccount", label="Subaccount"),
            ),
            probe=Probe(path="account", headers={"Authorization": "{api_key}"}),
            hook_steps=f"Configuration → Webhooks: add the address with basic authentication. {_EVENTS}",
        ),
        Vendor(
            key="mailgun",
            name="Mailgun",
            base_urls={"us": "https://api.mailgun.net/v3/", "eu": "https://api.eu.mailgun.net/v3/"},
            options={"api_key": "api_key", "sender_domain": "domain"},
            settings=(
                Setting(column="region", label="Region", choices=_EU),
                _DOMAIN,
                _signing("HTTP webhook signing key"),
            ),
            probe=Probe(path="domains", basic=("api", "{api_key}")),
            check="mailgun",
            hook_steps=f"Sending → Webhooks: add the address for each kind of event. {_EVENTS}",
        ),
        Vendor(
            key="mailjet",
            name="Mailjet",
            base_urls={"": "https://api.mailjet.com/v3.1/"},
            options={"api_key": "api_key", "secret_key": "secret_key"},
            settings=(Setting(column="secret_key", label="Secret key", required=True, secret=True),),
            probe=Probe(path="/v3/REST/apikey", basic=("{api_key}", "{secret_key}")),
            hook_steps=f"Account settings → Event notifications: add the address. {_EVENTS}",
        ),
        Vendor(
            key="mailtrap",
            name="Mailtrap",
            key_label="API token",
            base_urls={"": "https://send.api.mailtrap.io/api/"},
            options={"api_token": "api_key"},
            settings=(_signing("Signature key of the webhook"),),
            probe=Probe(path="https://mailtrap.io/api/accounts", headers={"Authorization": "Bearer {api_key}"}),
            tracking=(),
            check="mailtrap",
            hook_steps=f"Settings → Webhooks: add the address, then copy its signature key to here. {_EVENTS}",
        ),
        Vendor(
            key="mandrill",
            name="Mandrill",
            base_urls={"": "https://mandrillapp.com/api/1.0/"},
            options={"api_key": "api_key"},
            settings=(_signing("Webhook key"),),
            probe=Probe(path="users/ping2.json", method="POST", body='{{"key": "{api_key}"}}'),
            check="mandrill",
            hook_steps=f"Settings → Webhooks: add the address, then copy its key to here. {_EVENTS}",
        ),
        Vendor(
            key="scaleway",
            name="Scaleway",
            key_label="Secret key",
            base_urls={
                "fr-par": "https://api.scaleway.com/transactional-email/v1alpha1/regions/fr-par/",
            },
            options={"secret_key": "api_key", "project_id": "subaccount"},
            settings=(Setting(column="subaccount", label="Project id", required=True),),
            probe=Probe(path="emails?page_size=1", headers={"X-Auth-Token": "{api_key}"}),
            tracking=(),
            check=None,
        ),
        Vendor(
            key="unisender-go",
            name="Unisender Go",
            base_urls={
                "go1": "https://go1.unisender.ru/ru/transactional/api/v1/",
                "go2": "https://go2.unisender.ru/ru/transactional/api/v1/",
            },
            options={"api_key": "api_key"},
            settings=(Setting(column="region", label="Data center", choices=("go1", "go2")),),
            probe=Probe(path="system/info.json", method="POST", headers={"X-API-KEY": "{api_key}"}, body="{{}}"),
            check="unisender",
            hook_steps=f"Webhooks: add the address. {_EVENTS}",
        ),
        Vendor(
            key="postal",
            name="Postal",
            options={"api_key": "api_key"},
            settings=(
                Setting(column="endpoint", label="Server", required=True, help="Such as https://postal.example.org"),
                _signing("Public key that webhooks are signed with"),
            ),
            probe=Probe(
                path="api/v1/messages/message",
                method="POST",
                headers={"X-Server-API-Key": "{api_key}"},
                body='{{"id": 0}}',
            ),
            metadata=False,
            tracking=(),
            check="postal",
            hook_steps=f"Mail server → Webhooks: add the address. {_EVENTS}",
        ),
    )
}
"""Key -> vendor. The key is stored with each app: it never changes."""

DEFAULT_LETTERS = dict(
    zip(
        LETTERS,
        ("brevo", "resend", "gmail", "mailersend", "postmark", "sendgrid", "ses", "sparkpost"),
        strict=True,
    )
)


def letters() -> dict[str, Vendor]:
    """Return letter -> vendor by MAIL_VENDOR_LETTERS. Raises ImproperlyConfigured."""
    chosen = {**DEFAULT_LETTERS, **settings.MAIL_VENDOR_LETTERS}
    wrong = [f"{letter}: {key}" for letter, key in chosen.items() if letter not in LETTERS or key not in VENDORS]
    if wrong:
        names = ", ".join(sorted(VENDORS))
        raise ImproperlyConfigured(f"MAIL_VENDOR_LETTERS: {wrong[0]}; letters are {LETTERS}, vendors {names}")
    return {letter: VENDORS[chosen[letter]] for letter in LETTERS}


def channel_of(letter: str) -> str:
    """Return the channel, and key of the connected app, of a letter."""
    return f"mailvendor-{letter}"


CHANNELS = tuple(channel_of(letter) for letter in LETTERS)
