"""Replies of a model, or of the offline reader: lists to read, or the answer. They are validated before use."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.types import Values
from outreach.connections.ai.providers.answers import Unusable, parse, plain_text
from outreach.insights.crm_chat.catalogue import TABLES

MAX_STEPS = 3
"""Lists that one reply reads."""
MAX_ROWS = 20
MAX_ANSWER = 4000
LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|(?:mailto|data|javascript):)\S+", re.IGNORECASE)
MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
NUMBER = re.compile(r"\d[\d.,\u202f\u00a0' ]*\d|\d")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Step(_Shape):
    """A list to read: its path in the API, and how."""

    list: str = Field(max_length=100)
    search: str = Field(default="", max_length=200)
    filters: str = Field(default="", max_length=4000, description="A tree of conditions as JSON; empty: none.")
    sortBy: str = Field(default="", max_length=200)
    sortOrder: Literal["asc", "desc"] = "desc"
    rows: int = Field(default=10, ge=0, le=MAX_ROWS)
    groupBy: str = Field(default="", max_length=100)


class Reply(_Shape):
    """Lists to read, or the answer."""

    steps: list[Step] = Field(max_length=MAX_STEPS)
    answer: str = Field(max_length=20_000)


_TEXT = {"type": "string"}
_STEP = {
    "list": _TEXT,
    "search": _TEXT,
    "filters": _TEXT,
    "sortBy": _TEXT,
    "sortOrder": {"type": "string", "enum": ["asc", "desc"]},
    "rows": {"type": "integer"},
    "groupBy": _TEXT,
}
SCHEMA: Values = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _STEP,
                "required": list(_STEP),
                "additionalProperties": False,
            },
        },
        "answer": _TEXT,
    },
    "required": ["steps", "answer"],
    "additionalProperties": False,
}
"""The JSON schema of Reply."""


def read_reply(text: str, *, last: bool = False) -> Reply:
    """Read a model's reply. With `last` nothing more is read, so the model has to answer.

    Raises Unreadable and Unusable, whose texts go back to the model.
    """
    reply = parse(text, Reply)
    if reply.steps and last:
        raise Unusable("steps: nothing more is read; answer from what was read, or say what it does not tell")
    unknown = next((step.list for step in reply.steps if step.list not in TABLES), None)
    if unknown is not None:
        raise Unusable(f"steps: there is no list {unknown[:60]!r}; there is {', '.join(TABLES)}")
    if not reply.steps and not plain_text(reply.answer):
        raise Unusable("answer: is empty, and no list is to be read")
    return reply


def clean_answer(text: str) -> str:
    """Return an answer as plain text, without markup and links, which text in a record could have injected.

    An address with a query would leak the data that was read to its host when it is shown as a picture.
    """
    plain = plain_text(MARKUP.sub(r"\1", text))
    return LINK.sub("(link left out)", plain)[:MAX_ANSWER].strip()


def unproved_figures(answer: str, texts: Collection[str]) -> list[str]:
    """Return the figures of an answer that are in none of the texts."""
    proved = {figure for text in texts for figure in _figures(text)}
    return [figure for figure in dict.fromkeys(_figures(answer)) if figure not in proved]


def _figures(text: str) -> list[str]:
    """Return the figures of a text, each without separators of its digits: 1,200.50 and 1200.5 are one."""
    figures = []
    for match in NUMBER.findall(text):
        plain = re.sub(r"[\s\u202f\u00a0']", "", match)
        plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", plain).replace(",", ".")
        whole, _, part = plain.partition(".")
        part = part.rstrip("0")
        figures.append((whole.lstrip("0") or "0") + (f".{part}" if part else ""))
    return figures


def tree_of(step: Step) -> Any:
    """Return the tree of a step's filters. None: it has none. Raises ValueError if they are not a JSON object."""
    if not step.filters.strip():
        return None
    try:
        tree = json.loads(step.filters)
    except (ValueError, RecursionError):
        raise ValueError("filters: is no JSON") from None
    if not isinstance(tree, dict):
        raise ValueError("filters: needs a JSON object with operator and conditions")  # noqa: TRY004
    return tree if tree else None
