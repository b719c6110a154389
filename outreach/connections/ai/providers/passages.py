"""Parts of messages, and the data of a brief for them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outreach.connections.ai.providers import phrases
from outreach.connections.ai.providers.base import Claim, CompanyBrief, ComposeBrief, ContactBrief
from outreach.connections.ai.providers.cleaning import one_line, phrase, shorten, without_placeholders

_LABELS = {
    "company": {"company", "company name", "organisation", "organization", "employer", "account", "business", "firm"},
    "job": {"job", "job title", "title", "position", "role", "occupation"},
    "city": {"city", "town", "location"},
    "industry": {"industry", "sector", "branch"},
}


WORD_LIMIT = 160
SUBJECT_LENGTH = 78


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a message, and the sources of its words."""

    text: str = ""
    claims: tuple[Claim, ...] = ()


def join_passages(passages: list[Passage], between: str) -> Passage:
    """Return the passages as one; empty ones are left out."""
    kept = [passage for passage in passages if passage.text]
    claims = tuple(claim for passage in kept for claim in passage.claims)
    return Passage(between.join(passage.text for passage in kept), claims)


def known_of(contact: ContactBrief) -> dict[str, tuple[str, str]]:
    """Return, by kind, the value of the contact's field of that kind and the field's label, or two empty texts."""
    fields = dict.fromkeys(_LABELS, ("", ""))
    for label, value in list(contact.fields.items())[:200]:
        plain = " ".join(str(label).lower().replace("_", " ").replace("-", " ").split())
        for kind, names in _LABELS.items():
            if plain in names and not fields[kind][0]:
                fields[kind] = (phrase(value), label)
    return fields


def relation_of(contact: ContactBrief) -> tuple[str, str]:
    """Return the relation that the category or a tag names, and which of them does; or two empty texts."""
    for relation in phrases.RELATIONS:
        names = {relation, f"{relation}s"}
        if contact.category.lower().strip() in names:
            return relation, "contact.category"
        if names & {tag.lower().strip() for tag in contact.tags[:50]}:
            return relation, "contact.tags"
    return "", ""


def interest_of(brief: ComposeBrief) -> tuple[str, str]:
    """Return a product of the catalogue that a tag or the category of the contact names, and which of them does."""
    tags = [tag.lower().strip() for tag in brief.contact.tags[:50]]
    for product in brief.company.products[:200]:
        name = phrase(product.name)
        if name and name.lower() in tags:
            return name, "contact.tags"
        if name and name.lower() == brief.contact.category.lower().strip():
            return name, "contact.category"
    return "", ""


def sentence_of(value: str, max_words: int) -> str:
    """Return the first sentence of a company's own text, ended with a full stop."""
    text = one_line(without_placeholders(value[:2000]))
    first = shorten(text.split(". ")[0].rstrip(" .,;:"), max_words)
    if not any(character.isalnum() for character in first):
        return ""
    return first[:1].upper() + first[1:] + ("" if first[-1] in "…!?" else ".")


def signatory(company: CompanyBrief) -> list[str]:
    """Return the lines of the signature."""
    name, us = phrase(company.sender_name, 100), company_name(company)
    website = one_line(company.website)[:100]
    lines = [name, us] if name and name.lower() != us.lower() else [us]
    return [*lines, website] if website.startswith(("http://", "https://", "www.")) and " " not in website else lines


def signatory_claims(company: CompanyBrief) -> tuple[Claim, ...]:
    """Return the source of each line of the signature."""
    claims = []
    for line in signatory(company):
        if line == phrase(company.sender_name, 100) and line.lower() != company_line(company).lower():
            claims.append(Claim(text=line, source="company.senderName"))
        elif line == company_line(company):
            claims.append(Claim(text=line, source="company.name"))
        elif line == one_line(company.website)[:100]:
            claims.append(Claim(text=line, source="company.website"))
    return tuple(claims)


def company_line(company: CompanyBrief) -> str:
    """Return the company's name on one line, or "" if it has none."""
    return one_line(without_placeholders(company.name))[:100].strip()


def company_name(company: CompanyBrief) -> str:
    """Return the name of the company in its messages."""
    return company_line(company) or "our team"


def whole_subject(
    lines: Sequence[str], plain: str, values: Mapping[str, str], prefix: str, rng: random.Random
) -> tuple[str, str]:
    """Return a line of these and the subject that it makes. A value that does not fit whole is never cut.

    Lines that lack a value or get too long are left out; `plain` stands in for all of them.
    """
    filled = {
        line: prefix.format(subject=line.format(**values))
        for line in lines
        if not any(f"{{{key}}}" in line and not value for key, value in values.items())
    }
    fitting = [line for line, subject in filled.items() if len(subject) <= SUBJECT_LENGTH]
    line = rng.choice(fitting) if fitting else plain
    return line, filled.get(line) or prefix.format(subject=plain)


def within_limit(paragraphs: list[Passage]) -> list[Passage]:
    """Shorten a message that is too long: remove the company's paragraph, then the opening, then words."""
    for droppable in (3, 1):
        if _words(paragraphs) <= WORD_LIMIT:
            break
        paragraphs[droppable] = Passage()
    excess = _words(paragraphs) - WORD_LIMIT
    if excess > 0:
        body = paragraphs[2]
        text = shorten(body.text, max(5, len(body.text.split()) - excess))
        paragraphs[2] = Passage(text, tuple(Claim(text=text, source=claim.source) for claim in body.claims[:1]))
    return paragraphs


def _words(paragraphs: list[Passage]) -> int:
    return sum(len(paragraph.text.split()) for paragraph in paragraphs)
