"""The problems of an unpublished chatbot: a pure function of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.types import Values
from outreach.chat.chatbots.engine import CONTAINS_TEXT, MESSAGE_COUNT, plain_words

ERROR, WARNING = "error", "warning"


def problems_of(chatbot: Values) -> list[dict[str, str]]:
    """Return the problems: path, code, severity and message of each. A chatbot with an error cannot be published."""
    return [
        *_of_texts(chatbot["conversations"]),
        *_of_keywords(chatbot["keywords"]),
        *_of_rules(chatbot["handover"].get("rules", ()), len(chatbot["conversations"])),
        *_of_routing(chatbot),
    ]


def _problem(path: str, code: str, message: str, severity: str = WARNING) -> dict[str, str]:
    return {"path": path, "code": code, "severity": severity, "message": message}


def _of_texts(texts: Sequence[Values]) -> Iterator[dict[str, str]]:
    if not texts:
        yield _problem("conversations", "noTexts", "Add a text", ERROR)


def _of_keywords(keywords: Sequence[Values]) -> Iterator[dict[str, str]]:
    seen = set()
    for place, keyword in enumerate(keywords):
        text = plain_words(keyword["keyword"])
        if not text:
            yield _problem(f"keywords.{place}", "neverFound", f"“{keyword['keyword']}” has no letters or digits")
        elif text in seen:
            yield _problem(f"keywords.{place}", "twice", f"“{keyword['keyword']}” is there twice and counts twice")
        seen.add(text)


def _of_rules(rules: Sequence[Values], texts: int) -> Iterator[dict[str, str]]:
    seen = set()
    for place, rule in enumerate(rules):
        if not rule.get("enabled", True):
            continue
        path, type = f"handover.rules.{place}", rule["type"]
        key = (type, plain_words(rule.get("text", "")), rule.get("messageCount"), rule.get("minutes"))
        if key in seen:
            yield _problem(path, "twice", "This rule exists twice")
        seen.add(key)
        if type == CONTAINS_TEXT and not plain_words(rule.get("text", "")):
            yield _problem(path, "neverTrue", "Enter words with letters or digits")
        if type == MESSAGE_COUNT and texts and rule.get("messageCount", 0) > texts + 1:
            yield _problem(path, "neverTrue", f"Never reached: the chatbot hands over at message {texts + 1}")


def _of_routing(chatbot: Values) -> Iterator[dict[str, str]]:
    if chatbot["kind"] == "router" and not chatbot["routing"].get("allowLeave", True):
        yield _problem("routing.allowLeave", "keepsAll", "Allow handover to other chatbots: a router needs it")
