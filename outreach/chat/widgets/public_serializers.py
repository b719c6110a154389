"""Bodies and answers of widgets, for visitors of websites."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.input import Input, LineInput, TextInput
from core.api.output import Computed, IdField, Output
from outreach.chat.conversations.models import Conversation
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.texts import TYPES

MAX_MESSAGE_LENGTH = 2000
"""Characters of a message."""


class AnswersInput(serializers.DictField):
    """Visitors' answers about themselves, by the keys of the questions."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=LineInput(max_length=500, allow_blank=True), **options)


class StartInput(Input):
    """A visitor who begins to write."""

    answers = AnswersInput(required=False, default=dict)
    page = LineInput(max_length=500, allow_blank=True, required=False, default="", help_text="Where they are.")


class VisitorInput(Input):
    visitor = LineInput(max_length=200, help_text="What the start has answered.")


class SayInput(VisitorInput):
    """A message."""

    text = TextInput(max_length=MAX_MESSAGE_LENGTH)
    key = LineInput(max_length=40, help_text="The visitor's own for this message: sent twice it is stored once.")


class PollInput(VisitorInput):
    """A request for new messages."""

    after = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="As answered before.")


class OfflineInput(StartInput):
    """A message while nobody is there."""

    text = TextInput(max_length=MAX_MESSAGE_LENGTH)
    key = LineInput(
        max_length=40,
        required=False,
        allow_blank=True,
        default="",
        help_text="The visitor's own: the same words with it, sent twice by an address, are stored once.",
    )


class PreChatOut(Output):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    type = serializers.ChoiceField(TYPES)
    required = serializers.BooleanField()  # type: ignore[assignment]


class WidgetConfig(Output):
    """Configuration of a widget for the script."""

    color = Computed(serializers.CharField())
    position = Computed(serializers.ChoiceField(ChatWidget.Position.values))
    greeting = Computed(serializers.CharField())
    texts = Computed(serializers.DictField(child=serializers.CharField()))
    preChat = Computed(PreChatOut(many=True))
    offline = Computed(serializers.BooleanField(help_text="Nobody is there: show the form."))


class WidgetMessage(Output):
    """A message as the visitor sees it."""

    _id = Computed(IdField())
    by = Computed(serializers.ChoiceField(("visitor", "bot", "member")))
    name = Computed(serializers.CharField(allow_blank=True, help_text="The first name of who answers."))
    text = Computed(serializers.CharField(allow_blank=True))
    key = Computed(serializers.CharField(allow_blank=True, help_text="The visitor's own, of what they have written."))
    happenedAt = Computed(serializers.DateTimeField())


class WidgetTalk(Output):
    """New messages of a visitor's conversation."""

    visitor = Computed(serializers.CharField(help_text="Their token from now on."))
    state = Computed(serializers.ChoiceField(("", *Conversation.State.values)))
    messages = Computed(WidgetMessage(many=True))
    after = Computed(serializers.DateTimeField(allow_null=True, help_text="To ask with next."))
    unread = Computed(serializers.IntegerField())
    pause = Computed(serializers.IntegerField(help_text="Seconds until the next question."))


class OfflineTaken(Output):
    """The message has come."""

    taken = Computed(serializers.BooleanField())
