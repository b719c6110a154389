"""Cleans values of contacts for use in sentences: they may be empty or contain markup, links or placeholders."""

import re
import unicodedata

_TAG = re.compile(r"<[^<>]*>")
_PLACEHOLDER = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}|\{[^{}]*\}|%[A-Z_]{2,}%|\[\[.*?\]\]|\[[A-Za-z _]{1,30}\]", re.DOTALL
)
_LINK = re.compile(r"https?:|www\.|@|\b[\w-]+\.[a-z]{2,}\b", re.IGNORECASE)
_EMPTY = frozenset(
    {"", "-", "--", "?", "none", "null", "nil", "nan", "n/a", "na", "unknown", "undefined", "tbd", "test"}
)
_TITLES = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "professor",
        "sir",
        "herr",
        "frau",
        "mme",
        "mlle",
        "sr",
        "sra",
        "mx",
        "ing",
        "dipl",
    }
)


def without_placeholders(value: str) -> str:
    """Replace the text's template placeholders by spaces."""
    return _PLACEHOLDER.sub(" ", value).replace("{{", " ").replace("}}", " ")


def one_line(value: str) -> str:
    """Return the text on one line, without control, direction or unassigned characters, and with single spaces."""
    kept = (
        character if unicodedata.category(character)[0] != "C" or character == "\u200d" else " " for character in value
    )
    return " ".join("".join(kept).split())


def phrase(value: object, limit: int = 60) -> str:
    """Return a contact's value as part of a sentence; "" if it is empty or too long, or contains links or markup."""
    if not isinstance(value, str):
        return ""
    text = one_line(without_placeholders(_TAG.sub(" ", value[:1000]))).strip(" .,;:!?\"'")
    if text.lower() in _EMPTY or len(text) > limit or _LINK.search(text) or any(mark in text for mark in "<>{}[]|\\`"):
        return ""
    return text if any(character.isalnum() for character in text) else ""


def person_name(value: str) -> str:
    """Return a person's full name in its usual order without titles; empty when the text is no name."""
    text = phrase(value, limit=80)
    if any(character.isdigit() for character in text):
        return ""
    if text.count(",") == 1:  # "Lee, Ann"
        last, first = text.split(",")
        text = f"{first.strip()} {last.strip()}"
    kept = "".join(character if _in_name(character) else " " for character in text)
    words = [word.strip(".-'’") if len(word) < 2 else word for word in kept.split()]
    words = [word for word in words if word.strip(".-'’") and word.strip(".").lower() not in _TITLES][:5]
    return " ".join(_capitalize_word(word) for word in words)[:60]


def first_name(value: str) -> str:
    """Return the name to greet by: the first one, or the whole name when that is an initial."""
    name = person_name(value)
    first = name.partition(" ")[0]
    return name if len(first.strip(".")) < 2 else first


def _in_name(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM" or character in "'’-. "


def _capitalize_word(word: str) -> str:
    """Return Ann for ANN and ann, and a name in mixed case unchanged."""
    if len(word) > 2 and (word.islower() or word.isupper()) and "." not in word:
        return "-".join(part[:1].upper() + part[1:].lower() for part in word.split("-"))
    return word[:1].upper() + word[1:] if word.islower() else word


def shorten(text: str, max_words: int, characters: int = 100_000) -> str:
    """Cut the text to this many words and characters, between words and with an ellipsis."""
    kept = " ".join(text.split()[:max_words])
    if len(kept) > characters:
        cut = kept[: characters - 1]
        kept = cut if kept[characters - 1] == " " else cut.rpartition(" ")[0] or cut
    return kept if kept == " ".join(text.split()) else kept.rstrip(" ,;:.-–—(") + "…"
