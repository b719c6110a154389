"""Reads the purpose of an outreach, such as 'Marketing managers in Berlin, to invite them to our open day'.

It separates the people to search for from the subject of their messages: recipients never read the search criteria.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from outreach.connections.ai.providers.goal import read_goal

_VERBS = (
    r"(?:invite|tell|inform|notify|update|let|offer|give|ask|thank|remind|introduce|present|show|share|send|promote"
    r"|advertise|sell|pitch|announce|book|schedule|arrange|set up|meet|win|re-?engage|reactivate|reconnect"
    r"|follow(?:[ -])?up|check in|encourage|persuade|convince|explain|recommend)"
)
_BLANK = re.compile(r"\s+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\s*[\r\n]+\s*|;\s+")
_FOR = re.compile(
    rf"(?P<comma>\s*[,:–—]\s*|\s+)(?P<and>(?:and|then|so that we can|so i can)\s+)?"
    rf"(?:(?:in order |so as )?to\s+)?(?:please\s+)?(?=(?P<verb>{_VERBS})\b)",
    re.IGNORECASE,
)
"""Start of the purpose of the messages within a sentence."""
_FOREIGN = re.compile(r",?\s+(?:um\s+(?:sie|ihnen|ihn)|pour (?:les|leur)|para)\b.*", re.IGNORECASE)
"""The same in German, French and Spanish, without a request."""
_THEM = re.compile(r"\b(?:them|him|her|their|everyone|everybody)\b", re.IGNORECASE)
_REQUEST = re.compile(rf"^(?:please\s+)?(?P<verb>{_VERBS})\s+(?P<rest>.+)$", re.IGNORECASE)
_THING = re.compile(r"^(?P<thing>(?:our|my|the|an?|\d\S*)\s.+?)\s+to\s+(?P<who>.+)$", re.IGNORECASE)
"""Our coffee to restaurants in Hamburg."""
_PEOPLE = re.compile(r"^(?P<who>.+?)\s+(?P<about>(?:to|about|that|for|whether|if)\s+.+)$", re.IGNORECASE)
"""Restaurants in Hamburg to our tasting."""
_OURS = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Purpose:
    """The people to search for, and the message to them; "" if the description does not contain it."""

    who: str
    what: str


def read_purpose(text: str) -> Purpose:
    """Split a description into the people to search for and the request to write. Unclear parts belong to the
    people."""
    who: list[str] = []
    what: list[str] = []
    for sentence in _SENTENCES.split(text[:4000].strip()):
        said = _BLANK.sub(" ", sentence).strip(" .")
        if not said:
            continue
        people, request = _split(said) if not who else _later(said)
        who += [people] if people else []
        what += [request] if request else []
    return Purpose(". ".join(who) or text.strip(), "".join(f"{request_part}. " for request_part in what).strip())


def _split(said: str) -> tuple[str, str]:
    """Split the sentence that describes the people to search for."""
    for match in _FOR.finditer(said):
        people, request = said[: match.start()], said[match.end() :]
        clear = match["comma"].strip() or match["and"] or _THEM.search(request)
        if people and clear and is_request(request):
            return people, request
    if (request_match := _REQUEST.match(said)) is not None:
        verb, rest = request_match["verb"], request_match["rest"]
        if (of := _THING.match(rest)) is not None and not _THEM.match(of["who"]):
            people, request = of["who"], f"{verb} {of['thing']}"
        elif (of := _PEOPLE.match(rest)) is not None and not _THEM.match(of["who"]):
            people, request = of["who"], f"{verb} them {of['about']}"
        else:
            people, request = ("", said) if _THEM.search(rest) else (said, "")
        return people, request if is_request(request) else ""
    return _FOREIGN.sub("", said) or said, ""


def _later(said: str) -> tuple[str, str]:
    """Return a further sentence as (description of the people, message to them); one of both is empty."""
    is_message = is_request(said) or (_OURS.search(said) is not None and _REQUEST.match(said) is None)
    return ("", said) if is_message else (said, "")


def is_request(text: str) -> bool:
    """Return whether the text is a request that a message can fulfil without repeating it."""
    goal = read_goal(text) if text else None
    return goal is not None and all(kind != "general" for kind, _ in goal.topics)
