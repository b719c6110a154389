"""Use cases of manual chatbots: written, published, paused, tried."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.settings.groups import chatbot_defaults
from core.access import reserve_quota
from core.errors import DuplicateField, NamedError
from core.ids import new_id
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.records.writes.updates import refuse_changed
from outreach.chat.chatbots.engine import Bot, Step, replay
from outreach.chat.chatbots.models import DEFINITION, ManualChatbot
from outreach.chat.chatbots.replies import most_mb, published_bots
from outreach.chat.conversations.bots import Incoming

MODULE = "manual-chatbot"
NOT_FOUND = "NotFound_404"
WRONG = "InvalidRequest_400"
Status = ManualChatbot.Status
MERGED = ("handover", "routing", "attachments")
"""Objects of which a body may give some keys."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no chatbot of the company."""
    return NamedError(NOT_FOUND, "there is no such chatbot in this company", field="id")


def get_chatbot(id: str) -> ManualChatbot:
    """Return the company's chatbot with this id. Raises NotFound_404."""
    chatbot: ManualChatbot | None = ManualChatbot.objects.filter(pk=id).first()
    if chatbot is None:
        raise not_found()
    return chatbot


def _lock_chatbot(id: str) -> ManualChatbot:
    chatbot: ManualChatbot | None = ManualChatbot.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if chatbot is None:
        raise not_found()
    return chatbot


