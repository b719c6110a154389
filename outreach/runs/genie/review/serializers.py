"""Bodies and answers of approvals, holds and retries of drafts."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import BooleanInput, Input, TextInput
from core.api.output import Computed, Output
from outreach.messaging.delivery.serializers import SKIPPED, MessageOut, delay_input


class BatchApproval(Input):
    """Drafts to approve together."""

    delaySeconds = delay_input()
    contentHash = TextInput(
        required=False,
        max_length=90,
        allow_blank=True,
        help_text="As GET /genie/:schedulerId/approval-sample answered it: exactly those drafts, or none if one of them"
        " was changed or decided since. Drafts that have come since are left.",
    )


class BatchHold(Input):
    """Approved messages to make drafts of."""

    approvedSince = serializers.DateTimeField(
        required=False,
        help_text="Only the messages that the caller has approved at this time or later: the approval is taken back.",
    )


class ApprovalSample(Output):
    """Drafts that approve-all would approve now."""

    count = Computed(serializers.IntegerField(help_text="Drafts that approve-all approves."))
    contentHash = Computed(
        serializers.CharField(help_text="Stands for the words, recipients and senders of all of them; empty: none.")
    )
    leftCount = Computed(serializers.IntegerField(help_text="Drafts that it leaves: unproved or outdated."))
    outdatedCount = Computed(serializers.IntegerField(help_text="The outdated ones among these."))
    skipped = Computed(serializers.ListField(child=serializers.DictField(), help_text=SKIPPED))
    approvalEndsAt = Computed(serializers.DateTimeField(help_text="Until when the approval would hold."))
    sample = Computed(serializers.ListField(child=MessageOut(), help_text="Up to 5 of them, chosen by chance."))


class Retry(Input):
    """Messages to try again."""

    unknown = BooleanInput(
        default=False, help_text="true: also those of which nobody knows whether they went; they may then arrive twice."
    )
