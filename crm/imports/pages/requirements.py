"""Values that every contact needs unless a member makes them optional, with the texts about files that lack them."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.translation import gettext_lazy


@dataclass(frozen=True)
class Requirement:
    """A needed value: the fields of contacts that hold it, and its texts."""

    button: str
    keys: tuple[str, ...]
    title: str
    missing: str
    refused: str
    advice: str
    advice_to_ask: str
    label: str
    done: str


NUMBER = Requirement(
    "optional_number",
    ("number", "countryCode"),
    title=gettext_lazy("Required: a phone number"),
    missing=gettext_lazy("Contacts need a phone number, but no column has this."),
    refused=gettext_lazy("Most refused rows have no phone number."),
    advice=gettext_lazy("Make the phone number optional to import these rows."),
    advice_to_ask=gettext_lazy("Ask an owner to make the phone number optional."),
    label=gettext_lazy("Make the phone number optional for contacts"),
    done=gettext_lazy("Phone numbers are optional now"),
)
EMAIL = Requirement(
    "optional_email",
    ("email",),
    title=gettext_lazy("Required: an email address"),
    missing=gettext_lazy("Contacts need an email address, but no column has this."),
    refused=gettext_lazy("Most refused rows have no email address."),
    advice=gettext_lazy("Make the email address optional to import these rows."),
    advice_to_ask=gettext_lazy("Ask an owner to make the email address optional."),
    label=gettext_lazy("Make the email address optional for contacts"),
    done=gettext_lazy("Email addresses are optional now"),
)
