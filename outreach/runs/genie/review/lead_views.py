"""Endpoints of a lead's messages (contract 4.5)."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.output import Computed
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.serializers import MessageChanged, MessageOut, MessagesApproved
from outreach.runs.genie.review import lead_messages
from outreach.runs.genie.review.warnings import LEFT, left_warning
from outreach.runs.genie.views import ONE_OF

NOT_FOUND = ("LeadNotFound_404",)
MAX_SHOWN = 50
WHICH = (
    " A lead's messages are those of runs whose audience names it, or makes it, and those to its contact of runs that"
    " name no lead of the contact."
)


class PendingApprovals(MessageOut):
    """The oldest draft of a lead, null without one, and how many there are."""

    always: ClassVar[tuple[str, ...]] = ("pendingCount", "unprovedCount", "pending")
    pendingCount = Computed(serializers.IntegerField(help_text="Drafts that wait for approval."))
    unprovedCount = Computed(
        serializers.IntegerField(help_text="Those of them with something unproved; each is approved by itself.")
    )
    pending = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text=f"The drafts as GET /genie/send-jobs lists them, the oldest first, at most {MAX_SHOWN}.",
        )
    )


class SendCounts(MessageOut):
    """The lead's last message that was sent, if there is one, and all of them counted."""

    always: ClassVar[tuple[str, ...]] = ("counts", "total", "lastSentAt", "nextDueAt")
    counts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> number of messages.")
    )
    total = Computed(serializers.IntegerField())
    lastSentAt = Computed(serializers.DateTimeField(allow_null=True))
    nextDueAt = Computed(
        serializers.DateTimeField(
            allow_null=True, help_text="When the next approved one may go, or the next follow-up is written."
        )
    )


class LeadMessagesViewSet(ResourceViewSet):
    module = "genie"
    lookup_url_kwarg = "leadId"

    @action(detail=True, methods=["get"], url_path="pending-approvals")
    @endpoint(
        "List a lead's messages that wait for approval",
        output=PendingApprovals,
        errors=NOT_FOUND,
        description="Data is the oldest of them beside the numbers; with none of them it holds the numbers alone."
        + WHICH,
    )
    def pending_approvals(self, request: Request, leadId: str) -> object:
        rows = MessageOut.project(lead_messages.pending(leadId).order_by("created_at", "pk")[:MAX_SHOWN])
        drafts = [MessageOut.render(row) for row in rows]
        return {**(drafts[0] if drafts else {}), **lead_messages.pending_counts(leadId), "pending": drafts}

    @action(detail=True, methods=["get"], url_path="send-counts")
    @endpoint(
        "Count a lead's messages",
        output=SendCounts,
        errors=NOT_FOUND,
        description="Data is the last one that was sent beside the numbers; with none it holds the numbers alone."
        + WHICH,
    )
    def send_counts(self, request: Request, leadId: str) -> object:
        sent = lead_messages.lead_messages(leadId).filter(status=SendJob.Status.SENT)
        return {**(MessageOut.one(sent.order_by("-sent_at", "pk")) or {}), **lead_messages.send_counts(leadId)}

    @action(detail=True, methods=["post"], url_path="approve-all")
    @endpoint(
        "Approve a lead's drafts",
        output=MessagesApproved,
        success="MessagesApproved_200",
        errors=NOT_FOUND,
        description=LEFT + ONE_OF + WHICH,
    )
    def approve_all(self, request: Request, leadId: str) -> object:
        left = lead_messages.left_drafts(leadId)
        changed = lead_messages.approve_all(lead_id=leadId, member_id=self.actor.member_id)
        response = {**_message_data(leadId, "approved"), "changedCount": changed, **left.as_json(), "newerCount": 0}
        return self.success(response, **(left_warning(left) or unchanged_warning(changed)))

    @action(detail=True, methods=["post"], url_path="draft-all")
    @endpoint(
        "Make drafts of a lead's approved messages",
        output=MessageChanged,
        success="MessagesHeld_200",
        errors=NOT_FOUND,
        description=ONE_OF + WHICH,
    )
    def draft_all(self, request: Request, leadId: str) -> object:
        changed = lead_messages.hold_all(lead_id=leadId, member_id=self.actor.member_id)
        return self.success({**_message_data(leadId, "draft"), "changedCount": changed}, **unchanged_warning(changed))


def unchanged_warning(count: int) -> dict[str, str]:
    """Return the warning of an action that has changed no message."""
    return {} if count else {"warning": "no message has changed: none of the lead's is in the state for it"}


def _message_data(lead_id: str, status: str) -> JsonObject:
    return MessageOut.one(lead_messages.lead_messages(lead_id).filter(status=status)) or {}
