"""The mail vendors that companies can send by, and the letters of /apps/mailvendor-x.

A letter is only an alias in routes, logs and channels: the record stores the vendor. MAIL_VENDOR_LETTERS gives letters
to other vendors; connected apps keep the vendor that they were connected with.
"""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from outreach.connections.mail_vendors.vendors.base import MailVendor
from outreach.connections.mail_vendors.vendors.brevo import Brevo
from outreach.connections.mail_vendors.vendors.gmail import Gmail
from outreach.connections.mail_vendors.vendors.mailersend import MailerSend
from outreach.connections.mail_vendors.vendors.mailgun import Mailgun
from outreach.connections.mail_vendors.vendors.mailjet import Mailjet
from outreach.connections.mail_vendors.vendors.mailtrap import Mailtrap
from outreach.connections.mail_vendors.vendors.mandrill import Mandrill
from outreach.connections.mail_vendors.vendors.postal import Postal
from outreach.connections.mail_vendors.vendors.postmark import Postmark
from outreach.connections.mail_vendors.vendors.resend import Resend
from outreach.connections.mail_vendors.vendors.scaleway import Scaleway
from outreach.connections.mail_vendors.vendors.sendgrid import SendGrid
from outreach.connections.mail_vendors.vendors.ses import AmazonSes
from outreach.connections.mail_vendors.vendors.sparkpost import SparkPost
from outreach.connections.mail_vendors.vendors.unisender_go import UnisenderGo

LETTERS = "abcdefgh"
NAMES = {
    "api_key": "apiKey",
    "secret_key": "secretKey",
    "signing_key": "webhookSigningKey",
    "message_stream": "messageStream",
    "configuration_set": "configurationSet",
}
"""Column of MailApp -> its name in bodies and answers, where they differ."""
VENDORS: dict[str, MailVendor] = {
    vendor.key: vendor
    for vendor in (
        Brevo(),
        Resend(),
        Gmail(),
        MailerSend(),
        Postmark(),
        SendGrid(),
        AmazonSes(),
        SparkPost(),
        Mailgun(),
        Mailjet(),
        Mailtrap(),
        Mandrill(),
        Scaleway(),
        UnisenderGo(),
        Postal(),
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


def letters() -> dict[str, MailVendor]:
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