@transaction.atomic
def create_chatbot(*, member_id: str, **values: Any) -> ManualChatbot:
    """Create a chatbot as a draft. Defaults for missing values come from the settings (manualChatbot).

    Raises DuplicateField and PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    chatbot = ManualChatbot(created_by_id=member_id, updated_by_id=member_id)
    defaults = chatbot_defaults(company_id())
    chatbot.kind = defaults["kind"]
    for name in MERGED:
        setattr(chatbot, name, {**getattr(chatbot, name), **defaults[name]})
    _set(chatbot, values)
    return _save(chatbot)


@transaction.atomic
def update_chatbot(*, id: str, member_id: str, unchanged_since: str | None = None, **values: Any) -> ManualChatbot:
    """Change a chatbot. What is published stays as it is until it is published again; `status` publishes or pauses it.

    With `unchanged_since`, an updatedAt, it raises RecordChanged_409 if the chatbot has another one. Raises
    NotFound_404, InvalidRequest_400 for a status that it cannot get, and DuplicateField.
    """
    chatbot = _lock_chatbot(id)
    refuse_changed(chatbot.updated_at, unchanged_since)
    status = values.pop("status", chatbot.status)
    before = _definition(chatbot)
    _set(chatbot, values)
    if _definition(chatbot) != before and chatbot.latest_version == chatbot.published_version:
        chatbot.latest_version += 1
    chatbot.updated_by_id = member_id
    _save(chatbot)
    return chatbot if status == chatbot.status else _change_status(chatbot, status, member_id)


def _change_status(chatbot: ManualChatbot, status: str, member_id: str) -> ManualChatbot:
    if status == Status.DRAFT:
        advice = "; pause it so that it answers no more" if chatbot.status == Status.PUBLISHED else ""
        raise NamedError(WRONG, f"the chatbot is {chatbot.status} and cannot be a draft again{advice}", field="status")
    return (publish if status == Status.PUBLISHED else pause)(id=chatbot.pk, member_id=member_id)


def _set(chatbot: ManualChatbot, values: Values) -> None:
    for name, value in values.items():
        setattr(chatbot, name, {**getattr(chatbot, name), **value} if name in MERGED else value)


def normalize_name(name: str) -> str:
    """Return a name for comparison: in lower case, with one space between words."""
    return " ".join(name.casefold().split())[:200]


def _save(chatbot: ManualChatbot) -> ManualChatbot:
    chatbot.normalized_name = normalize_name(chatbot.name)
    try:
        with transaction.atomic():
            chatbot.save()
    except IntegrityError as error:
        if "name_unique" not in str(error):
            raise
        raise DuplicateField("name", "another chatbot has this name") from None
    return chatbot


def _definition(chatbot: ManualChatbot) -> JsonObject:
    return {name: getattr(chatbot, name) for name in DEFINITION}


@transaction.atomic
def publish(*, id: str, member_id: str) -> ManualChatbot:
    """Publish the chatbot as it is now: from a draft, again, or after a pause.

    Raises NotFound_404, and InvalidRequest_400 for one without text.
    """
    chatbot = _lock_chatbot(id)
    if not chatbot.conversations:
        raise NamedError(WRONG, "add at least one text", field="conversations")
    chatbot.published_snapshot = _definition(chatbot)
    chatbot.published_version = chatbot.latest_version
    chatbot.active_name = chatbot.name
    chatbot.published_at = timezone.now()
    chatbot.status = Status.PUBLISHED
    chatbot.updated_by_id = member_id
    chatbot.save()
    return chatbot


@transaction.atomic
def pause(*, id: str, member_id: str) -> ManualChatbot:
    """Pause the chatbot, so that it no longer answers. Members continue its conversations after the next message.

    Raises NotFound_404, and InvalidRequest_400 for one that is not published.
    """
    chatbot = _lock_chatbot(id)
    if chatbot.status != Status.PUBLISHED:
        raise NamedError(WRONG, f"the chatbot is {chatbot.status}; only a published one can be paused", field="status")
    chatbot.status = Status.PAUSED
    chatbot.updated_by_id = member_id
    chatbot.save()
    return chatbot


def test_conversation(*, id: str, messages: Sequence[Values], draft: bool) -> list[Step]:
    """Return a simulated conversation with the chatbot. Nobody receives anything. Raises NotFound_404.

    With `draft` its current text is used, otherwise the published one. Other published chatbots may take over.
    """
    chatbot = get_chatbot(id)
    snapshot = _definition(chatbot) if draft else chatbot.published_snapshot
    if snapshot is None:
        raise NamedError(WRONG, "the chatbot was never published; try the draft", field="draft")
    first = Bot(chatbot.pk, chatbot.latest_version if draft else chatbot.published_version, snapshot)
    return _replay_messages(first, messages)


def test_words(*, messages: Sequence[Values], id: str | None, **values: Any) -> list[Step]:
    """Return a simulated conversation with an unsaved chatbot, or with unsaved changes of one.

    Nobody receives anything. Raises NotFound_404.
    """
    chatbot = ManualChatbot(id=new_id()) if id is None else get_chatbot(id)
    if id is None:
        defaults = chatbot_defaults(company_id())
        _set(chatbot, {"kind": defaults["kind"], **{name: defaults[name] for name in MERGED}})
    _set(chatbot, values)
    return _replay_messages(Bot(chatbot.pk, chatbot.latest_version, _definition(chatbot)), messages)


def _replay_messages(first: Bot, messages: Sequence[Values]) -> list[Step]:
    """Replay a conversation that begins with the chatbot; other published ones may take over."""
    bots = [first, *(bot for bot in published_bots() if bot.id != first.id)]
    now = timezone.now()
    said = [
        Incoming(message["text"], now + timedelta(minutes=message.get("minute", 0)), file_mb=message.get("file_mb"))
        for message in messages
    ]
    return replay(bots, said, most_mb={bot.id: most_mb(bot.snapshot) for bot in bots}, first=first)


@transaction.atomic
def delete_chatbots(*, selection: BulkSelection) -> int:
    """Delete the selected chatbots. Members continue their conversations. Raises NotFound_404 when ids name none."""
    deleted = 0
    for ids in in_batches(selection.apply(ManualChatbot.objects.all()), lock=True):
        ManualChatbot.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a chatbot of this company", field="ids")
    return deleted


@transaction.atomic
def delete_chatbot(*, id: str) -> None:
    """Delete a chatbot. Raises NotFound_404."""
    _lock_chatbot(id).delete()
