"""Bodies and answers of registration."""

from __future__ import annotations

from rest_framework import serializers

from accounts.auth.session_serializers import PasswordInput
from core.api.addresses import EmailInput, PhoneInput
from core.api.input import Input, TextInput
from core.api.output import Computed, Output


class Registration(Input):
    name = TextInput(max_length=200)
    email = EmailInput(max_length=254)
    password = PasswordInput()
    companyName = TextInput(max_length=200)
    timezone = TextInput(max_length=64, default="UTC", help_text="IANA name, such as Europe/Berlin")
    contactNumber = PhoneInput(required=False, allow_blank=True)
    referralCode = TextInput(max_length=64, default="", allow_blank=True, help_text="An unknown one is passed over.")


class Registered(Output):
    """Where the mail went."""

    email = Computed(serializers.EmailField())


class MailedLink(Input):
    token = TextInput(max_length=1000, help_text="From the link in the mail")


class AddressOnly(Input):
    email = TextInput(max_length=254)
