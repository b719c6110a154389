"""Evidence: the source of each statement in a message, recorded when the message is written, and kept when it is
edited.

An entry is {part, start, end, text, source, value}: the words and their position in subject, text or the text of the
HTML. `source` is the name of the fact that supports them (`facts_of`), and `value` the fact's value. Words without a
source are unproved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from core.types import JsonObject
from outreach.connections.ai.providers.base import Claim, ComposeBrief, Draft

PERSON = "person"
"""The source of text that a person has added to a draft."""
TEMPLATE = "template"
"""The source of text from the company's template."""
VALUE_LENGTH = 200
MIN_WORDS = 4
"""Words that a sentence of a model has at least, to state anything."""
MAX_ENTRIES = 200
"""Maximum number of entries of a part. Nobody reads more; unproved statements are reported all the same."""
_SENTENCE_END = re.compile(r"\n|(?<=[.!?…])\s+")
_FIGURE = re.compile(r"https?://\S+|\S+@\S+|\d[\d.,:]*\d|\d")

Entry = JsonObject


def facts_of(brief: ComposeBrief) -> dict[str, str]:
    """Return the facts that a message may use: name of the fact -> value."""
    contact, company = brief.contact, brief.company
    facts = {
        "contact.name": contact.name,
        "contact.category": contact.category,
        "contact.tags": ", ".join(contact.tags),
        "company.name": company.name,
        "company.description": company.description,
        "company.website": company.website,
        "company.senderName": company.sender_name,
        "prompt": brief.prompt,
        "hint": brief.hint,
        "outreach.step": _sent_before(brief) if brief.step > 1 else "",
        "outreach.occurrence": f"Round {brief.occurrence} of this outreach" if brief.occurrence > 1 else "",
        "outreach.subject": brief.subject,
        "outreach.language": f"{brief.language} was asked for" if brief.language else "",
    }
    for number, sent in enumerate(brief.thread, 1):
        facts[f"thread.{number}"] = f"{sent.subject}\n{sent.text}"
    for number, product in enumerate(company.products, 1):
        facts[f"catalogue.{number}"] = ": ".join(filter(None, (product.name, product.description)))
    for label, value in contact.fields.items():
        # A field of the company's may be called like a fact of ours; ours stays.
        facts.setdefault(f"contact.{label}", value)
    return {name: value for name, value in facts.items() if value}


def _sent_before(brief: ComposeBrief) -> str:
    """Describe the previous message of a follow-up."""
    last = brief.thread[-1] if brief.thread else None
    subject = f"The message before: {last.subject}" if last and last.subject else f"Message {brief.step} of its thread"
    if last is None or last.days_ago is None:
        return subject
    if last.days_ago == 0:
        return f"{subject}, sent today"
    return f"{subject}, sent {last.days_ago} day{'s' if last.days_ago != 1 else ''} ago"


def of_template(draft: Draft) -> list[Entry]:
    """Return the evidence of a message from a template: its text is the company's own."""
    parts = (("subject", draft.subject), ("text", draft.text))
    return _limit_entries(
        [_entry(part, at, sentence, TEMPLATE) for part, text in parts for at, sentence in _sentences(text)]
    )


def evidence_of(draft: Draft, brief: ComposeBrief, *, every_sentence: bool = False) -> list[Entry]:
    """Return the evidence of a new draft. A claim whose words are not in the draft is dropped.

    A claim without a fact of the brief is unproved, as is a sentence with a figure or an address that no fact has. For
    models, `every_sentence` extends this to any other statement with more than a few words outside of its claims.
    """
    facts = facts_of(brief)
    parts = {"subject": _Places(draft.subject), "text": _Places(draft.text)}
    entries: list[Entry] = []
    for claim in draft.claims:
        # The model's word for its source is not believed: the fact has to exist and to contain the words.
        source = claim.source if _rests_on(claim, facts) else ""
        value = facts[source][:VALUE_LENGTH] if source else ""
        start = parts[claim.part].find(claim.text)
        if start is not None:
            entries.append(_entry(claim.part, start, claim.text, source, value))
    fact_text = " ".join(facts.values())
    for part, text in (("subject", draft.subject), ("text", draft.text)):
        spans = [(entry["start"], entry["end"]) for entry in entries if entry["part"] == part]
        for start, sentence in _sentences(text):
            left = _beside(sentence, start, spans)
            # Figures and addresses are what models invent, and what does harm when it is wrong.
            if _has_unknown_figure(left, fact_text) or (every_sentence and _states(left)):
                entries.append(_entry(part, start, sentence, ""))
    return _limit_entries(entries)


def _beside(sentence: str, start: int, spans: Iterable[tuple[int, int]]) -> str:
    """Return the words of the sentence outside of the claims in it."""
    left = list(sentence)
    for first, end in spans:
        for at in range(max(first - start, 0), min(end - start, len(left))):
            left[at] = " "
    return "".join(left).rstrip()


def evidence_after_edit(evidence: Sequence[Entry], part: str, before: str, after: str) -> list[Entry]:
    """Return the evidence after a person has changed the part (subject or text).

    The sources of words that are still there are kept, at the new positions. New sentences are the person's.
    """
    if before == after:
        return list(evidence)
    entries: list[Entry] = []
    places = _Places(after)
    for entry in evidence:
        start = places.find(entry["text"]) if entry["part"] == part else None
        if start is not None:
            entries.append(_entry(part, start, entry["text"], entry["source"], entry["value"]))
    old = {sentence for _, sentence in _sentences(before)}
    marked = {(entry["start"], entry["end"]) for entry in entries if entry["source"] == PERSON}
    for start, sentence in _sentences(after):
        # Sentences that a person only moved keep their source.
        if sentence not in old and (start, start + len(sentence)) not in marked:
            entries.append(_entry(part, start, sentence, PERSON))
    return _limit_entries([*(entry for entry in evidence if entry["part"] != part), *entries])


