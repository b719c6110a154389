"""Replies of chatbots: pure functions of the published chatbot, of its memory and of a person's message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.types import JsonObject, Values
from outreach.chat.conversations.bots import Incoming

FLOW_FINISHED = "flow_finished"
CONTAINS_TEXT = "contains_text"
MESSAGE_COUNT = "message_count"
TIME_BASED = "time_based"
RULES = (FLOW_FINISHED, CONTAINS_TEXT, MESSAGE_COUNT, TIME_BASED)
TOO_LARGE = "That file is too large: at most {most} MB can be taken."


@dataclass(frozen=True)
class Bot:
    """A chatbot as it was published."""

    id: str
    version: int
    snapshot: Values

    @property
    def name(self) -> str:
        return str(self.snapshot.get("name", ""))

    @property
    def texts(self) -> list[str]:
        """Return its texts in their order."""
        rows = self.snapshot.get("conversations", ())
        return [row["text"] for row in sorted(rows, key=lambda row: row.get("order", 0))]

    @property
    def routes(self) -> bool:
        return self.snapshot.get("kind") == "router"

    def routing(self, name: str) -> bool:
        return bool(self.snapshot.get("routing", {}).get(name, True))


@dataclass(frozen=True)
class Memory:
    """The progress of a conversation with its chatbot."""

    since: datetime
    position: int = 0
    """Number of its texts that it has sent."""
    messages: int = 0
    """Number of messages of the person to it."""
    met: frozenset[str] = field(default_factory=frozenset)
    """The places of handover rules that have come true."""

    @classmethod
    def read(cls, stored: Values, now: datetime) -> Memory:
        """Return the stored memory, or a new one."""
        if not stored.get("since"):
            return cls(now)
        since = datetime.fromisoformat(stored["since"])
        return cls(since, stored.get("position", 0), stored.get("messages", 0), frozenset(stored.get("met", ())))

    def write(self, bot: Bot) -> JsonObject:
        """Return the values to store."""
        return {
            "version": bot.version,
            "since": self.since.isoformat(),
            "position": self.position,
            "messages": self.messages,
            "met": sorted(self.met),
        }


@dataclass(frozen=True)
class Reaction:
    """A chatbot's reaction."""

    bot: Bot
    memory: Memory
    texts: tuple[str, ...] = ()
    hand_over: str = ""
    """The types of rules that made it hand over; empty: it continues."""
    due_at: datetime | None = None
    said: int | None = None
    """Index of the text that it sends."""


def score(bot: Bot, text: str) -> tuple[float, float]:
    """Return the weight of a chatbot's keywords that the text has, and minus the best rank among them: more is better.

    A keyword is found as whole words, whatever the case. A weight of 0 counts as 1.
    """
    padded_text = f" {plain_words(text)} "
    matches = [
        keyword for keyword in bot.snapshot.get("keywords", ()) if f" {plain_words(keyword['keyword'])} " in padded_text
    ]
    if not matches:
        return 0.0, float("-inf")
    return sum(keyword.get("weight") or 1 for keyword in matches), -min(keyword.get("rank", 0) for keyword in matches)


def plain_words(text: str) -> str:
    """Return the words of a text for comparison: in lower case, with one space between."""
    return " ".join("".join(character if character.isalnum() else " " for character in text.casefold()).split())


def choose(bots: Sequence[Bot], text: str, current: Bot | None = None) -> Bot | None:
    """Return the chatbot for a person's text: the one whose keywords weigh most, then rank first, then the oldest.

    Without a match the current one continues. A new conversation gets the first router, otherwise the first chatbot
    without keywords. A chatbot that does not allow leaving keeps the person; one that does not allow entering gets
    nobody.
    """
    if current is not None and not current.routing("allowLeave"):
        return current
    open_ones = [bot for bot in bots if bot.routing("allowEnter") and (current is None or bot.id != current.id)]
    best = max(open_ones, key=lambda bot: (score(bot, text), _older(bot)), default=None)
    if best is not None and score(best, text)[0] > (score(current, text)[0] if current else 0):
        return best
    if current is not None:
        return current
    routers = [bot for bot in open_ones if bot.routes]
    plain = [bot for bot in open_ones if not bot.snapshot.get("keywords")]
    return next(iter([*routers, *plain]), None)


