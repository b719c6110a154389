"""Bodies and answers of SMTP senders."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, HostInput, Input, IntegerInput, LineInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.senders.models import MAX_CONNECTIONS, why_stopped

LIMIT = {"required": False, "allow_null": True, "min_value": 1}


class SenderChange(Input):
    """Shared fields of senders of every kind."""

    name = TextInput(required=False, allow_blank=True, max_length=200)
    fromEmail = TextInput(required=False, max_length=254)
    fromName = LineInput(required=False, max_length=200)
    verified = BooleanInput(
        required=False,
        help_text="true: test the connection now; false: mark as untested. Left out: test when the connection changed.",
    )
    isActive = BooleanInput(required=False)
    perMinute = IntegerInput(**LIMIT, help_text="Most messages in any 60 seconds; null: no limit.")
    perHour = IntegerInput(**LIMIT, help_text="Most messages in any 60 minutes.")
    perDay = IntegerInput(**LIMIT, help_text="Most messages in any 24 hours.")
    rampStart = IntegerInput(**LIMIT, help_text="A new sender's limit on its first day, in the company's time zone.")
    rampStep = IntegerInput(**LIMIT, help_text="How much that limit grows each day, up to perDay.")


class SmtpChange(SenderChange):
    """Any of a sender's values."""

    host = HostInput(required=False, max_length=255)
    port = IntegerInput(required=False, min_value=1, max_value=65535)
    username = TextInput(required=False, max_length=255)
    password = TextInput(
        required=False,
        allow_blank=True,
        max_length=1000,
        trim_whitespace=False,
        write_only=True,
        help_text="Left out or empty: unchanged. Required where host, port, username or secure change.",
    )
    secure = BooleanInput(required=False)
    maxConnections = IntegerInput(
        required=False,
        min_value=1,
        max_value=MAX_CONNECTIONS,
        help_text="Most connections to the server at once: more send faster, and servers refuse too many.",
    )


class SmtpCreate(SmtpChange):
    """A sender to connect."""

    host = HostInput(max_length=255)
    port = IntegerInput(min_value=1, max_value=65535)
    username = TextInput(max_length=255)
    password = TextInput(max_length=1000, trim_whitespace=False, write_only=True)
    secure = BooleanInput(
        default=True,
        help_text="true: TLS from the first byte on port 465, STARTTLS on others; no mail without. false: STARTTLS"
        " where it is offered, with any certificate if the server is on this machine.",
    )
    fromEmail = TextInput(max_length=254)
    fromName = LineInput(max_length=200)
    verified = BooleanInput(default=True, help_text="false: connect without testing; an untested sender sends nothing.")


class SmtpSnapshot(Output):
    """A sender, nested where a reference is populated; without its account."""

    _id = IdField()
    name = serializers.CharField()
    host = serializers.CharField()
    port = serializers.IntegerField()
    fromEmail = serializers.CharField(source="from_email")
    fromName = serializers.CharField(source="from_name")


class SmtpOut(Output):
    """A sender; its password never goes out."""

    moving = HEALTH
    reads = ("stopped_by",)

    _id = IdField()
    name = serializers.CharField()
    host = serializers.CharField()
    port = serializers.IntegerField()
    username = serializers.CharField()
    secure = serializers.BooleanField()
    maxConnections = serializers.IntegerField(help_text="Most connections to the server at once.")
    fromEmail = serializers.CharField(source="from_email")
    fromName = serializers.CharField(source="from_name")
    verified = serializers.BooleanField(help_text="What the last connection test found.")
    isActive = serializers.BooleanField()
    perMinute = serializers.IntegerField(allow_null=True)
    perHour = serializers.IntegerField(allow_null=True)
    perDay = serializers.IntegerField(allow_null=True)
    rampStart = serializers.IntegerField(allow_null=True)
    rampStep = serializers.IntegerField(allow_null=True)
    lastError = serializers.CharField(help_text="Why the last test or session failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    pausedUntil = serializers.DateTimeField(allow_null=True, help_text="Nothing is sent before.")
    pausedReason = serializers.CharField()
    stoppedAt = serializers.DateTimeField(
        allow_null=True, help_text="When its guardrail stopped it; it sends nothing until POST …/resume."
    )
    stoppedWhy = Computed(serializers.CharField(help_text="Why, as a sentence; empty if it was not."))
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "stoppedWhy": why_stopped(row["stopped_by"])}


class SmtpTest(Output):
    """The result of a connection test."""

    ok = Computed(serializers.BooleanField())
    encryption = Computed(serializers.CharField(allow_null=True, help_text="Such as TLSv1.3; null: none."))
    stage = Computed(
        serializers.CharField(help_text="Where it ended: connect, tls, auth or mail; empty when all went well.")
    )
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
    temporary = Computed(serializers.BooleanField(help_text="Whether trying again later may help."))


class SmtpDeleted(Output):
    """The results of the selected senders."""

    deletedCount = Computed(serializers.IntegerField())
    deactivatedCount = Computed(
        serializers.IntegerField(help_text="Senders that messages refer to; they are switched off.")
    )
