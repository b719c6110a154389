"""Bodies and answers of chat apps."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.chat_apps.hooks import hook_url, verify_token
from outreach.connections.chat_apps.models import PER_SECOND
from outreach.connections.senders.models import why_stopped
from outreach.connections.senders.serializers import LIMIT

FOR_CHANGERS = "empty: the reader's role changes no apps."


class ChatAppChange(Input):
    """Any of an app's values."""

    name = TextInput(required=False, allow_blank=True, max_length=200)
    phoneNumberId = LineInput(required=False, max_length=40)
    wabaId = LineInput(required=False, max_length=40, help_text="The business account that its templates belong to.")
    appId = LineInput(
        required=False, allow_blank=True, max_length=40, help_text="Needed for pictures and files in templates."
    )
    accessToken = TextInput(
        required=False,
        allow_blank=True,
        max_length=1000,
        write_only=True,
        help_text="Left out or empty: unchanged. Required where phoneNumberId or wabaId change.",
    )
    appSecret = TextInput(
        required=False,
        allow_blank=True,
        max_length=200,
        write_only=True,
        help_text="What the vendor signs its webhooks with; without it none is believed. Empty: unchanged.",
    )
    apiVersion = LineInput(required=False, max_length=8, help_text="Such as v23.0.")
    perSecond = IntegerInput(
        required=False,
        min_value=1,
        max_value=1000,
        help_text=f"Most messages a second; the vendor's own is {PER_SECOND}.",
    )
    verified = BooleanInput(
        required=False,
        help_text="true: ask the vendor now; false: mark as untested. Left out: ask when the connection changed.",
    )
    isActive = BooleanInput(required=False)
    perMinute = IntegerInput(**LIMIT, help_text="Most messages in any 60 seconds; null: no limit.")
    perHour = IntegerInput(**LIMIT, help_text="Most messages in any 60 minutes.")
    perDay = IntegerInput(**LIMIT, help_text="Most messages in any 24 hours.")
    rampStart = IntegerInput(**LIMIT, help_text="A new number's limit on its first day, in the company's time zone.")
    rampStep = IntegerInput(**LIMIT, help_text="How much that limit grows each day, up to perDay.")


class ChatAppCreate(ChatAppChange):
    """A number to connect."""

    phoneNumberId = LineInput(max_length=40)
    wabaId = LineInput(max_length=40, help_text="The business account that its templates belong to.")
    accessToken = TextInput(max_length=1000, write_only=True)
    verified = BooleanInput(default=True, help_text="false: connect without asking; an untested app sends nothing.")


class ChatAppSnapshot(Output):
    """A chat app, nested where a reference is populated; without its account."""

    _id = IdField()
    name = serializers.CharField()
    displayNumber = serializers.CharField(source="display_number")


class ChatAppOut(Output):
    """A chat app; its token and its secret never go out."""

    moving = HEALTH | {"messagingLimit", "qualityRating"}
    reads = ("stopped_by", "hook_salt", "id", "by_changer")
    conceals = ("webhookUrl", "verifyToken")

    _id = IdField()
    name = serializers.CharField()
    phoneNumberId = serializers.CharField()
    wabaId = serializers.CharField()
    appId = serializers.CharField()
    apiVersion = serializers.CharField()
    displayNumber = serializers.CharField()
    qualityRating = serializers.CharField()
    messagingLimit = serializers.CharField(help_text="As the vendor names it: how many new people a day.")
    perSecond = serializers.IntegerField()
    verified = serializers.BooleanField(help_text="What the last test found.")
    isActive = serializers.BooleanField()
    perMinute = serializers.IntegerField(allow_null=True)
    perHour = serializers.IntegerField(allow_null=True)
    perDay = serializers.IntegerField(allow_null=True)
    rampStart = serializers.IntegerField(allow_null=True)
    rampStep = serializers.IntegerField(allow_null=True)
    webhookUrl = Computed(serializers.CharField(help_text=f"The address to enter at the vendor; {FOR_CHANGERS}"))
    verifyToken = Computed(serializers.CharField(help_text="What to enter beside it; empty as webhookUrl."))
    lastError = serializers.CharField(help_text="Why the last test or session failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    pausedUntil = serializers.DateTimeField(allow_null=True, help_text="Nothing is sent before.")
    pausedReason = serializers.CharField()
    stoppedAt = serializers.DateTimeField(allow_null=True)
    stoppedWhy = Computed(serializers.CharField(help_text="Why, as a sentence; empty if it was not."))
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        place = (row["id"], row["hook_salt"])
        hook_fields = {"webhookUrl": "", "verifyToken": ""}
        if row["by_changer"]:
            hook_fields = {"webhookUrl": hook_url(*place), "verifyToken": verify_token(*place)}
        return {**data, **hook_fields, "stoppedWhy": why_stopped(row["stopped_by"])}


class ChatAppTest(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField())
    stage = Computed(serializers.CharField(help_text="Where it ended: connect or auth; empty when all went well."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
    temporary = Computed(serializers.BooleanField(help_text="Whether trying again later may help."))


class ChatAppsDeleted(Output):
    """The results of the selected apps."""

    deletedCount = Computed(serializers.IntegerField())
    deactivatedCount = Computed(
        serializers.IntegerField(help_text="Apps that messages refer to; they are switched off.")
    )
