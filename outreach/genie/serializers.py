"""Bodies and answers of runs, messages, the message log and suppressed addresses."""

from __future__ import annotations

from django.utils.functional import lazy
from rest_framework import serializers

from accounts.members.snapshots import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from outreach.ai.services import ai_types
from outreach.delivery.models import SendJob
from outreach.genie.selectors import phase
from outreach.senders.serializers import SmtpSnapshot
from outreach.suppression.models import Suppression

PROMPT_LENGTH = 10_000


class Selectors(Input):
    """The five selectors of an audience, combined as a union."""

    contactIds = IdList(default=list, help_text="ids of contacts")
    leadIds = IdList(default=list, help_text="ids of leads")
    segments = IdList(default=None, allow_null=True, help_text="ids of segments")
    tags = IdList(default=None, allow_null=True, max_length=100, help_text="ids of tags")
    categories = IdList(default=None, allow_null=True, max_length=100, help_text="ids of contact categories")


def _ai_type_help() -> str:
    *others, last = ai_types()
    return f"{', '.join(others)} or {last}; left out: the company's default AI app."


class RunCreate(Selectors):
    """A run against an existing audience."""

    prompt = TextInput(
        default="",
        allow_blank=True,
        max_length=PROMPT_LENGTH,
        help_text="The goal in plain language; without it the run is planned from the company's profile.",
    )
    tone = TextInput(default="", allow_blank=True, max_length=100)
    aiType = TextInput(required=False, max_length=32, help_text=lazy(_ai_type_help, str)())
    enrichmentEnabled = BooleanInput(default=False)
    draft = BooleanInput(default=False, help_text="true: messages wait for approval.")
    smtp = ObjectIdInput(required=False, help_text="The sender; left out: the oldest that is active and tested.")
    name = TextInput(default="", allow_blank=True, max_length=200)
    automation = serializers.ChoiceField(
        choices=("run", "skip"), default="run", help_text="Whether workflows start on the event."
    )


class Retry(Input):
    """Which messages to try again."""

    unknown = BooleanInput(
        default=False, help_text="true: also those of which nobody knows whether they went; they may then arrive twice."
    )


class MessageEdit(Input):
    """A draft's new words."""

    subject = TextInput(required=False, max_length=200)
    text = TextInput(required=False, max_length=100_000, trim_whitespace=False)
    html = TextInput(required=False, allow_blank=True, max_length=500_000, help_text="Empty: made from the text.")


class SettingsInput(Input):
    """When recipients are written to."""

    windowDays = serializers.ListField(
        child=IntegerInput(min_value=1, max_value=7),
        required=False,
        max_length=7,
        help_text="1 is Monday; empty: every day.",
    )
    windowStart = serializers.TimeField(
        required=False, allow_null=True, help_text="Local time such as 09:00; null: the whole day."
    )
    windowEnd = serializers.TimeField(
        required=False, allow_null=True, help_text="Not included; not later than windowStart: past midnight."
    )
    recipientTimezone = BooleanInput(
        required=False, help_text="The window is read on the recipient's clock, otherwise on the company's."
    )


class SuppressionCreate(Input):
    """An address that is not to be written to."""

    email = TextInput(max_length=254)
    reason = serializers.ChoiceField(choices=Suppression.Reason.values, default=Suppression.Reason.MANUAL)
    source = TextInput(default="", allow_blank=True, max_length=200, help_text="Where the wish came from.")  # type: ignore[assignment]


class DecisionOut(Output):
    """What the decision function says."""

    state = Computed(serializers.ChoiceField(choices=("ready", "wait", "stop")))
    reason = Computed(serializers.CharField(allow_null=True))
    sentence = Computed(serializers.CharField(allow_null=True, help_text="The reason in words."))
    until = Computed(
        serializers.DateTimeField(
            allow_null=True, help_text="When it is asked again; null: when a person has acted, or never."
        )
    )
    goesAt = Computed(serializers.DateTimeField(allow_null=True, help_text="When it goes if nothing else happens."))


class AudienceOut(Output):
    """An audience, judged."""

    count = Computed(serializers.IntegerField(help_text="Live contacts that the selectors select, each once."))
    sendable = Computed(serializers.IntegerField(help_text="Those that can be written to."))
    excluded = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Reason -> number of contacts.")
    )
    sample = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="Up to 10 contacts, each with the decision for it."
        )
    )


class ContactSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)


class RunSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()


