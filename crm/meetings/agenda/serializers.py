"""Answers of calendars."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.output import Computed, IdField, Output
from crm.meetings.agenda.selectors import ENTRY_KINDS, MAX_MEETINGS
from crm.meetings.models import Meeting


class EntryOut(Output):
    """A meeting, or a follow-up that is open."""

    _id = IdField()
    kind = serializers.ChoiceField(choices=ENTRY_KINDS)
    title = serializers.CharField()
    startsAt = serializers.DateTimeField(help_text="of a follow-up when it is due")
    endsAt = serializers.DateTimeField()
    member = Computed(MemberSnapshot(allow_null=True, help_text="who organizes it, or whose follow-up it is"))
    members = serializers.ListField(child=IdField(), help_text="the members that take part")
    meetingKind = serializers.ChoiceField(choices=["", *Meeting.Kind.values], help_text="of a meeting")
    place = serializers.CharField()
    link = serializers.CharField()
    lead = IdField(allow_null=True, help_text="lead id")
    contact = IdField(allow_null=True, help_text="contact id")


class CalendarOut(Output):
    """The calendar entries of members within a period."""

    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    entries = serializers.ListField(child=EntryOut(), help_text=f"by time, at most {MAX_MEETINGS}")
    isCut = serializers.BooleanField(help_text=f"whether there are more than {MAX_MEETINGS}")
