"""Matches contacts to a description by keywords that occur in their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outreach.connections.ai.providers.base import ContactBrief, Fit

MAX_TERMS = 40
INDUSTRY_WEIGHT = 2.0
MIN_STEM, MAX_ENDING = 4, 3
"""Two words are forms of one when the shorter has at least four letters and the longer up to three more."""
_WORD = re.compile(r"[^\W_]+")
_COMMON_WORDS = """
a about above after all also an and any are as at be been best both but by can could customer customers client
clients company companies
contact contacts do does each every few find for from generate get give good great has have having help high i in
interested into is it
its just lead leads like list look looking low made make many may me might more most much my need new no not of on
one only or other our
out over people per person please potential prospect prospects qualified see sell selling should show so some someone
somebody such target
targets than that the their them there these they this those to up us use very want was we well were what when where
which who whom whose
why will with within work working works would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Stop words of searches."""


@dataclass(frozen=True, slots=True)
class Term:
    """A keyword of a search, and its weight."""

    word: str
    weight: float = 1.0

    @property
    def stem(self) -> str:
        """The common beginning of all forms of the word."""
        return self.word[: max(MIN_STEM, len(self.word) - MAX_ENDING)]


def terms_of(prompt: str, industry: str) -> tuple[Term, ...]:
    """Return the keywords of a search: those of the industry first, each once, at most 40."""
    terms = {word: Term(word, INDUSTRY_WEIGHT) for word in _telling(industry)}
    for word in _telling(prompt):
        terms.setdefault(word, Term(word))
    return tuple(terms.values())[:MAX_TERMS]


def match_share(terms: Sequence[Term], contact: ContactBrief) -> Fit:
    """Return the share of the terms' weight that the contact's values contain, and which values contain them."""
    texts = [(label, text.casefold()) for label, text in _texts(contact)]
    everything = "\n".join(text for _, text in texts)
    if not any(term.stem in everything for term in terms):  # nearly all contacts end here, which is ten times as fast
        return Fit(0.0)
    labelled_words = [(label, word) for label, text in texts for word in _WORD.findall(text)]
    reached, reasons = 0.0, []
    for term in terms:
        match = next(((label, word) for label, word in labelled_words if _is_same_word(term.word, word)), None)
        if match is not None:
            reached += term.weight
            reasons.append(f"{match[1]} ({match[0]})")
    return Fit(round(reached / sum(term.weight for term in terms), 4), ", ".join(reasons))


def _texts(contact: ContactBrief) -> Iterator[tuple[str, str]]:
    """Yield the contact's values, with their labels."""
    yield from contact.fields.items()
    if contact.category:
        yield "category", contact.category
    for tag in contact.tags:
        yield "tag", tag
    yield "name", contact.name
    yield "email", contact.email.rpartition("@")[2].rpartition(".")[0]


def _telling(text: str) -> list[str]:
    return [
        word for word in _WORD.findall(text.casefold()) if word not in _COMMON and (len(word) > 1 or not word.isascii())
    ]


def _is_same_word(term: str, word: str) -> bool:
    """Return whether two words are the same or forms of one: manager and managers, but not man and manager."""
    if term == word:
        return True
    shorter, longer = sorted((term, word), key=len)
    return len(shorter) >= MIN_STEM and len(longer) - len(shorter) <= MAX_ENDING and longer.startswith(shorter)
