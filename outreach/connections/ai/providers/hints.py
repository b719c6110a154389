"""The offline composer's reading of a hint: shorter or longer, a tone, and something to mention."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outreach.connections.ai.providers.cleaning import one_line, without_placeholders

_MENTION = re.compile(
    r"\b(?:also\s+)?(?:mention|erwähnen?|erwähn|mentionnez|mentionner|mentionne|menciona|mencione|mencionar)\s+"
    r"(?:that\s+|dass\s+|que\s+|:\s*)?(?P<x>[^.;\n]+)",
    re.IGNORECASE,
)
_SHORTER = re.compile(
    r"\b(?:short(?:er)?|briefer|concise|kürzer|kurz|(?:plus\s+)?court|(?:más\s+)?(?:corto|breve))\b", re.I
)
_LONGER = re.compile(
    r"\b(?:long(?:er)?|more\s+detail(?:ed|s)?|länger|ausführlicher|(?:plus\s+)?long|(?:más\s+)?largo)\b", re.I
)
_TONES = re.compile(
    r"\b(?:(?:in)?formal(?:ly)?|professional|polite(?:r)?|business(?:like)?|official|respectful|direct|crisp"
    r"|to the point|brief|enthusias\w*|excit\w*|energetic|upbeat|passionate|bold(?:er)?|friend\w*|warm(?:er)?|casual"
    r"|kind(?:er)?|relaxed|personal|förmlich(?:er)?|freundlich(?:er)?|(?:in)?formel(?:le)?|amical(?:e)?"
    r"|chaleureu(?:x|se)|amable|cercan[oa])\b",
    re.IGNORECASE,
)
_FILLERS = """
    a an the it this that them be is make keep write sound please more much a bit little rather slightly very and but
    also too tone in with of message mail email e-mail text style way
    less weniger moins menos
    bitte mach mache es etwas ein bisschen mehr und auch sehr die das der nachricht
    un une peu plus et aussi le la message s'il vous te plaît rends rendez soit soyez
    más y también el mensaje por favor hazlo que sea algo poco
"""
KNOWN = 'shorter, longer, a tone such as more formal or friendlier, and "mention …"'


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint, read."""

    shorter: bool = False
    longer: bool = False
    mention: str = ""
    """The text to mention, in the user's wording."""
    tone: str = ""
    """The part of the text that may name a tone."""
    ignored: str = ""
    """Parts of the hint without a rule."""


def read_hint(text: str) -> Hint:
    """Read a hint. What is left of it is ignored."""
    said = one_line(without_placeholders(text[:1000].replace("\n", ". ")))
    match = _MENTION.search(said)
    rest = said if match is None else f"{said[: match.start()]} {said[match.end() :]}"
    left = _TONES.sub(" ", _LONGER.sub(" ", _SHORTER.sub(" ", rest)))
    fillers = _FILLERS.split()
    unknown = [word for word in re.findall(r"[\w'’%-]+", left) if word.lower().strip("-'’") not in fillers]
    return Hint(
        shorter=_SHORTER.search(rest) is not None,
        longer=_LONGER.search(rest) is not None,
        mention=match["x"].strip(" ,:!?\"'“”") if match else "",
        tone=rest,
        ignored=" ".join(unknown)[:100],
    )
