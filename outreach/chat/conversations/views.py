"""Endpoints of conversations and of answer times."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, PermissionLacking
from core.types import JsonObject
from crm.files.selectors import readable_files
from outreach.chat.conversations import services, targets
from outreach.chat.conversations.answerers import answerers
from outreach.chat.conversations.channels import CHANNELS, MODULES, seen_by
from outreach.chat.conversations.filters import ANSWER_TIME_FIELDS, CONVERSATION_FIELDS, MESSAGE_FIELDS
from outreach.chat.conversations.models import AnswerTime, Conversation, ConversationMessage
from outreach.chat.conversations.serializers import (
    Answerers,
    AnswerInput,
    AnswerTimeChange,
    AnswerTimeDelete,
    AnswerTimeOut,
    AssignInput,
    ContactInput,
    ConversationBegin,
    ConversationMessageOut,
    ConversationOut,
    LeadInput,
    NoteInput,
    ReadInput,
    SnoozeInput,
    TakeoverInput,
)

NOT_FOUND = (services.NOT_FOUND,)
MOVED = (*NOT_FOUND, "InvalidRequest_400")
MOVES: JsonObject = {"permission": "PUT", "transition": True}
MADE = (
    "ContactAlreadyExists_400",
    "ContactDataRequired_400",
    "InvalidCustomField_400",
    "InvalidCustomFieldValue_400",
    "InvalidSystemField_400",
    "PlanLimitExceeded_403",
)
SAID = (
    "NoMessagesSent_400",
    "ChatAppTemplateNotFound_404",
    "InvalidChatAppTemplate_400",
    "InvalidVariables_400",
    services.TAKEN,
)


def _conversation_data(id: str) -> JsonObject:
    conversation = ConversationOut.one(Conversation.objects.filter(pk=id))
    if conversation is None:
        raise services.not_found()
    return conversation


def _message(id: str) -> JsonObject:
    return ConversationMessageOut.one(ConversationMessage.objects.filter(pk=id)) or {}


def _visible_conversations(actor: Actor, method: str = "GET") -> QuerySet[Conversation]:
    """Return the conversations on which the actor may use the method, by the modules of their channels."""
    keys = seen_by(actor, method)
    rows: QuerySet[Conversation] = Conversation.objects.all()
    return rows if len(keys) == len(CHANNELS) else rows.filter(channel__in=keys)


def _conversations(request: ListRequest) -> QuerySet[Conversation]:
    return _visible_conversations(request.actor)


def _messages(request: ListRequest) -> QuerySet[ConversationMessage]:
    id = request.path["id"]
    if not _visible_conversations(request.actor).filter(pk=id).exists():
        raise services.not_found()
    return ConversationMessage.objects.filter(conversation_id=id)


class ConversationViewSet(ResourceViewSet):
    module = services.MODULE
    alternate_modules = MODULES[1:]
    listing = Listing(
        "List conversations",
        _conversations,
        CONVERSATION_FIELDS,
        ConversationOut,
        description="What people write by chat and in reply to mail, and who answers: a chatbot, the queue, or a"
        " member. A role sees the channels whose module it has: mail is genie's.",
        whole=MODULES[1:],
    )

    def _reach(self, id: str) -> JsonObject:
        """Return whose the change is. Raises NotFound_404 for a conversation that the actor may not change."""
        method = (self.request.method or "").upper()
        needed = "PUT" if method == "POST" else method
        if self.action in ("answer", "notes"):
            needed = "POST"
        if not _visible_conversations(self.actor, needed).filter(pk=id).exists():
            raise services.not_found()
        return {"id": id, "member_id": self.actor.member_id}

    @endpoint(
        "Begin a conversation",
        input=ConversationBegin,
        output=ConversationOut,
        success="ConversationBegun_201",
        errors=("ContactNotFound_400", "ChatAppNotFound_404", "NoRecipientsSpecified_400", *SAID),
        description="By an approved template; free words may be said once the person has answered.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _conversation_data(services.begin(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a conversation", output=ConversationOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        conversation = ConversationOut.one(_visible_conversations(self.actor).filter(pk=id))
        if conversation is None:
            raise services.not_found()
        return conversation

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

    @messages.mapping.post  # type: ignore[untyped-decorator]  # DRF's mapping has no types
    @endpoint(
        "Answer in a conversation",
        input=AnswerInput,
        output=ConversationMessageOut,
        success="MessagePlanned_201",
        errors=(*NOT_FOUND, *SAID, "FileNotFound_400"),
        description="It goes at once. Who answers has the conversation; what a chatbot was about to say does not go.",
    )
    def answer(self, request: Request, id: str, data: JsonObject) -> object:
        reached = self._reach(id)
        if data.get("file"):
            self._check_file(data["file"])
        return _message(services.send_answer(**reached, **data).pk)

    def _check_file(self, id: str) -> None:
        """Raise UnauthorizedAction_403 or FileNotFound_400 for a file that the actor may not read."""
        if not (self.actor.is_unbounded or self.actor.may("file", "GET")):
            raise PermissionLacking("file.GET", field="file")
        if not readable_files(self.actor).filter(pk=id, trashed_at=None).exists():
            raise NamedError("FileNotFound_400", "there is no such file in this company", field="file")

    @action(detail=True, methods=["post"])
    @endpoint(
        "Take a conversation over",
        input=TakeoverInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, services.TAKEN, "MemberNotFound_404"),
        **MOVES,
        description="From a chatbot, or the queue; from another member only where insteadOf names them. One that does"
        " not have it is refused.",
    )
    def takeover(self, request: Request, id: str, data: JsonObject) -> object:
        services.take_over(**self._reach(id), **data)
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Release a conversation",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=MOVED,
        **MOVES,
        description="A chatbot goes on; where there is none, it waits for a member.",
    )
    def release(self, request: Request, id: str) -> object:
        services.release(**self._reach(id))
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Assign a conversation",
        input=AssignInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, "MemberNotFound_404", "TeamNotFound_400"),
        **MOVES,
    )
    def assign(self, request: Request, id: str, data: JsonObject) -> object:
        services.assign(**self._reach(id), **data)
        return _conversation_data(id)

    @action(detail=True, methods=["get"])
    @endpoint(
        "Read who may answer a conversation",
        output=Answerers,
        errors=NOT_FOUND,
        description="Owners, and members whose role may POST in the module of its channel: whom it may be assigned to.",
    )
    def answerers(self, request: Request, id: str) -> object:
        channel = _visible_conversations(self.actor).filter(pk=id).values_list("channel", flat=True).first()
        if channel is None:
            raise services.not_found()
        return {
            "members": [{"_id": member.pk, "name": member.name, "email": member.email} for member in answerers(channel)]
        }

    @action(detail=True, methods=["post"])
    @endpoint(
        "Snooze a conversation",
        input=SnoozeInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=NOT_FOUND,
        **MOVES,
        description="Until then, or until the person writes.",
    )
    def snooze(self, request: Request, id: str, data: JsonObject) -> object:
        self._reach(id)
        services.snooze(id=id, **data)
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Close a conversation",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=MOVED,
        **MOVES,
        description="Until the person writes again.",
    )
    def close(self, request: Request, id: str) -> object:
        services.close(**self._reach(id))
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Mark a conversation as read or unread",
        input=ReadInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=NOT_FOUND,
        permission="PUT",
    )
    def read(self, request: Request, id: str, data: JsonObject) -> object:
        self._reach(id)
        services.mark_read(id=id, **data)
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Open a closed conversation again",
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=MOVED,
        **MOVES,
        description="It waits for a member.",
    )
    def reopen(self, request: Request, id: str) -> object:
        services.reopen(**self._reach(id))
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Say who writes in a conversation",
        input=ContactInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, *MADE, "ContactNotFound_400"),
        permission="PUT",
        description="A website's visitor has no contact until an email address or number is known: it is found by"
        " them, or made, also by a name alone. That needs contact.POST.",
    )
    def contact(self, request: Request, id: str, data: JsonObject) -> object:
        may_create = self.actor.is_unbounded or self.actor.may("contact", "POST")
        may_read = self.actor.is_unbounded or self.actor.may("contact", "GET")
        services.set_contact(**self._reach(id), **data, may_create=may_create, may_read=may_read)
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Say which lead a conversation is about",
        input=LeadInput,
        output=ConversationOut,
        success="ConversationChanged_200",
        errors=(*MOVED, "LeadNotFound_400"),
        permission="PUT",
    )
    def lead(self, request: Request, id: str, data: JsonObject) -> object:
        services.set_lead(**self._reach(id), **data)
        return _conversation_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Write a note in a conversation",
        input=NoteInput,
        output=ConversationMessageOut,
        success="ConversationNoted_201",
        errors=NOT_FOUND,
        description="Members alone see it.",
    )
    def notes(self, request: Request, id: str, data: JsonObject) -> object:
        return _message(services.add_note(**self._reach(id), **data).pk)


def _times(id: str) -> JsonObject:
    answer_time = AnswerTimeOut.one(AnswerTime.objects.filter(pk=id))
    if answer_time is None:
        raise targets.not_found()
    return answer_time


class AnswerTimeViewSet(ResourceViewSet):
    module = services.MODULE
    alternate_modules = MODULES[1:]
    listing = Listing(
        "List answer times",
        AnswerTime.objects.all,
        ANSWER_TIME_FIELDS,
        AnswerTimeOut,
        description="How soon members of each team are to answer. Who waits for longer is told (conversation.delayed).",
    )

    @endpoint(
        "Set answer times of a team",
        input=AnswerTimeChange,
        output=AnswerTimeOut,
        success="AnswerTimeCreated_201",
        errors=("TeamNotFound_400",),
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _times(targets.create(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read answer times", output=AnswerTimeOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _times(id)

    @endpoint(
        "Update answer times",
        input=AnswerTimeChange,
        output=AnswerTimeOut,
        success="AnswerTimeUpdated_200",
        errors=(*NOT_FOUND, "TeamNotFound_400"),
        description="Conversations that wait already keep the time until which they are to be answered.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        targets.update(id=id, member_id=self.actor.member_id, **data)
        return _times(id)

    @endpoint(
        "Delete answer times",
        input=AnswerTimeDelete,
        output=Deleted,
        bulk=True,
        success="AnswerTimesDeleted_200",
        errors=NOT_FOUND,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": targets.delete(selection=self.selection())}
