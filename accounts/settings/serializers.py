"""Bodies and answers of company settings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.companies.models import Company
from accounts.settings.groups.background import MobileBackgroundShape
from accounts.settings.groups.chatbot import ManualChatbotShape
from accounts.settings.groups.notifications import NotificationSettings
from accounts.settings.groups.subscription import SubscriptionPoliciesShape
from accounts.settings.groups.teams import TeamSettingsShape
from accounts.settings.models import CompanySettings
from core.api.addresses import WebAddressInput
from core.api.input import BooleanInput, Input, TextInput
from core.api.output import Computed, IdField, Output
from core.text.links import holds_link

LOST_REASON = "true: a lead that moves to a lost stage needs lostReason (LostReasonRequired_400)"
DUPLICATE_LEADS = (
    "What happens to an open lead of the same contact and product as another open one: warn makes it and says so."
)


class OneLine(TextInput):
    """Text without line breaks: it goes into subjects and headers of mails."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text.isprintable():
            raise serializers.ValidationError("enter one line of text", code="line")
        return text


class AppName(OneLine):
    """A text about the product in mails. It has no address, because mails go to people who have not asked for them."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if holds_link(text):
            raise serializers.ValidationError("enter a name without web or email addresses", code="link")
        return text


class CurrencyCode(TextInput):
    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).upper()


class DateFormatInput(serializers.ChoiceField):
    """A date format, in any case."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data.lower() if isinstance(data, str) else data)


def _link() -> WebAddressInput:
    return WebAddressInput(allow_blank=True, max_length=500)


class CompanySettingsUpdate(Input):
    """Changes of the settings; nested objects are merged key by key."""

    currency = CurrencyCode(max_length=3, help_text="ISO 4217")
    dateFormat = DateFormatInput(choices=CompanySettings.DateFormat.values)
    timeFormat = serializers.ChoiceField(choices=CompanySettings.TimeFormat.values)
    timezone = TextInput(max_length=64, help_text="Name of the tz database; the company's own time zone.")
    appName = AppName(
        max_length=100, allow_blank=True, help_text="What mails and pages call the product; empty: the company's name."
    )
    appDescription = AppName(max_length=300, allow_blank=True)
    appVersion = AppName(max_length=40, allow_blank=True)
    facebook = _link()
    instagram = _link()
    linkedin = _link()
    x = _link()
    youtube = _link()
    tiktok = _link()
    whatsapp = _link()
    telegram = _link()
    pinterest = _link()
    snapchat = _link()
    threads = _link()
    notificationSettings = NotificationSettings()
    mobileBackground = MobileBackgroundShape()
    teamSettings = TeamSettingsShape()
    subscriptionPolicies = SubscriptionPoliciesShape()
    manualChatbot = ManualChatbotShape()
    contactUniqueKey = TextInput(
        max_length=20, help_text="What no two contacts may share: email, number or either; refused while two share it."
    )
    duplicateLeads = serializers.ChoiceField(choices=CompanySettings.DuplicateLeads.values, help_text=DUPLICATE_LEADS)
    lostReasonRequired = BooleanInput(help_text=LOST_REASON)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "partial": True})


class CompanySettingsOut(Output):
    """A company's complete settings, with defaults for those never chosen."""

    _id = IdField()
    currency = serializers.CharField()
    dateFormat = serializers.ChoiceField(choices=CompanySettings.DateFormat.values)
    timeFormat = serializers.ChoiceField(choices=CompanySettings.TimeFormat.values)
    timezone = serializers.CharField()
    appName = serializers.CharField()
    appDescription = serializers.CharField()
    appVersion = serializers.CharField()
    facebook = serializers.CharField()
    instagram = serializers.CharField()
    linkedin = serializers.CharField()
    x = serializers.CharField()
    youtube = serializers.CharField()
    tiktok = serializers.CharField()
    whatsapp = serializers.CharField()
    telegram = serializers.CharField()
    pinterest = serializers.CharField()
    snapchat = serializers.CharField()
    threads = serializers.CharField()
    notificationSettings = Computed(NotificationSettings())
    mobileBackground = Computed(MobileBackgroundShape())
    contactUniqueKey = serializers.ChoiceField(
        choices=Company.UniqueKey.values, help_text="What no two contacts may share."
    )
    duplicateLeads = serializers.ChoiceField(choices=CompanySettings.DuplicateLeads.values, help_text=DUPLICATE_LEADS)
    lostReasonRequired = serializers.BooleanField(help_text=LOST_REASON)
    teamSettings = Computed(TeamSettingsShape())
    subscriptionPolicies = Computed(SubscriptionPoliciesShape())
    manualChatbot = Computed(ManualChatbotShape())
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
