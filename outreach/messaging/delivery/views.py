"""Endpoints of single messages and the log of messages."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.ids import is_id
from core.types import JsonObject
from outreach.connections.connected_apps.registry import MODULE, Capability, ConnectedApp, apps_with
from outreach.connections.mail_vendors.registry import LETTERS, channel_of
from outreach.messaging.delivery import services
from outreach.messaging.delivery.chat_log.serializers import ChatAppMessageOut
from outreach.messaging.delivery.filters import CHAT_LOG_FIELDS, LOG_FIELDS, MESSAGE_FIELDS, VENDOR_LOG_FIELDS
from outreach.messaging.delivery.limits.guardrails import guardrail, resume
from outreach.messaging.delivery.limits.serializers import GuardrailOut
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.selectors import chat_log, message_detail, message_log, vendor_log
from outreach.messaging.delivery.serializers import (
    Approval,
    GmailMessageOut,
    ListedMessage,
    MessageDetail,
    MessageEdit,
    MessageOut,
    SmtpMessageOut,
    VendorMessageOut,
)
from outreach.messaging.delivery.stopping.stops import stop_thread

CHANGE_ERRORS = ("NotFound_404", "CampaignCannotBeUpdated_400")


def _messages(request: ListRequest) -> QuerySet[SendJob]:
    run = request.params.get("run")
    if run is None:
        return SendJob.objects.all()
    if not is_id(run):
        raise InvalidFormat("run", run, "an id is 24 hex characters")
    return SendJob.objects.filter(run_id=run)


def _detail(message_id: str) -> JsonObject:
    message = MessageDetail.one(SendJob.objects.filter(pk=message_id))
    if message is None:
        raise services.not_found()
    return {**message, **message_detail(message_id)}


class MessageViewSet(ResourceViewSet, abstract=True):
    """Messages, without the actions of their run (outreach.runs.genie.views)."""

    module = "genie"
    lookup_url_kwarg = "sendJobId"
    listing = Listing(
        "List messages",
        _messages,
        MESSAGE_FIELDS,
        ListedMessage,
        parameters=(OpenApiParameter("run", str, description="Only the messages of this run."),),
    )

    @endpoint(
        "Read a message",
        output=MessageDetail,
        errors=("NotFound_404",),
        description="Says why it has not gone, and when it will.",
    )
    def retrieve(self, request: Request, sendJobId: str) -> object:
        return _detail(sendJobId)

    @endpoint(
        "Edit a draft",
        input=MessageEdit,
        output=MessageDetail,
        success="DraftChanged_200",
        errors=(*CHANGE_ERRORS, "MessageChanged_409"),
        description="New sentences are the person's in `evidence`, and unproved where they have a figure or an address"
        " that no fact has; what the others rest on stays where the facts still say so. With contentHash only"
        " the words that GET showed are replaced.",
    )
    def update(self, request: Request, sendJobId: str, data: JsonObject) -> object:
        services.edit_message(message_id=sendJobId, member_id=self.actor.member_id, **data)
        return _detail(sendJobId)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Approve a draft",
        input=Approval,
        output=MessageOut,
        success="MessageApproved_200",
        errors=(*CHANGE_ERRORS, "MessageChanged_409"),
        description="It goes to the contact, and from the sender, as they are now: where the name or address of one of"
        " them changes before it goes, it becomes a draft again (approval_outdated). With contentHash only what GET"
        " showed is approved. One that would never go, such as to a suppressed address, is refused with the reason.",
        transition=True,
    )
    def approve(self, request: Request, sendJobId: str, data: JsonObject) -> object:
        services.approve_message(message_id=sendJobId, member_id=self.actor.member_id, **data)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Make a draft of an approved message",
        output=MessageOut,
        success="MessageHeld_200",
        errors=CHANGE_ERRORS,
        description="Or of one that a person has cancelled.",
        transition=True,
    )
    def draft(self, request: Request, sendJobId: str) -> object:
        services.hold_message(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a message",
        output=MessageOut,
        success="MessageCancelled_200",
        errors=CHANGE_ERRORS,
        description="It does not go, unless it is made a draft again.",
        transition=True,
    )
    def cancel(self, request: Request, sendJobId: str) -> object:
        services.cancel_message(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))

    @action(detail=True, methods=["post"], url_path="stop-follow-ups")
    @endpoint(
        "Stop the follow-ups of a message",
        output=MessageOut,
        success="FollowUpsStopped_200",
        errors=CHANGE_ERRORS,
        description="Nothing follows in its thread: the follow-up that waits, or that would be written next, is"
        " cancelled. What is on its way goes.",
        transition=True,
    )
    def stop_follow_ups(self, request: Request, sendJobId: str) -> object:
        stop_thread(message_id=sendJobId, member_id=self.actor.member_id)
        return MessageOut.one(SendJob.objects.filter(pk=sendJobId))


class SmtpLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing("List the messages that went out by SMTP", message_log, LOG_FIELDS, SmtpMessageOut)


class ChatLogViewSet(ResourceViewSet):
    module = "logs"
    listing = Listing("List the messages that went out by chat", chat_log, CHAT_LOG_FIELDS, ChatAppMessageOut)


def _vendor_log_viewset(letter: str) -> type[ResourceViewSet]:
    output = GmailMessageOut if letter == "c" else VendorMessageOut
    listing = Listing(
        f"List the messages that went out by mailvendor-{letter}",
        partial(vendor_log, letter),
        VENDOR_LOG_FIELDS,
        output,
    )
    name = f"Mailvendor{letter.upper()}LogViewSet"
    return type(name, (ResourceViewSet,), {"__module__": __name__, "module": "logs", "listing": listing})


VENDOR_LOGS = {channel_of(letter): _vendor_log_viewset(letter) for letter in LETTERS}
"""Channel -> the log of its sent messages."""


class _GuardrailViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the ViewSets of guardrails, one for the senders of each app."""

    module = MODULE
    singleton = True
    app: ClassVar[ConnectedApp]

    def answer(self, request: Request, id: str) -> Any:
        return guardrail(id=id, app=self.app.key)

    def answer_resume(self, request: Request, id: str) -> Any:
        resume(id=id, app=self.app.key)
        return guardrail(id=id, app=self.app.key)


def guardrail_viewsets() -> dict[str, type[ResourceViewSet]]:
    """Return the addresses of guardrails, below those of senders of all kinds, with their ViewSets."""
    viewsets: dict[str, type[ResourceViewSet]] = {}
    for key, app in apps_with(Capability.SEND_MAIL).items():
        missing = (app.not_found().name,)
        read = endpoint(
            f"Read the guardrail of a sender of {key}",
            description="Bounces and complaints stop a sender by themselves, at the rates of GET /genie/settings; the"
            " owners, and who may change senders, are told.",
            output=GuardrailOut,
            errors=missing,
        )(_GuardrailViewSet.answer)
        go_on = endpoint(
            f"Resume a stopped sender of {key}",
            success="SenderResumed_200",
            permission="PUT",
            description="Its messages go on, and what it has sent before counts no more. A sender that was not stopped"
            " stays as it is.",
            output=GuardrailOut,
            errors=missing,
        )(_GuardrailViewSet.answer_resume)
        for path, method, answer in (("guardrail", "retrieve", read), ("resume", "create", go_on)):
            name = "".join(part.title() for part in (*key.split("-"), path))
            values = {"__module__": __name__, "app": app, method: answer}
            viewsets[f"apps/{key}/<str:id>/{path}"] = type(f"{name}ViewSet", (_GuardrailViewSet,), values)
    return viewsets
