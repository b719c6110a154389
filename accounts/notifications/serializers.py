"""Bodies and answers of notifications."""

from __future__ import annotations

from rest_framework import serializers

from accounts.notifications.filters import IS_READ
from core.api.input import BooleanInput, Input, ObjectIdInput
from core.api.output import Computed, IdField, Output


class NotificationUpdate(Input):
    """The read state of a notification."""

    isRead = BooleanInput()


class NotificationsRead(Input):
    """Notifications to mark as read: all of them, or those of a company."""

    company = ObjectIdInput(required=False)


class NotificationOut(Output):
    """A notification for the person."""

    _id = IdField()
    company = IdField(source="company_id")
    kind = serializers.CharField(help_text="the notice, as notificationSettings calls it")
    text = serializers.CharField()
    resource = serializers.CharField(help_text="what it is about, as paths call it; may be empty")
    record = IdField(source="record_id", allow_null=True)
    isRead = Computed(serializers.BooleanField(), IS_READ)
    createdAt = serializers.DateTimeField()


class UnreadOut(Output):
    """Number of unread notifications."""

    count = Computed(serializers.IntegerField(help_text="100 stands for more"))


class ReadOut(Output):
    """Number of notifications marked as read."""

    updatedCount = Computed(serializers.IntegerField())


class PreferenceOut(Output):
    """A notice, and whether the person receives it."""

    kind = serializers.CharField()
    title = Computed(serializers.CharField())
    isOn = Computed(serializers.BooleanField())


class PreferencesOut(Output):
    """The person's notices in the product. Mails are the company's choice (notificationSettings)."""

    notices = Computed(PreferenceOut(many=True))
