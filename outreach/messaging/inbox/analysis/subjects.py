"""Recognise the subjects of automatic replies, also in contrast to replies to a subject with the same words."""

from __future__ import annotations

import re
import unicodedata

from outreach.messaging.inbox.analysis.absences import NOTICES, PREFIXES, SENTENCES, SUBSTITUTES, WORDS
from outreach.messaging.inbox.analysis.appeals import (
    APPEALS,
    CJK_APPEALS,
    NOTICE_APPEALS,
    OPENERS,
    RESUMPTIONS,
    TIMES,
    TOPICS,
    UNTIL,
)

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
_PHRASES = _any(tuple(phrase for some in NOTICES.values() for phrase in some))
# A notice in brackets, as "[Auto-Reply]", is no list's tag.
_TAG = rf"\[(?!(?:{_PHRASES}|{_any(WORDS)})\s*\])[^\]]{{1,40}}\]\s*"
_MARK = rf"(?:{_any(PREFIXES)})(?:\[\d{{1,3}}\]|\(\d{{1,3}}\)|\^\d{{1,3}})?\s*:\s*"
_PREFIX = re.compile(rf"(?:{_TAG}|{_MARK})+")
_ANSWER = re.compile(rf"(?:{_TAG})*{_MARK}")
_SUBSTITUTE = _any((*SUBSTITUTES, *WORDS))
_DATE = rf"(?:(?:{_any(TIMES)})|\d[\d./-]{{0,9}})"
_OPENS = (
    rf"[\W_]*(?:{_TAG})?(?:(?:来自|來自).{{1,30}}?的)?"
    rf"(?:(?:{_any(OPENERS)})(?:\s+|(?<=[{_CJK}]))){{0,3}}(?:{_DATE}\s+){{0,6}}"
)
_NOTICE = re.compile(
    rf"{_OPENS}(?:(?P<phrase>{_PHRASES})"
    rf"(?:(?<=[{_CJK}])|(?!\w))|(?:(?:{_SUBSTITUTE})\s*/\s*)?(?P<word>{_any(WORDS)})"
    rf"(?:\s*/\s*(?:{_SUBSTITUTE}))?(?:\s*(?=[^\w\s&/'+]|$)(?!(?<=\w)-\w)"
    rf"|\s+(?=(?:{_any(UNTIL)})(?!\w)|(?:\w{{1,6}}\s+)?\d|{_MARK})))"
)
_AUTOMATIC = re.compile(
    r"auto|avto|awto|авто|аута|аўта|αυτο|otomat|samodejn|sjalfv|uathoib|自动|自動|자동|aut\."
    r"|notif|notiz|meldung|^out of office$"
)
"""The word "automatic" or "notice" in a phrase. Only programs write it before a colon."""
_CONTINUES = re.compile(rf"(?<!\w)(?:{_any(APPEALS)})(?!\w)|{_any(CJK_APPEALS)}")
_NOTICE_APPEAL = re.compile(rf"(?<!\w)(?:{_any(NOTICE_APPEALS)})(?!\w)")
_ENDS = re.compile(rf"(?:{_any(UNTIL)})(?!\w)(?:\W*\w+){{0,3}}\W*")
"""The end of an absence, with nothing after it."""
_TOPICS = frozenset(folded(phrase) for phrase in TOPICS)
_RESUMES = re.compile(
    rf" (?:(?:{_any(RESUMPTIONS)}|{_any(UNTIL)}|{_DATE}|{_any(WORDS)})(?!\w)|{_MARK}|(?:\w{{1,9}}\.? )?\d"
    rf"|\w*(?:{_AUTOMATIC.pattern}))"
)
"""Words that an absence notice has directly after the phrase."""
_MAX_NAMES = 3
_SENTENCE = re.compile(rf"(?<=\w) (?P<phrase>{_any(SENTENCES)})(?!\w)|(?!)(?P<word>)")


def without_prefixes(subject: str) -> str:
    """Return a folded subject without Re:, AW:, [list] and their like before it."""
    return subject[match.end() :] if (match := _PREFIX.match(subject)) else subject


def is_answer(subject: str) -> bool:
    """Return whether the subject begins as that of an answer."""
    return _ANSWER.match(folded(subject)) is not None


def announces_absence(subject: str, original: str | None = None) -> bool:
    """Return whether a subject is that of an automatic reply.

    `original` is the subject of the mail that it replies to. Words that occur in the original are ignored. Without
    `original`, the subject of a reply is taken for a person's.
    """
    said = folded(subject)
    quotes = False
    if original is None:
        if is_answer(subject):
            return False
        sent = ""
    else:
        sent = without_prefixes(folded(original))
        said = without_prefixes(said)
        if sent and sent in said:
            quotes = True
            said = said.replace(sent, "", 1)
            sent = ""
    match = _NOTICE.match(said) or _SENTENCE.search(said)
    if match is None:
        return False
    phrase = match["phrase"] or match["word"]
    rest = said[match.end() :]
    # After "I am currently" the phrase is a sentence's, and no topic.
    if phrase in sent or (said.startswith(phrase) and not quotes and _goes_on(phrase, rest, subject)):
        return False
    return not _is_personal(phrase, rest.strip(), is_word=bool(match["word"]))


def _goes_on(phrase: str, rest: str, subject: str) -> bool:
    """Return whether the phrase is the beginning of a topic ("Out of office space in Berlin"), and not of a name."""
    if phrase not in _TOPICS or not re.match(r" [^\W\d_]", rest) or _RESUMES.match(rest):
        return False
    words = subject.split()[-len(rest.split()) :]
    return len(words) > _MAX_NAMES or not all(word[0].isupper() for word in words)


def _is_personal(phrase: str, rest: str, *, is_word: bool) -> bool:
    """Return whether a subject goes on after the phrase as only a person's does.

    `is_word`: the phrase is one of the words that people also use otherwise.
    """
    quotes_ours = rest.startswith((":", "]", ")")) and not is_word and _AUTOMATIC.search(phrase)
    # Programs add a notice before the subject that they answer, which may be a question.
    if quotes_ours or _ANSWER.match(rest.lstrip(" :-\u2013\u2014]")):
        return False
    if "?" in rest or _CONTINUES.search(_NOTICE_APPEAL.sub(" ", rest)):
        return True
    words = rest.strip(" :,.;!-\u2013\u2014]")
    if phrase == "auto" and rest.startswith(":"):  # a car in many languages
        return bool(words) and _SENTENCE.search(words) is None
    if phrase == "ooo" and rest.startswith((",", "!")):  # an exclamation
        return bool(words) and not _ENDS.match(words)
    return "!" in rest and bool(words) and not _ENDS.fullmatch(words)
