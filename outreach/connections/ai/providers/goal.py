"""Reads prompts. From the instruction 'Invite them to our webinar' it writes 'I would like to invite you'."""

import re
from dataclasses import dataclass
from typing import Literal

from outreach.connections.ai.providers.base import Claim
from outreach.connections.ai.providers.cleaning import one_line, shorten, without_placeholders

Kind = Literal[
    "invite",
    "inform",
    "ask",
    "follow_up",
    "thank",
    "offer",
    "present",
    "meet",
    "feedback",
    "win_back",
    "remind",
    "general",
]

_WHO = (
    r"(?:them|him|her|people|everyone|everybody|(?:all |each of )?(?:the|our|these|those|my|all)?\s*(?:\w+\s)?"
    r"(?:contacts?|leads?|customers?|clients?|recipients?|prospects?|subscribers?|users?|partners?|audience))"
)
_SENTENCE_LENGTH = 400  # characters, for scripts that write without spaces
_POLITE = re.compile(
    r"^(?:please|kindly|i want (?:you )?to|we want (?:you )?to|i(?:'d| would) like (?:you )?to|we(?:'d"
    r"| would) like to|we need to"
    r"|(?:can|could) you|let's|try to)\s+",
    re.IGNORECASE,
)
_WRITE = re.compile(
    rf"^(?:(?:write|send|draft|compose|create|prepare)\s+(?:(?:an?|the|some)\s+)?(?:[\w-]+\s+){{0,3}}?(?:e-?mails?|messages?|mails?|notes?|letters?)"
    rf"|(?:e-?mail|write(?: to)?|message|contact|reach out to)\s+{_WHO})\s*"
    rf"(?:(?:to|for)\s+{_WHO}\s*)?(?:(?:to|and|that|which|in order to)\s+)?",
    re.IGNORECASE,
)
_GERUNDS = {
    "inviting": "invite", "offering": "offer", "asking": "ask", "telling": "tell", "informing": "inform",
    "thanking": "thank",
    "introducing": "introduce", "presenting": "present", "announcing": "announce", "reminding": "remind",
    "promoting": "promote",
    "following up": "follow up", "sharing": "share",
}  # fmt: skip
_STYLE = re.compile(
    r"^(?:keep|use|make|be|don'?t|do not|never|avoid|sign|sound|stay|write|limit|start with|end with|include a"
    r"|add a|no more than"
    r"|tone|subject|language|in (?:english|german|french|spanish))\b",
    re.IGNORECASE,
)
# Long runs of spaces and newlines are removed first: each pattern below would start again at every one of them.
_BLANKS = re.compile(r"[^\S\r\n]+")
_NEWLINES = re.compile(r" ?[\r\n]\s*")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!Mr\.)(?<!Dr\.)(?<!Ms\.)(?<!Mrs\.)(?<!e\.g\.)(?<!i\.e\.)(?<!a\.m\.)(?<!p\.m\.)"
    r"(?<!Nr\.)(?<!bzw\.)(?<!ca\.)(?<!z\.B\.)(?<!z\. B\.)(?<!Sr\.)(?<!Sra\.)(?<!\bM\.)"
    # A day of the month in German: am 3. Mai.
    r"(?<!\d\.(?=\s+(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))\s+|\s*[\r\n]+\s*|;\s+"
)