def of_html(evidence: Sequence[Entry], text: str, content: str) -> list[Entry]:
    """Return the evidence of a message whose HTML has these words. Sentences that its text lacks are a person's."""
    said = {sentence for _, sentence in _sentences(text)}
    entries = [
        _entry("html", start, statement, PERSON) for start, statement in _sentences(content) if statement not in said
    ]
    return _limit_entries([*(statement for statement in evidence if statement["part"] != "html"), *entries])


def check_evidence(evidence: Sequence[Entry], facts: Mapping[str, str]) -> list[Entry]:
    """Return the evidence of an edited message, each entry checked against the current facts.

    A person's sentence with a figure or an address that no fact has is unproved. So are words whose fact no longer
    supports them.
    """
    fact_text = " ".join(facts.values())
    # Checked against the facts of now: a contact may have changed since the draft was written.
    return [entry if _holds(entry, facts, fact_text) else {**entry, "source": "", "value": ""} for entry in evidence]


def _holds(entry: Entry, facts: Mapping[str, str], fact_text: str) -> bool:
    source, value = entry["source"], entry["value"]
    if source == PERSON:
        return not _has_unknown_figure(entry["text"], fact_text)
    if source in ("", TEMPLATE) or source.startswith("outreach."):
        return True
    # Products have other numbers as soon as there is a new one.
    names = [name for name in facts if name.startswith("catalogue.")] if source.startswith("catalogue.") else [source]
    if any(facts.get(name, "")[:VALUE_LENGTH] == value for name in names):
        return True
    return any(_rests_on(Claim(text=entry["text"], source=name), facts) for name in names)


def is_unproved(evidence: Iterable[Entry]) -> bool:
    """Return whether the message states something that nothing proves."""
    return any(not entry["source"] for entry in evidence)


def _entry(part: str, start: int, text: str, source: str, value: str = "") -> Entry:
    return {"part": part, "start": start, "end": start + len(text), "text": text, "source": source, "value": value}


def _limit_entries(entries: list[Entry]) -> list[Entry]:
    """Put the entries in order, the most of each part; beyond them one that is unproved is kept."""
    entries.sort(key=lambda entry: (entry["part"], entry["start"], -entry["end"]))
    kept: list[Entry] = []
    for part in dict.fromkeys(entry["part"] for entry in entries):
        part_entries = [entry for entry in entries if entry["part"] == part]
        # Nobody reads more, but one unproved statement is what keeps a message from going.
        beyond = () if is_unproved(part_entries[:MAX_ENTRIES]) else part_entries[MAX_ENTRIES:]
        kept += [*part_entries[:MAX_ENTRIES], *[entry for entry in beyond if not entry["source"]][:1]]
    return kept


class _Places:
    """Positions of texts in words. Each position is returned once: one after the last position if there is one, else
    the first."""

    def __init__(self, text: str) -> None:
        self.words = text
        self.taken: set[tuple[int, int]] = set()
        self.last = 0

    def find(self, text: str) -> int | None:
        """Return where the text begins, or None if it isn't there any more."""
        for start in chain(self._positions(text, self.last), self._positions(text, 0)):
            # The same words may occur twice; each claim gets its own place.
            if (start, start + len(text)) not in self.taken:
                self.taken.add((start, start + len(text)))
                self.last = max(self.last, start + len(text))
                return start
        return None

    def _positions(self, text: str, start: int) -> Iterator[int]:
        """Yield the positions of the text from `start` on, except within longer words."""
        content = self.words
        at = content.find(text, start) if text else -1
        while at >= 0:
            end = at + len(text)
            inside = at > 0 and content[at - 1].isalnum() and text[0].isalnum()
            if not inside and not (end < len(content) and content[end].isalnum() and text[-1].isalnum()):
                yield at
            at = content.find(text, at + 1)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the (start, words) of each sentence. A line ends one."""
    start = 0
    for match in chain(_SENTENCE_END.finditer(text), [None]):
        segment = text[start : match.start() if match else len(text)]
        if sentence := segment.strip():
            yield start + len(segment) - len(segment.lstrip()), sentence
        start = match.end() if match else start


def _rests_on(claim: Claim, facts: Mapping[str, str]) -> bool:
    """Return whether the claim names a fact of the brief, has a word of it, and no figure that it has not."""
    value = facts.get(claim.source)
    if value is None:
        return False
    if claim.source in (
        "outreach.step",
        "outreach.occurrence",
        "outreach.language",
    ):  # no words of a message repeat them
        return True
    if _has_unknown_figure(claim.text, value):
        return False
    said, value = claim.text.casefold(), value.casefold()
    # Only the presence of a word is asked for: models rephrase, and a strict comparison would refuse good
    # text.
    return said in value or any(_stem(word) in said for word in re.findall(r"\w+", value))


def _stem(word: str) -> str:
    """Return the common stem of a word and its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _has_unknown_figure(sentence: str, fact_text: str) -> bool:
    return any(figure.rstrip(".,!?)") not in fact_text for figure in _FIGURE.findall(sentence))


def _states(sentence: str) -> bool:
    """Return whether a sentence is a statement: no question, greeting or sign-off."""
    return len(re.findall(r"\w+", sentence)) >= MIN_WORDS and not sentence.endswith(("?", ","))
