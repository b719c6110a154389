"""Published chatbots in conversations: the choice of the chatbot that answers, and its actions after some time."""

from __future__ import annotations

from time import monotonic

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.settings.groups import chatbot_defaults
from core.jobs.registry import Moment
from core.tenancy import company_id, company_scope, unscoped
from core.types import Values
from outreach.chat.chatbots.engine import TOO_LARGE, Bot, Memory, Reaction, choose, react
from outreach.chat.chatbots.models import FILE_MB, ManualChatbot
from outreach.chat.conversations.bots import BotReply, Incoming
from outreach.chat.conversations.incoming import apply, enter
from outreach.chat.conversations.media import Limit
from outreach.chat.conversations.models import Conversation
from outreach.chat.conversations.states import BOT
from outreach.chat.conversations.targets import save_with_target

BATCH = 200


def published_bots() -> list[Bot]:
    """Return the company's published chatbots, the oldest first."""
    rows = ManualChatbot.objects.filter(status=ManualChatbot.Status.PUBLISHED).order_by("pk")
    bots = rows.values_list("pk", "published_version", "published_snapshot")
    return [Bot(pk, version, snapshot or {}) for pk, version, snapshot in bots]


def most_mb(snapshot: Values) -> float:
    """Return how large a file may be for a chatbot: its own limit, or that of the company's settings."""
    own = snapshot.get("attachments", {})
    limits = own if own.get("custom") else chatbot_defaults(company_id())["attachments"]
    return float(limits.get("maxFileSizeMb") or FILE_MB)


def answer(conversation: Conversation, incoming: Incoming | None) -> BotReply | None:
    """Answer in a conversation. None: no chatbot has to do with it."""
    bots = published_bots()
    current = next((bot for bot in bots if bot.id == conversation.chatbot_id), None)
    now = timezone.now()
    if incoming is None:
        if current is None:
            current = choose(bots, "")
        if current is None:
            return None
        return _bot_reply(react(current, Memory.read(conversation.bot, now), None, now, most_mb=FILE_MB))
    began = conversation.chatbot_id is not None and bool(conversation.bot)
    if current is None and began:
        return None  # it was paused or deleted while it was at work: people go on
    chosen = choose(bots, incoming.text, current)
    if chosen is None:
        return None
    stored = conversation.bot if current is not None and chosen.id == current.id else {}
    return _bot_reply(react(chosen, Memory.read(stored, now), incoming, now, most_mb=most_mb(chosen.snapshot)))


def _bot_reply(reaction: Reaction) -> BotReply:
    memory = reaction.memory.write(reaction.bot)
    return BotReply(reaction.bot.id, memory, reaction.texts, reaction.hand_over, reaction.due_at)


def file_limit(conversation: Conversation) -> Limit | None:
    """Return how large a file the chatbot of a conversation takes; None without one."""
    own_bot = next((bot for bot in published_bots() if bot.id == conversation.chatbot_id), None)
    if own_bot is None:
        return None
    most = most_mb(own_bot.snapshot)
    return Limit(most, TOO_LARGE.format(most=f"{most:g}"))


def due_conversations(now: Moment) -> list[QuerySet[Conversation]]:
    """Return the conversations in which a time-dependent action of a chatbot is due."""
    return [Conversation.objects.filter(bot_due_at__lte=now)]


def process_due(deadline: float) -> None:
    """Hand over the conversations whose time is reached, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: conversations of all companies whose chatbot is to look at the time"):
            due = Conversation.objects.filter(bot_due_at__lte=timezone.now()).order_by("bot_due_at", "pk")
            pairs = list(due.values_list("pk", "company_id")[:BATCH])
        if not pairs:
            return
        for pk, company in pairs:
            with company_scope(company):
                _resume(pk)


@transaction.atomic
def _resume(id: str) -> None:
    # SKIP LOCKED: another worker or a new message handles the conversation right now.
    rows = Conversation.objects.select_for_update(of=("self",), skip_locked=True)
    conversation = rows.filter(pk=id, bot_due_at__lte=timezone.now()).first()
    if conversation is None:
        return
    conversation.bot_due_at = None
    if conversation.state == BOT:
        said = answer(conversation, None)
        apply(conversation, said)
        if said is None:
            enter(conversation, "hand_over")
    save_with_target(conversation)