_ABOUT = r"(?:about|of|on|regarding|concerning)"
_QUESTION = r"(?:if|whether|what|when|which|how|why|who|where)\b"
_MEETING = r"(?:an?|the|some)?\s*(?:[\w-]+\s+){0,3}?(?:calls?|meetings?|demos?|appointments?|visits?)\b.*?"
# Actions that a prompt without a subject asks of the recipients.
_ACTIONS = (
    "visit|try|buy|order|renew|register|sign up|reply|answer|come|join|download|read|look at|check|complete"
    "|fill|update|confirm|pay"
    "|subscribe|attend|vote|choose|upgrade|switch|donate|apply|test|rate|review|recommend"
)
_ORDINARY = frozenset(
    {
        "our",
        "the",
        "a",
        "an",
        "new",
        "this",
        "free",
        "your",
        "you",
        "all",
        "if",
        "whether",
        "what",
        "when",
        "how",
        "why",
    }
    | {action.split()[0] for action in _ACTIONS.split("|")}
)
"""Words that have no capital first letter in the middle of a sentence."""
# Each rule: the kind of goal, the instruction, and the resulting sentence; `x` is the subject of the instruction.
_TABLE: tuple[tuple[Kind, str, str], ...] = (
    ("invite", rf"invite (?:{_WHO} )?(?:to|for) (?P<x>.+)", "I would like to invite you to {x}"),
    ("invite", rf"invite {_WHO}", "I would like to invite you"),
    (
        "follow_up",
        rf"follow(?: |-)?up (?:with {_WHO} )?(?:{_ABOUT}|after|to|for) (?P<x>.+)",
        "I am writing to follow up on {x}",
    ),
    ("follow_up", rf"(?:follow(?: |-)?up|check in)(?: with {_WHO})?", "I am writing to follow up on our last contact"),
    ("thank", rf"(?:say thank you to|thank) (?:{_WHO} )?for (?P<x>.+)", "Thank you for {x}"),
    ("remind", rf"remind {_WHO} that (?P<x>.+)", "I wanted to remind you that {x}"),
    ("remind", rf"remind {_WHO} {_ABOUT} (?P<x>.+)", "I wanted to remind you of {x}"),
    ("remind", rf"remind {_WHO} to (?P<x>.+)", "I wanted to remind you to {x}"),
    ("inform", rf"(?:tell|inform|notify|update) {_WHO} that (?P<x>.+)", "I wanted to let you know that {x}"),
    ("inform", rf"let {_WHO} know (?:that )?(?P<x>(?!about\b).+)", "I wanted to let you know that {x}"),
    (
        "inform",
        rf"(?:tell|inform|notify|update|let) {_WHO} (?:know )?{_ABOUT} (?P<x>.+)",
        "I wanted to tell you about {x}",
    ),
    (
        "feedback",
        rf"(?:ask {_WHO} for|get|collect|request|gather) (?:their )?(?:feedback|opinions?|views?) {_ABOUT} (?P<x>.+)",
        "I would like to hear what you think of {x}",
    ),
    ("ask", rf"(?:ask|find out from) {_WHO} (?P<x>(?:{_QUESTION}|to\b|for\b|about\b).+)", "I wanted to ask you {x}"),
    ("ask", rf"(?:ask|find out) (?P<x>(?:{_QUESTION}|for\b|about\b).+)", "I wanted to ask you {x}"),
    ("offer", rf"(?:offer|give) (?:{_WHO} )?(?P<x>.+)", "I would like to offer you {x}"),
    (
        "meet",
        rf"(?:book|schedule|arrange|set up|get|plan) (?P<x>{_MEETING})(?: with {_WHO})?",
        "I would like to arrange {x} with you",
    ),
    ("meet", rf"meet (?:with )?{_WHO} (?P<x>.+)", "I would like to meet you {x}"),
    ("present", rf"(?:introduce|present|announce) {_WHO} to (?P<x>.+)", "I would like to introduce you to {x}"),
    (
        "present",
        rf"(?:share|show|send) (?:{_WHO} )?(?P<x>.+?)(?: (?:with|to) {_WHO})?",
        "I would like to share {x} with you",
    ),
    (
        "present",
        rf"(?:introduce|present|announce|promote|advertise|sell|pitch|launch) (?P<x>.+?)(?: to {_WHO})?",
        "I would like to introduce {x} to you",
    ),
    (
        "win_back",
        rf"(?:win|bring) (?:back {_WHO}|{_WHO} back)\b.*",
        "It has been a while, and I would be glad to welcome you back",
    ),
    (
        "win_back",
        rf"(?:re-?engage|reactivate|reconnect with) {_WHO}\b.*",
        "It has been a while, and I would be glad to be in touch again",
    ),
    (
        "inform",
        rf"(?:encourage|urge|persuade|convince|motivate|get) {_WHO} to (?P<x>.+)",
        "I would like to encourage you to {x}",
    ),
    ("inform", rf"(?P<x>(?:{_ACTIONS})\b.+)", "I would like to ask you to {x}"),
    ("offer", r"(?P<x>\d+ ?% off\b.*)", "I would like to offer you {x}"),
    ("offer", r"(?P<x>\d+ ?% (?:discount|rebate|reduction)\b.*)", "I would like to offer you a {x}"),
    ("inform", r"(?:mention|say|explain|point out|add|note|state) (?:that )?(?P<x>.+)", "{x}"),
)
_RULES = [
    (kind, re.compile(rf"^{pattern}$", re.IGNORECASE | re.DOTALL), sentence) for kind, pattern, sentence in _TABLE
]
_NEXT = re.compile(
    r",?\s+(?:and|then)\s+(?:also\s+|then\s+)?"
    r"(?=(?:invite|ask|tell|inform|offer|give|remind|thank|mention|let|share|show|introduce|announce|book|schedule|arrange)\b)",
    re.IGNORECASE,
)
_REQUEST = rf"(?:invite|ask|tell|inform|offer|give|remind|thank|encourage) {_WHO}(?!\w)"
_NEXT_REQUEST = re.compile(
    rf"(?:[,:]|\s[–—-])\s+(?={_REQUEST})|(?<=\w)\s+(?=(?-i:[A-Z])\w+\s)(?={_REQUEST})", re.IGNORECASE
)
"""The place before a request in the middle of a sentence, such as that in 'We open in May, invite them'."""
_STATEMENT = re.compile(
    rf"(?:(?:on|from|in|at|as of|until|this|next|since|after|before|with|for) (?!{_QUESTION}).*\b)?(?:we|i)\b|our\b",
    re.IGNORECASE,
)
_TO_YOU = re.compile(r"\w+ (?:up (?:with )?)?you\b", re.IGNORECASE)
_TO_WHO = re.compile(_REQUEST, re.IGNORECASE)
_PRONOUNS = {
    "they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourself", "they're": "you're",
    "they've": "you've",
    "they'd": "you'd", "they'll": "you'll",
}  # fmt: skip
_PRONOUN = re.compile(r"\b(" + "|".join(sorted(_PRONOUNS, key=len, reverse=True)) + r")(?![\w'])", re.IGNORECASE)
_OWN_WORDS = re.compile(
    r"^(?:we|our|i|my|you|your|it|this|there|there's|on|from|as of|until|only|every|all|for)\b|\b(?:you|your)\b",
    re.IGNORECASE,
)
_HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|will|has|have|had|can|offers?|starts?|begins?|opens?|ends?|takes? place|costs?|comes?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a prompt: its kind, the topic in a few words, and the sentences to the recipient.

    `claims` are the sources of the sentences. Without any, the source is the prompt.
    """

    kind: Kind
    topic: str
    sentences: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    topics: tuple[tuple[Kind, str], ...] = ()
    """Kind and topic of each sentence."""


def read_goal(prompt: str, *, words: int = 70) -> Goal | None:
    """Return the goal of a prompt, with sentences of at most this many words in total; None when nothing is left."""
    statements: list[tuple[Kind, str, str]] = []
    text = _BLANKS.sub(" ", without_placeholders(prompt[:4000]))
    for raw in _SENTENCE_END.split(_NEWLINES.sub("\n", text)):
        parts = [part for line in _NEXT_REQUEST.split(raw) for part in _instructions(line)]
        spoken = (_sentence(one_line(part).strip(" -*•\"'")) for part in parts)
        statements += [statement for statement in spoken if statement]
    if not statements:
        return None
    sentences: list[str] = []
    left = words
    for _kind, _topic, sentence in statements[:5]:
        if left <= 3:
            break
        sentences.append(shorten(sentence, left, _SENTENCE_LENGTH))
        left -= len(sentence.split())
    topics = tuple((kind, topic) for kind, topic, _ in statements[: len(sentences)])
    return Goal(statements[0][0], statements[0][1], tuple(sentences), topics=topics)


def _instructions(line: str) -> list[str]:
    """Split a line before each further instruction; a verb that shares the subject of its sentence is none."""
    parts: list[str] = []
    start = 0
    for following in _NEXT.finditer(line):
        rest = line[following.end() :]
        is_statement = _STATEMENT.match(line[start : following.start()].lstrip(" -*•\"'")) is not None
        if _TO_YOU.match(rest) or (is_statement and not _TO_WHO.match(rest)):
            continue
        parts.append(line[start : following.start()])
        start = following.end()
    return [*parts, line[start:]]


def _sentence(instruction: str) -> tuple[Kind, str, str] | None:
    """Turn one instruction into (kind, topic, sentence). Returns None when it is only about style."""
    text = _WRITE.sub("", _POLITE.sub("", instruction)).strip(" :,")
    text = _POLITE.sub("", text)
    for gerund, verb in _GERUNDS.items():
        if text.lower().startswith(gerund + " "):
            text = verb + text[len(gerund) :]
    if not any(character.isalnum() for character in text) or _STYLE.match(text):
        return None
    ending = text[-1] if text.endswith(("?", "!")) else "."
    bare = text.rstrip(" .!?,;:")
    for kind, pattern, sentence in _RULES:
        if found := pattern.match(bare):
            topic = _to_you((found.groupdict().get("x") or "").strip())
            if kind == "meet":
                topic = topic.replace(" with you", "")
            if not sentence.startswith("{x}"):
                topic = _lower_first(topic)
            return kind, topic, _as_sentence(sentence.replace("{x}", topic), "." if ending == "?" else ending)
    about = re.match(rf"^{_ABOUT}\s+(.+)$", bare, re.IGNORECASE | re.DOTALL)
    if about and not _STATEMENT.match(bare):
        return (
            "inform",
            _to_you(about.group(1)),
            _as_sentence(f"I am writing to you about {_to_you(about.group(1))}", "."),
        )
    said = _to_you(bare)
    if _OWN_WORDS.search(bare) or _HAS_VERB.search(bare) or ending != ".":
        return "general", said, _as_sentence(said, ending)
    return "general", said, _as_sentence(f"I am writing to you about {_lower_first(said)}", ".")


def _to_you(text: str) -> str:
    def swap_pronoun(match: re.Match[str]) -> str:
        word = _PRONOUNS[match.group().lower()]
        return word.capitalize() if match.group()[0].isupper() else word

    return _PRONOUN.sub(swap_pronoun, text)


def _as_sentence(sentence: str, ending: str) -> str:
    return sentence[:1].upper() + sentence[1:] + ("" if sentence.endswith("…") else ending)


def _lower_first(text: str) -> str:
    """Lower-case the first letter of an ordinary word; names and abbreviations stay as they are."""
    if text.startswith("to "):
        return f"to {_lower_first(text[3:])}"
    first = text.split(" ", 1)[0]
    return (
        text[:1].lower() + text[1:] if first.lower() in _ORDINARY and not (len(first) > 1 and first.isupper()) else text
    )
