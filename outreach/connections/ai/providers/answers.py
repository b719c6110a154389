"""Validation of models' responses: their shape, the sources of claims, and their text, which is data and never a
template."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.types import JsonObject
from outreach.connections.ai.providers.base import Claim, ComposeBrief, Draft, Fit
from outreach.connections.ai.providers.cleaning import one_line
from outreach.connections.ai.providers.placeholders import placeholder_in

SUBJECT_LENGTH = 200
MAX_CLAIMS = 200
REASON_LENGTH = 200
_FENCE = re.compile(r"\A```[A-Za-z]*\s*\n(.*?)\n?```\Z", re.DOTALL)

T = TypeVar("T", bound=BaseModel)
Text = Annotated[str, Field(max_length=20_000)]


class Unreadable(Exception):
    """The response is not JSON. The text describes the error for the model."""


class Unusable(Exception):
    """The response does not have the requested form. The text describes the error for the model."""


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Statement(_Shape):
    """Words of a message, and the name of the fact that supports them."""

    text: Text
    source: str = Field(max_length=1000)


class Message(_Shape):
    """A composed message."""

    subject: str = Field(max_length=SUBJECT_LENGTH)
    body: Text
    claims: list[Statement] = Field(max_length=MAX_CLAIMS)


class Judgement(_Shape):
    """The fit of the contact with this number."""

    contact: int
    score: float = Field(ge=0, le=1)
    reason: str = Field(max_length=2000)


class Judgements(_Shape):
    fits: list[Judgement] = Field(max_length=500)


def _object(**properties: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


_STRING = {"type": "string"}
MESSAGE = _object(
    subject=_STRING, body=_STRING, claims={"type": "array", "items": _object(text=_STRING, source=_STRING)}
)
"""The JSON schema of Message."""
JUDGEMENTS = _object(
    fits={
        "type": "array",
        "items": _object(contact={"type": "integer"}, score={"type": "number"}, reason=_STRING),
    }
)
"""The JSON schema of Judgements."""


def parse(text: str, shape: type[T]) -> T:
    """Parse a model's text into the type. Raises Unreadable if it is not JSON, and Unusable if it has another form."""
    inner = text.strip().lstrip("\ufeff").strip()
    fenced = _FENCE.match(inner)
    if fenced:
        inner = fenced[1].strip()
    if not inner.startswith("{"):  # some words before or after the object
        inner = inner[inner.find("{") : inner.rfind("}") + 1]
    try:
        return shape.model_validate_json(inner)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise Unreadable("The answer is not one JSON object.") from None
        place = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise Unusable(f"{place}: {first['msg']}") from None


def read_message(text: str, brief: ComposeBrief, facts: Mapping[str, str]) -> Draft:
    """Read a composed message. Raises Unreadable, and Unusable where a claim names a source that wasn't given."""
    message = parse(text, Message)
    subject, body = one_line(message.subject), plain_text(message.body)
    if brief.channel != "email":
        subject = ""
    elif not subject:
        raise Unusable("subject: is empty")
    if not any(character.isalnum() for character in body):
        raise Unusable("body: is empty")
    named = [value for name, value in facts.items() if name == "company.name" or name.startswith("catalogue.")]
    if found_one := placeholder_in(f"{subject}\n{body}", named):
        placeholder = one_line(found_one)[:60]
        raise Unusable(f"body: has the placeholder {placeholder!r}; write the finished words, without any placeholder")
    unknown = [claim.source for claim in message.claims if claim.source not in facts]
    if unknown:
        raise Unusable(f"claims: there is no fact named {one_line(unknown[0])[:100]!r}; name facts that were given")
    claims = []
    for claim in message.claims:
        claim_text = plain_text(claim.text)
        if claim_text in body:
            claims.append(Claim(text=claim_text, source=claim.source, part="text"))
        else:
            claims.append(Claim(text=one_line(claim_text), source=claim.source, part="subject"))
    return Draft(subject=subject, text=body, claims=tuple(_sort_claims(claims, subject, body)))


def _sort_claims(claims: list[Claim], subject: str, body: str) -> list[Claim]:
    """Sort the claims by the position of their words. Claims whose words are missing are dropped."""
    texts = {"subject": subject, "text": body}
    placed = [claim for claim in claims if claim.text and claim.text in texts[claim.part]]
    return sorted(placed, key=lambda claim: (claim.part, texts[claim.part].find(claim.text)))


def read_fits(text: str, before: list[Fit]) -> list[Fit]:
    """Read judgements of contacts, which have numbers from 1. What is not judged keeps the fit from before."""
    fits = list(before)
    for judgement in parse(text, Judgements).fits:
        if not 1 <= judgement.contact <= len(before):
            raise Unusable(f"fits: there is no contact {judgement.contact}")
        fits[judgement.contact - 1] = Fit(round(judgement.score, 4), one_line(judgement.reason)[:REASON_LENGTH])
    return fits


def plain_text(text: str) -> str:
    """Return the text without control, direction or unassigned characters, in lines without trailing blanks."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").split("\n")
    kept = ["".join(character for character in line if _printable(character)).rstrip() for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _printable(character: str) -> bool:
    return unicodedata.category(character)[0] != "C" or character == "\u200d"
