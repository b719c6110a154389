"""Endpoints of manual chatbots (contract 4.12)."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.chat.chatbots import services
from outreach.chat.chatbots.engine import Step
from outreach.chat.chatbots.filters import CHATBOT_FIELDS
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.chatbots.serializers import (
    ChatbotChange,
    ChatbotCreate,
    ChatbotDelete,
    ChatbotOut,
    TestInput,
    TestOut,
    TestWordsInput,
)

NOT_FOUND = ("NotFound_404",)
WRONG = (*NOT_FOUND, services.WRONG)


def _chatbot_data(id: str) -> JsonObject:
    services.get_chatbot(id)
    return ChatbotOut.one(ManualChatbot.objects.filter(pk=id)) or {}


class ManualChatbotViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List chatbots", ManualChatbot.objects.all, CHATBOT_FIELDS, ChatbotOut)

    @endpoint(
        "Create a chatbot",
        input=ChatbotCreate,
        output=ChatbotOut,
        success="ChatbotCreated_201",
        quota_module=services.MODULE,
        description="A draft. What the body leaves out comes from the settings (manualChatbot).",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return _chatbot_data(services.create_chatbot(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a chatbot", output=ChatbotOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return _chatbot_data(id)

    @endpoint(
        "Update a chatbot",
        input=ChatbotChange,
        output=ChatbotOut,
        success="ChatbotUpdated_200",
        errors=(*WRONG, "RecordChanged_409"),
        description="What is published stays as it is until POST …/publish, or `status: published` here.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_chatbot(id=id, member_id=self.actor.member_id, **data)
        return _chatbot_data(id)

    @endpoint(
        "Delete chatbots",
        input=ChatbotDelete,
        output=Deleted,
        bulk=True,
        success="ChatbotsDeleted_200",
        errors=NOT_FOUND,
        description="People go on with their conversations.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_chatbots(selection=self.selection())}

    @endpoint("Delete a chatbot", output=Deleted, success="ChatbotsDeleted_200", errors=NOT_FOUND)
    def destroy(self, request: Request, id: str) -> object:
        services.delete_chatbot(id=id)
        return {"deletedCount": 1}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Publish a chatbot",
        output=ChatbotOut,
        success="ChatbotPublished_200",
        errors=WRONG,
        permission="PUT",
        description="From now on it answers as it is written now, also after a pause.",
        transition=True,
    )
    def publish(self, request: Request, id: str) -> object:
        services.publish(id=id, member_id=self.actor.member_id)
        return _chatbot_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Pause a chatbot",
        output=ChatbotOut,
        success="ChatbotPaused_200",
        errors=WRONG,
        permission="PUT",
        description="It answers no more until it is published again; people go on with its conversations.",
        transition=True,
    )
    def pause(self, request: Request, id: str) -> object:
        services.pause(id=id, member_id=self.actor.member_id)
        return _chatbot_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Try a conversation with a chatbot",
        input=TestInput,
        output=TestOut,
        errors=WRONG,
        permission="GET",
        description="Nobody gets anything. Other published chatbots may take over, as they would.",
    )
    def test(self, request: Request, id: str, data: JsonObject) -> object:
        return _replay_data(services.test_conversation(id=id, **data))

    @action(detail=False, methods=["post"], url_path="test")
    @endpoint(
        "Try a conversation with a chatbot that is not saved",
        input=TestWordsInput,
        output=TestOut,
        errors=NOT_FOUND,
        permission="GET",
        description="Nobody gets anything. Other published chatbots may take over, as they would.",
    )
    def test_words(self, request: Request, data: JsonObject) -> object:
        return _replay_data(services.test_words(id=data.pop("chatbot_id", None), **data))


def _replay_data(steps: list[Step]) -> JsonObject:
    handed = any(step.reaction is None or step.reaction.hand_over for step in steps)
    return {"steps": [_step_data(step) for step in steps], "handedOver": handed}


def _step_data(step: Step) -> JsonObject:
    reaction = step.reaction
    return {
        "text": step.said,
        "chatbot": reaction.bot.id if reaction else None,
        "name": reaction.bot.name if reaction else "",
        "answers": list(reaction.texts) if reaction else [],
        "handOver": reaction.hand_over if reaction else "no chatbot",
        "conversation": reaction.said if reaction else None,
        "rules": sorted(int(place) for place in reaction.memory.met) if reaction else [],
    }
