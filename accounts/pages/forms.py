"""Forms of the pages that mails link to."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from core.text.folding import shows_nothing, trim_invisible
from core.text.links import holds_link
from core.text.translation import gettext_lazy
from core.types import JsonObject
from core.web.words.problems import MISSING

RULES = gettext_lazy("At least 8 characters, and no common password.")


class PublicForm(forms.Form):
    """A form with the texts of members' pages."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.error_messages["required"] = MISSING


class AddressForm(PublicForm):
    email = forms.EmailField(
        label=gettext_lazy("Your email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class TokenForm(PublicForm):
    """A button with the link's token in a hidden field."""

    token = forms.CharField(max_length=1000, widget=forms.HiddenInput)


class NewPassword(forms.PasswordInput):
    """A password field for which browsers offer a generated password."""

    def __init__(self) -> None:
        super().__init__(attrs={"autocomplete": "new-password"})


class PasswordForm(TokenForm):
    password = forms.CharField(
        label=gettext_lazy("New password"), max_length=1000, strip=False, widget=NewPassword, help_text=RULES
    )
    again = forms.CharField(label=gettext_lazy("Repeat the password"), max_length=1000, strip=False, widget=NewPassword)

    def clean(self) -> JsonObject:
        values = super().clean() or self.cleaned_data
        if values.get("password") and values.get("again") and values["password"] != values["again"]:
            self.add_error("again", _("The passwords don't match."))
        return values


class RegistrationForm(PublicForm):
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    companyName = forms.CharField(
        label=gettext_lazy("Your company"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("Email address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    password = forms.CharField(
        label=gettext_lazy("Password"), max_length=1000, strip=False, widget=NewPassword, help_text=RULES
    )
    referralCode = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    # Filled by register.js. Without script the company keeps the defaults.
    timezone = forms.CharField(required=False, widget=forms.HiddenInput)
    language = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_name(self) -> str:
        return plain_name(self.cleaned_data["name"])

    def clean_companyName(self) -> str:  # noqa: N802  the field's name
        return plain_name(self.cleaned_data["companyName"])


def plain_name(name: str) -> str:
    """Return the name. Raises ValidationError for one that shows nothing or holds an address."""
    if shows_nothing(name):
        raise forms.ValidationError(MISSING)
    if holds_link(name):
        raise forms.ValidationError(_("Enter a name without web or email addresses."))
    return trim_invisible(name)
