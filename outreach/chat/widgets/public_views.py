"""/api/public/widget/<token>: the requests of a widget's script, from the websites that the widget allows.

No cookie is read or set: a visitor is known by a signed token in the body. Browsers name the website (Origin) with each
POST, and with each GET to another origin; one that the widget does not allow gets a 403.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.utils import timezone
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access.callers import caller_of
from core.api.cross_origin import CrossOriginViewSet
from core.api.endpoint import endpoint
from core.errors import NamedError
from core.tenancy import company_scope
from core.types import JsonObject
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.widgets import chat_sessions, visitors
from outreach.chat.widgets.hours import is_open
from outreach.chat.widgets.models import ChatWidget, WidgetVisitor
from outreach.chat.widgets.public_serializers import (
    OfflineInput,
    OfflineTaken,
    PollInput,
    SayInput,
    StartInput,
    VisitorInput,
    WidgetConfig,
    WidgetTalk,
)
from outreach.chat.widgets.services import config_of

ERRORS = (visitors.NOT_FOUND, "WebsiteNotAllowed_403", "InvalidPayload_400")
OF_VISITOR = (*ERRORS, visitors.UNKNOWN)
MAX_BYTES = 32 * 1024


class WidgetViewSet(CrossOriginViewSet):
    public = True

    widget: ChatWidget

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self._open(request, kwargs["token"])
        length = request.headers.get("Content-Length") or "0"
        if not length.isdigit() or int(length) > MAX_BYTES:
            raise NamedError("InvalidPayload_400", f"is larger than {MAX_BYTES} bytes", field="body")
        self._scope.enter_context(company_scope(self.widget.company_id))

    def _open(self, request: Request, token: str) -> None:
        """Find the widget, and check the website. Raises WidgetNotFound_404 and WebsiteNotAllowed_403."""
        self.widget = visitors.open_widget(token)
        origin = request.headers.get("Origin", "")
        if not origin and request.method == "GET":
            return  # no script of another website reads the answer
        if origin.lower() not in self.widget.allowed_origins:
            raise NamedError("WebsiteNotAllowed_403", "this chat isn't available on this website", field="Origin")
        self.origin = origin

    @action(detail=False, methods=["get"])
    @endpoint("Read how a widget looks", output=WidgetConfig, errors=ERRORS)
    def config(self, request: Request, token: str) -> object:
        return config_of(self.widget, offline=self._is_offline())

    @action(detail=False, methods=["post"])
    @endpoint(
        "Begin a chat on a website",
        input=StartInput,
        output=WidgetTalk,
        success="WidgetVisitorStarted_201",
        errors=ERRORS,
        limited=True,
        description="Answers the token by which the visitor is known for 30 days after their last message.",
    )
    def start(self, request: Request, token: str, data: JsonObject) -> object:
        visitor = visitors.begin(self.widget, caller_of(request).network, **data)
        return _talk(visitor, None, [])

    @action(detail=False, methods=["post"])
    @endpoint(
        "Write in a chat on a website",
        input=SayInput,
        output=WidgetTalk,
        success="WidgetMessageTaken_201",
        errors=OF_VISITOR,
        limited=True,
    )
    def messages(self, request: Request, token: str, data: JsonObject) -> object:
        visitor = visitors.get_visitor(self.widget, data["visitor"])
        visitors.MESSAGES.count(visitor.pk)
        visitors.NETWORK_MESSAGES.count(caller_of(request).network)
        message = chat_sessions.write(self.widget, visitor, text=data["text"], key=data["key"])
        conversation = chat_sessions.conversation_of(visitor)
        since = chat_sessions.messages_of(conversation, message.happened_at) if conversation else [message]
        return _talk(visitor, conversation, since)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Ask what is new in a chat on a website",
        input=PollInput,
        output=WidgetTalk,
        errors=OF_VISITOR,
        limited=True,
        description="Answers at once, and in `pause` when to ask again. Messages of the last seconds before `after`"
        " come again: tell them apart by _id.",
    )
    def poll(self, request: Request, token: str, data: JsonObject) -> object:
        visitor = visitors.get_visitor(self.widget, data["visitor"])
        visitors.POLLS.count(visitor.pk)
        conversation = chat_sessions.conversation_of(visitor)
        is_quiet = conversation is None or chat_sessions.is_quiet(conversation, data["after"])
        messages = [] if conversation is None or is_quiet else chat_sessions.messages_of(conversation, data["after"])
        return _talk(visitor, conversation, messages, data["visitor"], data["after"])

    @action(detail=False, methods=["post"])
    @endpoint("Note that a visitor has read", input=VisitorInput, success="OK_200", errors=OF_VISITOR, limited=True)
    def read(self, request: Request, token: str, data: JsonObject) -> object:
        visitor = visitors.get_visitor(self.widget, data["visitor"])
        visitors.POLLS.count(visitor.pk)
        chat_sessions.mark_read(visitor)
        return None

    @action(detail=False, methods=["post"])
    @endpoint(
        "Leave a message on a website",
        input=OfflineInput,
        output=OfflineTaken,
        success="WidgetMessageTaken_201",
        errors=(*ERRORS, "InvalidRequest_400"),
        limited=True,
        description="While nobody is there (`offline` of config; else InvalidRequest_400: begin a chat). It needs an"
        " email address, and makes a contact and a lead as a chat does.",
    )
    def offline(self, request: Request, token: str, data: JsonObject) -> object:
        if not self._is_offline():
            raise NamedError("InvalidRequest_400", "somebody is there now; begin a chat by start", field="offline")
        key = data["key"]
        visitor = visitors.begin(
            self.widget,
            caller_of(request).network,
            answers=data["answers"],
            page=data["page"],
            needed=("email",),
            key=key,
        )
        said = sha256(data["text"].encode()).hexdigest()[:16]
        chat_sessions.write(self.widget, visitor, text=data["text"], key=f"{key}:{said}", offline=True)
        return {"taken": True}

    def _is_offline(self) -> bool:
        return bool(self.widget.offline_form and not is_open(self.widget.business_hours, timezone.now()))


def _talk(
    visitor: WidgetVisitor,
    conversation: Conversation | None,
    messages: Any,
    token: str = "",
    after: Any = None,
) -> JsonObject:
    shown = [_message(message, visitor) for message in messages]
    return {
        "visitor": token or visitors.sign(visitor),
        "state": conversation.state if conversation else "",
        "messages": shown,
        "after": shown[-1]["happenedAt"] if shown else after,
        "unread": chat_sessions.unread_of(conversation, visitor) if conversation else 0,
        "pause": chat_sessions.pause_after(conversation),
    }


def _message(message: ConversationMessage, visitor: WidgetVisitor) -> JsonObject:
    is_in = message.direction == ConversationMessage.Direction.IN
    by_member = message.author == ConversationMessage.Author.MEMBER
    name = message.member.user.name if by_member and message.member is not None and message.member.user else ""
    answered_by = "member" if by_member else "bot"
    return {
        "_id": message.pk,
        "by": "visitor" if is_in else answered_by,
        "name": name.split()[0] if name.split() else "",
        "text": message.text,
        "key": (message.external_id or "").removeprefix(chat_sessions.prefix_of(visitor)) if is_in else "",
        "happenedAt": message.happened_at,
    }
