"""Bodies and answers of registration and of further companies."""

from __future__ import annotations

from rest_framework import serializers

from accounts.auth.sessions.serializers import PasswordInput
from accounts.companies.serializers import CompanyOut
from accounts.members.models import Member
from core.api.addresses import EmailInput, PhoneInput, PhonePartsInput
from core.api.input import NameInput, TextInput
from core.api.output import Computed, IdField, Output


class Registration(PhonePartsInput):
    name = NameInput(max_length=200)
    email = EmailInput(max_length=254)
    password = PasswordInput()
    companyName = NameInput(max_length=200)
    timezone = TextInput(max_length=64, default="UTC", help_text="IANA name, such as Europe/Berlin")
    contactNumber = PhoneInput(required=False, allow_blank=True)
    referralCode = TextInput(max_length=64, default="", allow_blank=True, help_text="An unknown one is passed over.")


class Registered(Output):
    """The address that the mail was sent to."""

    email = Computed(serializers.EmailField())


class CompanyCreate(PhonePartsInput):
    """A further company."""

    name = NameInput(max_length=200)
    email = EmailInput(max_length=254)
    contactNumber = PhoneInput()
    timezone = TextInput(max_length=64, help_text="Name of the tz database, such as Europe/Berlin.")


class NewMembership(Output):
    """The owner's membership."""

    _id = IdField(help_text="For the header authmember.")
    status = serializers.ChoiceField(choices=Member.Status.values)


class CompanyCreated(CompanyOut):
    """A new company with its owner's membership."""

    member = Computed(NewMembership())
