"""Endpoints of the assistant: for members, and for agents, which are programs with a key."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject
from outreach.insights.crm_chat import services
from outreach.insights.crm_chat.filters import MESSAGE_FIELDS, THREAD_FIELDS
from outreach.insights.crm_chat.models import CrmChatMessage
from outreach.insights.crm_chat.serializers import (
    AgentQuestion,
    AssistantMessageOut,
    AssistantQuestionInput,
    ThreadCreate,
    ThreadDelete,
    ThreadOut,
    ThreadWithMessages,
)

NOT_FOUND = (services.NOT_FOUND,)
APP_ERRORS = (
    "InvalidAIType_400",
    "AiANotAvailableInPlan_400",
    "AiBNotAvailableInPlan_400",
    "NoDefaultAiAConfiguration_400",
    "NoDefaultAiBConfiguration_400",
)
SHOWN = 50
"""Questions of a conversation that its own answer has."""
HOW = (
    " A worker answers it, from lists that the asker may read at that moment, and says which; it changes nothing."
    " Only who asked sees the conversation."
)


def _threads(request: ListRequest) -> Any:
    return services.threads_of(request.actor.member_id)


def _messages(request: ListRequest) -> Any:
    thread = services.get_thread(id=request.path["id"], member_id=request.actor.member_id)
    return CrmChatMessage.objects.filter(thread=thread)


MESSAGES = Listing(
    "List the questions of a conversation", _messages, MESSAGE_FIELDS, AssistantMessageOut, errors=NOT_FOUND
)


def message_of(id: str, member_id: str) -> JsonObject:
    """Return a question of the member's. Raises NotFound_404."""
    message = AssistantMessageOut.one(services.messages_of(member_id).filter(pk=id))
    if message is None:
        raise NamedError(services.NOT_FOUND, "you have asked no such question", field="id")
    return message


class CrmChatViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List one's conversations with the assistant", _threads, THREAD_FIELDS, ThreadOut)

    def _thread_data(self, id: str) -> JsonObject:
        member = self.actor.member_id
        services.get_thread(id=id, member_id=member)
        thread = ThreadOut.one(services.threads_of(member).filter(pk=id)) or {}
        newest = AssistantMessageOut.project(CrmChatMessage.objects.filter(thread=id).order_by("-created_at", "-pk"))[
            :SHOWN
        ]
        return {**thread, "messages": [AssistantMessageOut.render(row) for row in reversed(newest)]}

    @endpoint(
        "Begin a conversation with the assistant",
        input=ThreadCreate,
        output=ThreadWithMessages,
        success="AssistantThreadCreated_201",
        errors=APP_ERRORS,
        quota_module=services.MODULE,
        description="With a `question`, it is asked at once." + HOW,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._thread_data(services.create_thread(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a conversation with the assistant", output=ThreadWithMessages, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return self._thread_data(id)

    @endpoint(
        "Delete conversations with the assistant",
        input=ThreadDelete,
        output=Deleted,
        bulk=True,
        success="AssistantThreadsDeleted_200",
        errors=NOT_FOUND,
        permission="GET",
        description="One's own alone. A question that is being answered ends without an answer.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_threads(member_id=self.actor.member_id, selection=self.selection())}

    messages = list_action(MESSAGES, url_path="messages", detail=True)

    @messages.mapping.post  # type: ignore[untyped-decorator]  # DRF's mapping has no types
    @endpoint(
        "Ask the assistant",
        input=AssistantQuestionInput,
        output=AssistantMessageOut,
        success="QuestionAsked_201",
        errors=(*NOT_FOUND, *APP_ERRORS),
        description="GET the conversation until `status` is completed or failed." + HOW,
    )
    def ask(self, request: Request, id: str, data: JsonObject) -> object:
        member = self.actor.member_id
        return message_of(services.ask_question(id=id, member_id=member, **data).pk, member)


class AgentViewSet(ResourceViewSet):
    """Questions of programs. An expired key is refused here, even if the settings accept expired keys elsewhere."""

    module = services.MODULE
    enforce_key_expiry = True

    @endpoint(
        "Ask as an agent",
        input=AgentQuestion,
        output=AssistantMessageOut,
        success="QuestionAsked_201",
        errors=(*NOT_FOUND, *APP_ERRORS),
        quota_module=services.MODULE,
        description="For programs, by an API key. GET /agent/:id until `status` is completed or failed." + HOW + " The"
        " conversation is the key's maker's, whose role and plan say what is read. A temporary key is refused once its"
        " durationMinutes are over (ExpiredSession_401), whatever the installation says of keys at other addresses.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        member, thread = self.actor.member_id, data.pop("thread", None)
        if thread is None:
            thread = services.create_thread(member_id=member, title=services.title_of(data["question"])).pk
        return message_of(services.ask_question(id=thread, member_id=member, **data).pk, member)

    @endpoint("Read an agent's question and its answer", output=AssistantMessageOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return message_of(id, self.actor.member_id)
