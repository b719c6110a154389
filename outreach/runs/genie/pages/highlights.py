"""Marks in the text of a message at its evidence: for the review and for samples."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

PERSON = "person"
SOURCES = {
    "contact.name": gettext_lazy("Contact: name"),
    "contact.category": gettext_lazy("Contact: category"),
    "contact.tags": gettext_lazy("Contact: tags"),
    "company.name": gettext_lazy("Your company: name"),
    "company.description": gettext_lazy("Your company: what it does"),
    "company.website": gettext_lazy("Your company: website"),
    "company.senderName": gettext_lazy("The sender's name"),
    "prompt": gettext_lazy("Topic of the outreach"),
    "hint": gettext_lazy("Rewrite request"),
    "outreach.step": gettext_lazy("An earlier message"),
    "outreach.subject": gettext_lazy("The subject of the conversation"),
    "outreach.occurrence": gettext_lazy("This outreach repeats"),
    "outreach.language": gettext_lazy("Written in English, since there are no rules for the language"),
    "template": gettext_lazy("Your template"),
    PERSON: gettext_lazy("Written by hand"),
    "": gettext_lazy("Unproved"),
}
"""Source of evidence -> its label."""


@dataclass
class Piece:
    """Words of a message with the same sources. `numbers` are those of the evidence that ends with them."""

    text: str
    tone: str = ""
    title: str = ""
    numbers: list[int] = field(default_factory=list)


def source_words(source: str) -> str:
    """Return the label of a source: a field of the contact by its own label."""
    if source.startswith("catalogue."):
        return _("What you offer")
    if source.startswith("thread."):
        return _("A message before this one")
    return SOURCES.get(source) or _("Contact: %(source)s") % {"source": source.partition(".")[2]}


def number_evidence(evidence: Sequence[Values]) -> list[JsonObject]:
    """Return the evidence with a number and a label for each source; the same source has the same number."""
    numbers: dict[tuple[str, str], int] = {}
    entries = []
    for entry in evidence:
        key = (entry["source"], entry["value"] if entry["source"] else entry["text"])
        number = numbers.setdefault(key, len(numbers) + 1)
        tone = {"": "unproved", PERSON: "by-person"}.get(entry["source"], "proved")
        entries.append({**entry, "number": number, "words": source_words(entry["source"]), "tone": tone})
    return entries


def split_by_evidence(text: str, evidence: Sequence[Values]) -> list[Piece]:
    """Split the text at the edges of evidence. A part of two spans has the marks of the shorter one."""
    edges = sorted({0, len(text), *(edge for entry in evidence for edge in (entry["start"], entry["end"]))})
    pieces = []
    coming = deque(sorted(evidence, key=itemgetter("start")))
    around: list[Values] = []
    for start, end in zip(edges, edges[1:], strict=False):
        piece = Piece(text[start:end])
        while coming and coming[0]["start"] <= start:
            around.append(coming.popleft())
        around = [entry for entry in around if entry["end"] >= end]
        if around:
            inner = min(around, key=lambda entry: entry["end"] - entry["start"])
            piece.tone = inner["tone"]
            piece.title = inner["words"]
            piece.numbers = sorted({entry["number"] for entry in around if entry["end"] == end})
        pieces.append(piece)
    return pieces


def by_number(evidence: Sequence[Values]) -> list[Values]:
    """Return the first entry of each number."""
    first: dict[int, Values] = {}
    for entry in evidence:
        first.setdefault(entry["number"], entry)
    return list(first.values())


def highlight_text(message: Values) -> JsonObject:
    """Return the split subject and text of a message, and each number once with its source."""
    evidence = number_evidence(message["evidence"])
    parts = {part: [entry for entry in evidence if entry["part"] == part] for part in ("subject", "text")}
    return {
        "evidence": by_number(evidence),
        "of_html": [entry for entry in evidence if entry["part"] == "html"],
        "subject_pieces": split_by_evidence(message["subject"], parts["subject"]),
        "pieces": split_by_evidence(message["text"], parts["text"]),
    }
