"""Results of checks: a light, a sentence for people, and the record to publish."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MAX_TEXT_LENGTH = 600


class Light(StrEnum):
    """Rating, from the worst to the best."""

    RED = "red"
    AMBER = "amber"
    GREEN = "green"


@dataclass(frozen=True)
class Record:
    """A record to publish in the domain name system."""

    name: str
    type: str
    value: str


@dataclass(frozen=True)
class Result:
    """The result of one check; `found` are the records that are there now."""

    name: str
    light: Light
    text: str
    record: Record | None = None
    found: tuple[str, ...] = ()
    asked: bool = True
    """False: the name servers did not answer, so that nothing is known."""


def printable(value: str) -> str:
    """Return a stranger's published text with its unprintable characters replaced."""
    return "".join(character if character.isprintable() else "�" for character in value)


def display_text(value: str) -> str:
    """Return a stranger's published text for display: printable and shortened."""
    text = printable(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"


def all_shown(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(display_text(value) for value in list(values)[:5])


def worst(lights: Iterable[Light]) -> Light:
    """Return the worst of the lights."""
    order = list(Light)
    return min(lights, key=order.index)
