"""Bodies and answers of video calls."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input, TextInput
from core.api.output import Computed, Output
from crm.meetings.providers.link_template import MAX_LENGTH
from crm.meetings.serializers import MeetingCreate, MeetingUpdate


class VideoCallUpdate(MeetingUpdate):
    kind = None  # type: ignore[assignment]


class VideoCallCreate(MeetingCreate):
    kind = None  # type: ignore[assignment]


class MyVideoCallCreate(VideoCallCreate):
    organizer = None  # type: ignore[assignment]


class VideoSettingsUpdate(Input):
    linkTemplate = TextInput(
        max_length=MAX_LENGTH,
        required=False,
        allow_blank=True,
        help_text="an https address with {random}, {meeting} or both, such as https://meet.example.org/{random}",
    )
    provider = TextInput(
        max_length=24, required=False, allow_blank=True, help_text="what makes the links of calls that name nothing"
    )


class ProviderOut(Output):
    """A way to get the link of a video call."""

    key = serializers.CharField()
    name = serializers.CharField()
    trouble = serializers.CharField(help_text="why the asking member's meetings get no link from it; empty: they do")


class VideoSettingsOut(Output):
    """Settings for the links of video calls."""

    linkTemplate = serializers.CharField()
    provider = serializers.CharField()
    providers = Computed(serializers.ListField(child=ProviderOut()))
    updatedAt = serializers.DateTimeField(allow_null=True, help_text="null: never changed")
