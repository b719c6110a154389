"""Bodies and answers of messenger apps, and of accounts of the second social platform."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.direct_apps.hooks import hook_secret, hook_url
from outreach.connections.senders.serializers import LIMIT

SECRET: JsonObject = {"required": False, "allow_blank": True, "write_only": True}
FOR_CHANGERS = "empty: the reader's role changes no apps."


class DirectChange(Input):
    """Shared fields of both vendors."""

    name = TextInput(required=False, allow_blank=True, max_length=200)
    verified = BooleanInput(
        required=False,
        help_text="true: ask the vendor now; false: mark as untested. Left out: ask when the connection changed.",
    )
    isActive = BooleanInput(required=False)
    perMinute = IntegerInput(**LIMIT, help_text="Most messages in any 60 seconds; null: no limit.")
    perHour = IntegerInput(**LIMIT, help_text="Most messages in any 60 minutes.")
    perDay = IntegerInput(**LIMIT, help_text="Most messages in any 24 hours.")


class MessengerChange(DirectChange):
    """Any of a messenger app's values."""

    botToken = TextInput(source="access_token", max_length=200, help_text="Empty: unchanged.", **SECRET)


class MessengerCreate(MessengerChange):
    """A bot to connect."""

    botToken = TextInput(source="access_token", max_length=200, write_only=True, help_text="As the messenger gives it.")


class SocialBChange(DirectChange):
    """Any of a social account's values."""

    accountId = LineInput(source="phone_number_id", required=False, max_length=40, help_text="The platform's id of it.")
    accessToken = TextInput(
        source="access_token",
        max_length=1000,
        help_text="Long-lived. Empty: unchanged; required where accountId changes.",
        **SECRET,
    )
    appSecret = TextInput(
        max_length=200, help_text="What the platform signs with; without it no webhook is believed.", **SECRET
    )
    tokenExpiresAt = serializers.DateTimeField(required=False, allow_null=True)


class SocialBCreate(SocialBChange):
    """An account to connect: accountId, accessToken and appSecret."""

    accountId = LineInput(source="phone_number_id", max_length=40, help_text="The platform's id of it.")


class DirectOut(Output):
    """Shared output of both vendors; it never contains tokens and secrets."""

    moving = HEALTH
    reads = ("hook_salt", "id", "vendor", "by_changer")
    conceals: ClassVar[tuple[str, ...]] = ("webhookUrl",)

    _id = IdField()
    name = serializers.CharField()
    verified = serializers.BooleanField(help_text="What the last test, or the last message, found.")
    isActive = serializers.BooleanField()
    perMinute = serializers.IntegerField(allow_null=True)
    perHour = serializers.IntegerField(allow_null=True)
    perDay = serializers.IntegerField(allow_null=True)
    webhookUrl = Computed(serializers.CharField(help_text=f"Where the vendor tells what people write; {FOR_CHANGERS}"))
    lastError = serializers.CharField(help_text="Why it cannot be used, or is told of nothing; empty when all is well.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    pausedUntil = serializers.DateTimeField(allow_null=True, help_text="Nothing is sent before.")
    pausedReason = serializers.CharField()
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        place = (row["vendor"], row["id"], row["hook_salt"])
        return {**data, "webhookUrl": hook_url(*place) if row["by_changer"] else ""}


class MessengerOut(DirectOut):
    """A messenger app. Its webhook is set when it is connected."""

    botId = serializers.CharField(source="phone_number_id")
    username = serializers.CharField(source="display_number")


class SocialBOut(DirectOut):
    """An account of the second social platform."""

    conceals: ClassVar[tuple[str, ...]] = (*DirectOut.conceals, "verifyToken")

    accountId = serializers.CharField(source="phone_number_id")
    username = serializers.CharField(source="display_number")
    tokenExpiresAt = serializers.DateTimeField(allow_null=True)
    verifyToken = Computed(serializers.CharField(help_text="What to enter beside webhookUrl."))

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        secret = hook_secret(row["id"], row["hook_salt"]) if row["by_changer"] else ""
        return {**super().finish(data, row), "verifyToken": secret}


class DirectTest(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField())
    stage = Computed(serializers.CharField(help_text="Where it ended: connect or auth; empty when all went well."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
    temporary = Computed(serializers.BooleanField(help_text="Whether trying again later may help."))


class DirectDeleted(Output):
    """The results of the selected apps."""

    deletedCount = Computed(serializers.IntegerField())
    deactivatedCount = Computed(
        serializers.IntegerField(help_text="Apps that messages refer to; they are switched off.")
    )
