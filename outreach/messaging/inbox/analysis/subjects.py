"""Recognise the subjects of automatic replies, also in contrast to replies to a subject with the same words."""

from __future__ import annotations

import re
import unicodedata

from outreach.messaging.inbox.analysis.absences import NOTICES, PREFIXES, SENTENCES, SUBSTITUTES, WORDS

MAX_SUBJECT_LENGTH = 500
"""Characters of a subject that are read."""


def folded(text: str) -> str:
    """Return the text in one case and width, without accents and with single spaces."""
    apart = unicodedata.normalize("NFKD", text[:MAX_SUBJECT_LENGTH].casefold().replace("\u2019", "'").replace("ı", "i"))
    return " ".join(
        "".join(character for character in apart if unicodedata.category(character) not in ("Mn", "Cf")).split()
    )


def _any(phrases: tuple[str, ...]) -> str:
    longest_first = sorted({folded(phrase) for phrase in phrases}, key=len, reverse=True)
    return "|".join(re.escape(phrase) for phrase in longest_first)


_CJK = "\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PREFIX = re.compile(
    rf"(?:\[[^\]]{{1,40}}\]\s*|(?:{_any(PREFIXES)})(?:\[\d{{1,3}}\]|\(\d{{1,3}}\)|\^\d{{1,3}})?\s*:\s*)+"
)
_SUBSTITUTE = _any((*SUBSTITUTES, *WORDS))
_OPENS = r"[\W_]*(?:\[[^\]]{1,40}\]\s*)?"
_NOTICE = re.compile(
    rf"{_OPENS}(?:(?P<phrase>{_any(tuple(phrase for some in NOTICES.values() for phrase in some))})"
    rf"(?:(?<=[{_CJK}])|(?!\w))|(?:(?:{_SUBSTITUTE})\s*/\s*)?(?P<word>{_any(WORDS)})"
    rf"(?:\s*/\s*(?:{_SUBSTITUTE}))?(?:\s*(?:[^\w\s&/'+]|$)|\s+(?:\w{{1,6}}\s+)?\d))"
)
_SENTENCE = re.compile(rf"(?<=\w) (?P<phrase>{_any(SENTENCES)})(?!\w)|(?!)(?P<word>)")


def without_prefixes(subject: str) -> str:
    """Return a folded subject without Re:, AW:, [list] and their like before it."""
    return subject[match.end() :] if (match := _PREFIX.match(subject)) else subject


def is_answer(subject: str) -> bool:
    """Return whether the subject begins as that of an answer."""
    return _PREFIX.match(folded(subject)) is not None


def announces_absence(subject: str, original: str | None = None) -> bool:
    """Return whether a subject is that of an automatic reply.

    `original` is the subject of the mail that it replies to. Words that occur in the original are ignored. Without
    `original`, the subject of a reply is taken for a person's.
    """
    said = folded(subject)
    if original is None:
        if is_answer(subject):
            return False
        sent = ""
    else:
        sent = without_prefixes(folded(original))
        said = without_prefixes(said)
        if sent and sent in said:
            said = said.replace(sent, "", 1)
            sent = ""
    match = _NOTICE.match(said) or _SENTENCE.search(said)
    if match is None:
        return False
    phrase = match["phrase"] or match["word"]
    return phrase not in sent