class RunOut(Output):
    """A run."""

    _id = IdField()
    name = serializers.CharField()
    prompt = serializers.CharField()
    tone = serializers.CharField()
    aiType = serializers.CharField()
    type = serializers.CharField()
    draft = serializers.BooleanField()
    recurring = serializers.BooleanField()
    enrichmentEnabled = serializers.BooleanField()
    phase = Computed(
        serializers.ChoiceField(
            choices=("planning", "awaiting_approval", "sending", "completed", "cancelled", "failed")
        ),
        phase(),
    )
    status = serializers.CharField(help_text="Of the planning: queued, running, completed, failed or cancelled.")
    total = serializers.IntegerField(allow_null=True, help_text="Recipients; null until they are counted.")
    processed = serializers.IntegerField(help_text="Recipients planned so far.")
    error = serializers.CharField(help_text="Why the planning failed.")
    smtp = SmtpSnapshot()
    cancelledAt = serializers.DateTimeField(allow_null=True)
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True, help_text="Of the planning.")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class RunDetail(RunOut):
    """A run with its messages counted."""

    audience = serializers.DictField(help_text="The five selectors.")
    counts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> number of messages.")
    )
    percent = Computed(serializers.FloatField(help_text="Recipients whose message has come to an end, of all."))
    nextDueAt = Computed(serializers.DateTimeField(allow_null=True))
    reasons = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="The commonest (status, reason) with their counts."
        )
    )


class RunCancelled(RunOut):
    """A run after its cancellation."""

    cancelledCount = Computed(serializers.IntegerField(help_text="Messages that will not go."))


class MessageOut(Output):
    """A message."""

    _id = IdField()
    run = RunSnapshot()
    contact = ContactSnapshot()
    smtp = SmtpSnapshot()
    channel = serializers.CharField()
    step = serializers.IntegerField()
    occurrence = serializers.IntegerField()
    status = serializers.ChoiceField(choices=SendJob.Status.values)
    reason = serializers.CharField(help_text="Code of why it has not gone, or was not sent.")
    recipient = serializers.CharField(help_text="The address it is for; when sent, the one it went to.")
    subject = serializers.CharField()
    text = serializers.CharField()
    messageId = serializers.CharField(help_text="Message-ID header; empty until the sending begins.")
    attempts = serializers.IntegerField(help_text="Attempts that failed.")
    error = serializers.CharField()
    reply = serializers.CharField(help_text="The server's last reply.")
    dueAt = serializers.DateTimeField(help_text="Not before.")
    approvedAt = serializers.DateTimeField(allow_null=True)
    approvedBy = MemberSnapshot(source="approved_by")
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class MessageDetail(MessageOut):
    """A message with its HTML, the decision as it would be taken now, and its life so far."""

    html = Computed(serializers.CharField())
    decision = Computed(
        serializers.DictField(
            allow_null=True, help_text="state, reason, sentence, until, goesAt; null once it has gone."
        )
    )
    transitions = Computed(
        serializers.ListField(child=serializers.DictField(), help_text="from, to, reason, detail, actor, at.")
    )


class MessageChanged(MessageOut):
    """One of the messages that an operation changed, null when there was none, and how many there were."""

    changedCount = Computed(serializers.IntegerField(help_text="Messages that the operation changed."))


class SmtpMessageOut(Output):
    """What went out, or may have."""

    _id = IdField()
    smtp = SmtpSnapshot()
    to = serializers.CharField(source="recipient")
    subject = serializers.CharField()
    text = serializers.CharField()
    status = serializers.CharField(help_text="sending, sent, failed or unknown.")
    reason = serializers.CharField()
    messageId = serializers.CharField()
    reply = serializers.CharField(help_text="What the server said.")
    error = serializers.CharField()
    attempts = serializers.IntegerField()
    contact = ContactSnapshot()
    run = RunSnapshot()
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class SettingsOut(Output):
    windowDays = Computed(serializers.ListField(child=serializers.IntegerField()))
    windowStart = Computed(serializers.CharField(allow_null=True))
    windowEnd = Computed(serializers.CharField(allow_null=True))
    recipientTimezone = Computed(serializers.BooleanField())
    timezone = Computed(serializers.CharField(help_text="The company's; changed with the company's profile."))


class SuppressionOut(Output):
    """An address that is never written to."""

    _id = IdField()
    email = serializers.CharField()
    reason = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    details = serializers.DictField()
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
