"""Endpoints of conversations and of canned answers."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from outreach.conversations import canned, services
from outreach.conversations.filters import CANNED_FIELDS, CONVERSATION_FIELDS, MESSAGE_FIELDS
from outreach.conversations.models import CannedAnswer, Conversation, ConversationMessage
from outreach.conversations.serializers import (
    AnswerInput,
    AssignInput,
    CannedChange,
    CannedDelete,
    CannedInput,
    CannedOut,
    ConversationBegin,
    ConversationMessageOut,
    ConversationOut,
    NoteInput,
    SnoozeInput,
    TakeoverInput,
)

NOT_FOUND = (services.NOT_FOUND[0],)
MOVED = (*NOT_FOUND, "InvalidRequest_400")
SAID = (
    "NoMessagesSent_400",
    "ChatAppTemplateNotFound_404",
    "InvalidChatAppTemplate_400",
    "InvalidVariables_400",
    services.TAKEN,
)


def _one(id: str) -> dict[str, Any]:
    found = ConversationOut.one(Conversation.objects.filter(pk=id))
    if found is None:
        raise NamedError(*services.NOT_FOUND)
    return found


def _message(id: str) -> dict[str, Any]:
    return ConversationMessageOut.one(ConversationMessage.objects.filter(pk=id)) or {}


def _messages(asked: ListRequest) -> QuerySet[ConversationMessage]:
    id = asked.path["id"]
    if not Conversation.objects.filter(pk=id).exists():
        raise NamedError(*services.NOT_FOUND)
    return ConversationMessage.objects.filter(conversation_id=id)


class ConversationViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing(
        "List conversations",
        Conversation.objects.all,
        CONVERSATION_FIELDS,
        ConversationOut,
        description="What people write by chat, and who answers: a chatbot, the queue, or a member.",
    )

    @endpoint(
        "Begin a conversation",
        input=ConversationBegin,
        output=ConversationOut,
        success="ConversationBegun_201",
        errors=("ContactNotFound_400", "ChatAppNotFound_404", "NoRecipientsSpecified_400", *SAID),
        description="By an approved template; free words may be said once the person has answered.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        return _one(services.begin(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a conversation", output=ConversationOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> Any:
        return _one(id)

    messages = list_action(
        Listing(
            "List the messages of a conversation",
            _messages,
            MESSAGE_FIELDS,
            ConversationMessageOut,
            errors=NOT_FOUND,
            description="The newest first, with the notes of members.",
        ),
        url_path="messages",
        detail=True,
    )

    @messages.mapping.post
    @endpoint(
        "Answer in a conversation",
        input=AnswerInput,
        output=ConversationMessageOut,
        success="MessagePlanned_201",
        errors=(*NOT_FOUND, *SAID),
        description="It goes at once. Who answers has the conversation; what a chatbot was about to say does not go.",
    )
    def answer(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        return _message(services.answer(id=id, member_id=self.actor.member_id, **data).pk)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Take a conversation over",
        input=TakeoverInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, services.TAKEN),
        permission="PUT",
        description="From a chatbot, or the queue; from another member only where insteadOf names them.",
    )
    def takeover(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        services.take_over(id=id, member_id=self.actor.member_id, **data)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Release a conversation",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=MOVED,
        permission="PUT",
        description="A chatbot goes on; where there is none, it waits for a member.",
    )
    def release(self, request: Request, id: str) -> Any:
        services.release(id=id, member_id=self.actor.member_id)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Assign a conversation",
        input=AssignInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, "MemberNotFound_404", "TeamNotFound_400"),
        permission="PUT",
    )
    def assign(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        services.assign(id=id, member_id=self.actor.member_id, **data)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Snooze a conversation",
        input=SnoozeInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=NOT_FOUND,
        permission="PUT",
        description="Until then, or until the person writes.",
    )
    def snooze(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        services.snooze(id=id, **data)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Close a conversation",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=MOVED,
        permission="PUT",
        description="Until the person writes again.",
    )
    def close(self, request: Request, id: str) -> Any:
        services.close(id=id, member_id=self.actor.member_id)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Mark a conversation as read",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=NOT_FOUND,
        permission="PUT",
    )
    def read(self, request: Request, id: str) -> Any:
        services.mark_read(id=id)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Write a note in a conversation",
        input=NoteInput,
        output=ConversationMessageOut,
        success="ConversationNoted_201",
        errors=NOT_FOUND,
        description="Members alone see it.",
    )
    def notes(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        return _message(services.add_note(id=id, member_id=self.actor.member_id, **data).pk)


def _canned(id: str) -> dict[str, Any]:
    found = CannedOut.one(CannedAnswer.objects.filter(pk=id))
    if found is None:
        raise NamedError(*canned.NOT_FOUND)
    return found


class CannedAnswerViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List canned answers", CannedAnswer.objects.all, CANNED_FIELDS, CannedOut)

    @endpoint("Write a canned answer", input=CannedInput, output=CannedOut, success="CannedAnswerCreated_201")
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        return _canned(canned.create(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a canned answer", output=CannedOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> Any:
        return _canned(id)

    @endpoint(
        "Update a canned answer",
        input=CannedChange,
        output=CannedOut,
        success="CannedAnswerUpdated_200",
        errors=NOT_FOUND,
    )
    def update(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        canned.update(id=id, member_id=self.actor.member_id, **data)
        return _canned(id)

    @endpoint(
        "Delete canned answers",
        input=CannedDelete,
        output=Deleted,
        bulk=True,
        success="CannedAnswersDeleted_200",
        errors=NOT_FOUND,
    )
    def bulk_destroy(self, request: Request, data: dict[str, Any]) -> Any:
        return {"deletedCount": canned.delete(selection=self.selection())}
