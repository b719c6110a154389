"""Bodies and answers of a company's settings for runs."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import BooleanInput, Input, IntegerInput, LineInput, NumberInput
from core.api.output import Computed, Output
from outreach.connections.ai.serializers import LanguageInput
from outreach.connections.mail_vendors.registry import VENDORS
from outreach.messaging.delivery.limits.quotas import MAX_PER_HOUR
from outreach.messaging.delivery.settings.models import (
    APPROVAL_DAYS,
    BOUNCE_PERCENT,
    COMPLAINT_PERCENT,
    GUARD_FROM,
    INBOX_DAYS,
    MAX_UTM,
)

PER_HOUR = {"required": False, "allow_null": True, "min_value": 1, "max_value": MAX_PER_HOUR}


class ProviderLimits(Input):
    """Most messages an hour to each mail provider, by all senders together; null: no limit."""

    google = IntegerInput(**PER_HOUR, help_text="Addresses at gmail.com and googlemail.com.")
    microsoft = IntegerInput(**PER_HOUR, help_text="Outlook, Hotmail, Live, MSN.")
    yahoo = IntegerInput(**PER_HOUR, help_text="Yahoo and AOL.")
    apple = IntegerInput(**PER_HOUR, help_text="iCloud.")
    gmx = IntegerInput(**PER_HOUR, help_text="GMX, WEB.DE, mail.com.")
    other = IntegerInput(**PER_HOUR, help_text="Each other domain by itself.")


VendorLimits: type[Input] = type(
    "VendorLimits",
    (Input,),
    {
        "__doc__": "Most messages an hour by each mail vendor, by all apps of it together; null: no limit.",
        **{key: IntegerInput(**PER_HOUR, help_text=f"{vendor.name}.") for key, vendor in VENDORS.items()},
    },
)


class SettingsInput(Input):
    """Times and defaults for messages to recipients."""

    windowDays = serializers.ListField(
        child=IntegerInput(min_value=1, max_value=7),
        required=False,
        max_length=7,
        help_text="1 is Monday, each once; empty: every day.",
    )
    windowStart = serializers.TimeField(
        required=False, allow_null=True, help_text="Local time such as 09:00; null: the whole day."
    )
    windowEnd = serializers.TimeField(
        required=False,
        allow_null=True,
        help_text="Not included, and another than windowStart; an earlier one is past midnight.",
    )
    recipientTimezone = BooleanInput(
        required=False, help_text="The window is read on the recipient's clock, otherwise on the company's."
    )
    approvalDays = IntegerInput(
        required=False,
        min_value=1,
        max_value=365,
        help_text=f"How long an approval that a person gives from now on holds; default {APPROVAL_DAYS}.",
    )
    inboxDays = IntegerInput(
        required=False,
        min_value=7,
        max_value=3650,
        help_text=f"How long received mail is kept; default {INBOX_DAYS}.",
    )
    bouncePercent = NumberInput(
        required=False,
        min_value=1,
        max_value=20,
        help_text=f"Share of the last messages to mailboxes that do not exist at which a sender is stopped; default"
        f" {BOUNCE_PERCENT:g}.",
    )
    complaintPercent = NumberInput(
        required=False,
        min_value=0.05,
        max_value=1,
        help_text=f"Share of messages called spam at which a sender is stopped; default {COMPLAINT_PERCENT:g}.",
    )
    guardFrom = IntegerInput(
        required=False,
        min_value=20,
        max_value=1000,
        help_text=f"A sender that has sent fewer messages in the last 7 days is not stopped; default {GUARD_FROM}.",
    )
    trackOpens = BooleanInput(
        required=False, help_text="Messages carry a picture that tells when it is fetched. Off by default."
    )
    trackClicks = BooleanInput(
        required=False, help_text="Links of messages lead through this service, which counts them. Off by default."
    )
    utmTags = BooleanInput(
        required=False, help_text="Links of campaigns that begin from now on get UTM tags. Off by default."
    )
    utmSource = LineInput(
        required=False, allow_blank=True, max_length=MAX_UTM, help_text="utm_source; empty: newsletter."
    )
    utmMedium = LineInput(required=False, allow_blank=True, max_length=MAX_UTM, help_text="utm_medium; empty: email.")
    personalUnsubscribe = BooleanInput(
        required=False,
        help_text="Mail that a member writes to one person has a link to unsubscribe, too. Off by default.",
    )
    providerLimits = ProviderLimits(
        required=False, help_text="Replaces the limits there are; addresses count by their domain."
    )
    vendorLimits = VendorLimits(required=False, help_text="Replaces the limits there are.")
    language = LanguageInput(
        required=False,
        allow_blank=True,
        help_text="Written in where a contact's own is not known: a code such as de, or a name; empty: the prompt's.",
    )


class SettingsOut(Output):
    windowDays = Computed(serializers.ListField(child=serializers.IntegerField()))
    windowStart = Computed(serializers.CharField(allow_null=True))
    windowEnd = Computed(serializers.CharField(allow_null=True))
    recipientTimezone = Computed(serializers.BooleanField())
    approvalDays = Computed(serializers.IntegerField(help_text="How long a person's approval holds."))
    inboxDays = Computed(serializers.IntegerField(help_text="How long received mail is kept."))
    bouncePercent = Computed(serializers.FloatField())
    complaintPercent = Computed(serializers.FloatField())
    guardFrom = Computed(serializers.IntegerField(help_text="Messages in 7 days below which no sender is stopped."))
    trackOpens = Computed(serializers.BooleanField())
    trackClicks = Computed(serializers.BooleanField())
    utmTags = Computed(serializers.BooleanField())
    utmSource = Computed(serializers.CharField(help_text="Empty: newsletter."))
    utmMedium = Computed(serializers.CharField(help_text="Empty: email."))
    personalUnsubscribe = Computed(
        serializers.BooleanField(help_text="Mail that a member writes to one person has a link to unsubscribe.")
    )
    providerLimits = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True), help_text="Mail provider -> messages an hour; null: any."
        )
    )
    vendorLimits = Computed(
        serializers.DictField(
            child=serializers.IntegerField(allow_null=True), help_text="Mail vendor -> messages an hour; null: any."
        )
    )
    language = Computed(serializers.CharField(help_text="ISO 639-1 code; empty: that of the prompt."))
    languageName = Computed(serializers.CharField(help_text="Its name in English."))
    timezone = Computed(serializers.CharField(help_text="The company's; changed with the company's profile."))
    updatedAt = Computed(serializers.DateTimeField(allow_null=True, help_text="null: never changed."))
