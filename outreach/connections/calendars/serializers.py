"""Bodies and answers of connected calendars."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input, LineInput
from core.api.output import Output


class CalendarLogin(Input):
    """Parameters of the redirect from Google."""

    code = LineInput(max_length=2000)
    state = LineInput(max_length=300)


class CalendarLoginBegunOut(Output):
    """The address where the member grants access."""

    url = serializers.CharField()
    endsAt = serializers.DateTimeField()


class ConnectionOut(Output):
    """The asking member's own calendar elsewhere, and how its work goes."""

    isAvailable = serializers.BooleanField(help_text="whether calendars can be connected here")
    isConnected = serializers.BooleanField()
    provider = serializers.CharField()
    email = serializers.CharField(help_text="of the account; empty: none is connected")
    needsLogin = serializers.BooleanField(help_text="it takes the log-in no more: connect it again")
    busyAt = serializers.DateTimeField(allow_null=True, help_text="when it has last told busy times")
    waiting = serializers.IntegerField(help_text="meetings that are still to be written there")
    failed = serializers.IntegerField(help_text="meetings that it does not take")
    lastError = serializers.CharField()
