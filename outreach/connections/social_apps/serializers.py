"""Bodies and answers of social apps."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, LineInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.social_apps.hooks import hook_url, verify_token

SECRET: JsonObject = {"required": False, "allow_blank": True, "write_only": True}
FOR_CHANGERS = "empty: the reader's role changes no apps."


class SocialAppChange(Input):
    """Any of an app's values."""

    name = TextInput(required=False, allow_blank=True, max_length=200)
    appId = LineInput(required=False, allow_blank=True, max_length=40, help_text="The platform's id of the app.")
    appSecret = TextInput(max_length=200, help_text="What the platform signs with. Empty: unchanged.", **SECRET)
    userToken = TextInput(
        max_length=1000,
        help_text="Of a user who manages the pages; a short one is exchanged. Empty: unchanged.",
        **SECRET,
    )
    isActive = BooleanInput(required=False)


class SocialAppCreate(SocialAppChange):
    """An app to connect: appId, appSecret and userToken."""


class SocialAppOut(Output):
    """A social app; its secret and tokens never go out."""

    moving = HEALTH | {"tokenExpiresAt"}
    reads = ("hook_salt", "id", "by_changer")
    conceals = ("webhookUrl", "verifyToken")

    _id = IdField()
    name = serializers.CharField()
    appId = serializers.CharField()
    verified = serializers.BooleanField(help_text="What the last test, or the last lead, found.")
    isActive = serializers.BooleanField()
    tokenExpiresAt = serializers.DateTimeField(allow_null=True)
    webhookUrl = Computed(serializers.CharField(help_text=f"The address to enter at the platform; {FOR_CHANGERS}"))
    verifyToken = Computed(serializers.CharField(help_text="What to enter beside it; empty as webhookUrl."))
    lastError = serializers.CharField(help_text="Why it cannot be used; empty when it can.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        place = (row["id"], row["hook_salt"])
        if not row["by_changer"]:
            return {**data, "webhookUrl": "", "verifyToken": ""}
        return {**data, "webhookUrl": hook_url(*place), "verifyToken": verify_token(*place)}


class SocialAppSnapshot(Output):
    """A social app, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()


class SocialAppTest(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField())
    stage = Computed(serializers.CharField(help_text="Where it ended: connect or auth; empty when all went well."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
    temporary = Computed(serializers.BooleanField(help_text="Whether trying again later may help."))


class SocialAppsDeleted(Output):
    """The results of the selected apps."""

    deletedCount = Computed(serializers.IntegerField())


class PageOut(Output):
    """A page that the user of an app manages."""

    pageId = serializers.CharField()
    name = serializers.CharField()
    subscribedAt = serializers.DateTimeField(
        allow_null=True, help_text="Since when the platform tells of its leads; null: it does not."
    )


class PagesOut(Output):
    pages = Computed(PageOut(many=True))


class QuestionOut(Output):
    """A question of a form at the platform."""

    key = Computed(serializers.CharField())
    label = Computed(serializers.CharField())  # type: ignore[assignment]


class PageFormOut(Output):
    """A form of a page, as the platform has it."""

    formId = Computed(serializers.CharField())
    name = Computed(serializers.CharField())
    status = Computed(serializers.CharField())
    fields = Computed(QuestionOut(many=True))  # type: ignore[assignment]


class PageFormsOut(Output):
    forms = Computed(PageFormOut(many=True))
