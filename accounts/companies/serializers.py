"""Bodies and answers of companies."""

from __future__ import annotations

from django.db.models.functions import Concat
from rest_framework import serializers

from accounts.companies.models import Company
from core.api.addresses import EmailInput, PhoneInput, PhonePartsInput, WebAddressInput
from core.api.input import NameInput, TextInput
from core.api.output import Computed, IdField, Output
from core.text.translation import gettext_lazy as _


class CompanyUpdate(PhonePartsInput):
    """Changes of a company; an empty text clears a value."""

    name = NameInput(max_length=200, required=False)
    email = EmailInput(max_length=254, required=False, allow_blank=True)
    contactNumber = PhoneInput(required=False, allow_blank=True)
    website = WebAddressInput(required=False, allow_blank=True)
    description = TextInput(
        max_length=10_000, required=False, allow_blank=True, help_text="Outreach is written from it."
    )
    industry = TextInput(max_length=100, required=False, allow_blank=True)
    address = TextInput(max_length=300, required=False, allow_blank=True, help_text="Street and house number.")
    postalCode = TextInput(max_length=20, required=False, allow_blank=True)
    city = TextInput(max_length=100, required=False, allow_blank=True)
    state = TextInput(
        max_length=100, required=False, allow_blank=True, help_text="ISO 3166-2 code or name; a state of the country."
    )
    country = TextInput(max_length=100, required=False, allow_blank=True, help_text="ISO 3166-1 code or name.")
    timezone = TextInput(max_length=64, required=False)


class CompanyOut(Output):
    """A company's profile."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField()
    countryCode = serializers.CharField(help_text=_("Dialling code, such as +49."))
    number = serializers.CharField()
    contactNumber = Computed(serializers.CharField(help_text="Both in E.164."), Concat("country_code", "number"))
    website = serializers.CharField()
    description = serializers.CharField()
    industry = serializers.CharField()
    address = serializers.CharField()
    postalCode = serializers.CharField()
    city = serializers.CharField()
    state = serializers.CharField(help_text="ISO 3166-2 code without the country's part.")
    country = serializers.CharField(help_text="ISO 3166-1 code.")
    timezone = serializers.CharField()
    contactUniqueKey = serializers.ChoiceField(
        choices=Company.UniqueKey.values, help_text="What no two contacts may share."
    )
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class FirstStepOut(Output):
    """A first step of a company."""

    step = serializers.CharField(help_text="sender, contacts, members or run")
    isDone = Computed(serializers.BooleanField())


class FirstStepsOut(Output):
    """The first steps of a company, in their order."""

    steps = Computed(FirstStepOut(many=True))


class OverviewDayOut(Output):
    """A day of the company's clock."""

    day = Computed(serializers.DateField())
    numbers = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True), help_text="sent and answered; null as above"
        )
    )


class OverviewOut(Output):
    """Recent numbers and open work."""

    since = Computed(serializers.DateTimeField(help_text="the beginning of the first day"))
    timezone = Computed(serializers.CharField(help_text="the company's, whose days these are"))
    numbers = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True),
            help_text="since then: newContacts, newLeads, sent (messages), answered (contacts whose last reply came"
            " since), contactImportsToMend and leadImportsToMend (imports with rows that failed). Now: drafts (messages"
            " that wait for approval), unreadReplies, failingSenders (and mailboxes), approvals"
            " (questions of workflows to oneself). null: the role or the plan does not show it",
        )
    )
    days = Computed(OverviewDayOut(many=True))