def _older(bot: Bot) -> int:
    return -int(bot.id, 16)


def react(bot: Bot, memory: Memory, incoming: Incoming | None, now: datetime, *, most_mb: float) -> Reaction:
    """Return a chatbot's reaction to a person's message, or without `incoming` to the time that has passed."""
    rules = [(str(place), rule) for place, rule in enumerate(bot.snapshot.get("handover", {}).get("rules", ()))]
    rules = [(place, rule) for place, rule in rules if rule.get("enabled", True)]
    texts: tuple[str, ...] = ()
    said: int | None = None
    position = memory.position
    messages = memory.messages
    met = set(memory.met)
    if incoming is not None:
        messages += 1
        if incoming.file_mb is not None and incoming.file_mb > most_mb:
            texts = (TOO_LARGE.format(most=f"{most_mb:g}"),)
        elif position < len(bot.texts):
            texts, said = (bot.texts[position],), position
            position += 1
        met |= {place for place, rule in rules if _holds(rule, incoming, messages)}
    finished = position >= len(bot.texts)
    for place, rule in rules:
        if rule["type"] == FLOW_FINISHED and finished:
            met.add(place)
        if rule["type"] == TIME_BASED and memory.since + _minutes(rule) <= now:
            met.add(place)
    quantifier = all if bot.snapshot.get("handover", {}).get("mode") == "all" else any
    done = bool(rules) and quantifier(place in met for place, _ in rules)
    reason = ", ".join(dict.fromkeys(rule["type"] for place, rule in rules if place in met)) if done else ""
    if not reason and incoming is not None and not texts:
        reason = FLOW_FINISHED  # it has nothing left to say, whatever its rules wait for
    due = min((memory.since + _minutes(rule) for place, rule in rules if _waits(place, rule, met)), default=None)
    after = Memory(memory.since, position, messages, frozenset(met))
    return Reaction(bot, after, texts, reason, None if reason else due, said)


def _holds(rule: Values, incoming: Incoming, messages: int) -> bool:
    if rule["type"] == CONTAINS_TEXT:
        phrase = plain_words(rule.get("text", ""))
        return bool(phrase) and phrase in plain_words(incoming.text)
    return bool(rule["type"] == MESSAGE_COUNT and messages >= max(1, rule.get("messageCount", 0)))


def _minutes(rule: Values) -> timedelta:
    return timedelta(minutes=max(1, rule.get("minutes", 0)))


def _waits(place: str, rule: Values, met: set[str]) -> bool:
    return rule["type"] == TIME_BASED and place not in met


@dataclass(frozen=True)
class Step:
    """A step of a replayed conversation: the message, and the reaction to it."""

    said: str
    reaction: Reaction | None


def replay(
    bots: Sequence[Bot], messages: Sequence[Incoming], *, most_mb: Mapping[str, float], first: Bot | None = None
) -> list[Step]:
    """Return the steps of a conversation with these chatbots, until one hands over. For tests of chatbots."""
    steps: list[Step] = []
    current, memory = first, None
    for incoming in messages:
        chosen = choose(bots, incoming.text, current) if first is None or current is not first or steps else first
        if chosen is None:
            steps.append(Step(incoming.text, None))
            break
        if memory is None or current is None or chosen.id != current.id:
            memory = Memory(incoming.at)
        current = chosen
        reaction = react(chosen, memory, incoming, incoming.at, most_mb=most_mb.get(chosen.id, 10))
        memory = reaction.memory
        steps.append(Step(incoming.text, reaction))
        if reaction.hand_over:
            break
    return steps
