"""Business cards: the person of a card, from the lines read on it, with confidences.

The confidence of a field is the product of that of its line and that of the line being the field. A valid address is
certain, a name only if the address confirms it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import phonenumbers
from phonenumbers import PhoneNumberMatcher

from core.text.addresses import BadAddress, read_email

FIELDS = ("name", "company", "email", "phone", "site")
MAX_LINES = 60
MAX_CHARACTERS = 200
_EMAIL = re.compile(r"[\w.+%-]+ ?(?:@|\(at\)|\[at\]) ?[\w-]+(?: ?\. ?[\w-]+)+", re.IGNORECASE)
_SITE = re.compile(r"(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,24})(?:/[\w./-]*)?", re.IGNORECASE)
_FORMS = re.compile(
    r"\b(gmbh|ag|kg|ohg|ug|se|e\.v\.|ltd|limited|llc|llp|plc|inc|corp|co\.|s\.?a\.?|sas|sarl|s\.?r\.?l\.?|s\.?p\.?a\.?"
    r"|b\.?v\.?|n\.?v\.?|oy|ab|a/s|aps|sp\. ?z ?o\.?o\.?|kft|d\.?o\.?o\.?)(?=\W|$)",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"\b(manager|director|head|chief|officer|engineer|sales|consultant|leiter|leitung|geschäftsführ\w*|vertrieb|berater\w*"
    r"|ceo|cto|cfo|coo|founder|partner|assistant|street|road|avenue|straße|strasse|str|platz|weg|allee|suite|floor|tel"
    r"|fon|phone|mobil\w*|fax|mail|www)\b",
    re.IGNORECASE,
)
_FAX = re.compile(r"\b(tele)?fax\b|^\s*f\s*[:.]", re.IGNORECASE)
_MOBILE = re.compile(r"\b(mobile?|cell|handy|gsm)\b|^\s*m\s*[:.]", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[|•·]\s*")
_FREE_MAIL = frozenset({"gmail", "googlemail", "outlook", "hotmail", "yahoo", "icloud", "gmx", "web", "aol", "proton"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture: how surely it was read (0 to 1), and how high its letters are."""

    text: str
    confidence: float = 1.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class FieldGuess:
    """The probable value of a field, and its confidence."""

    value: str
    confidence: float


def read_card(lines: Sequence[Line], *, region: str = "") -> dict[str, FieldGuess]:
    """Return the fields that the lines hold, by name. `region` (such as DE) is where numbers without + are dialled."""
    rest = [
        Line(text, min(1.0, max(0.0, part.confidence)), part.height)
        for part in lines[:MAX_LINES]
        for text in map(_clean, _BETWEEN.split(part.text))
        if text
    ]
    fields: dict[str, FieldGuess] = {}
    email, rest = _email(rest)
    site, rest = _site(rest)
    phone, rest = _phone(rest, region)
    domains = [part.value.rpartition("@")[2] for part in (email, site) if part]
    labels = {_label(domain) for domain in domains} - _FREE_MAIL
    local = email.value.partition("@")[0] if email else ""
    name = _name(rest, local)
    if name is not None and name[0] == 1:  # who is called like the company is no company
        company = _company(_without(rest, name[1]), labels)
    else:
        company = _company(rest, labels)
        name = _name([part for part in rest if company is None or part.text != company.value], local)
    person = FieldGuess(name[1].text, name[0] * name[1].confidence) if name else None
    for field, part in zip(FIELDS, (person, company, email, phone, site), strict=True):
        if part is not None:
            fields[field] = part
    return fields


def _clean(text: str) -> str:
    text = "".join(character if character.isprintable() else " " for character in unicodedata.normalize("NFKC", text))
    return " ".join(text.split())[:MAX_CHARACTERS]


def _without(lines: Sequence[Line], used: Line, part: str = "") -> list[Line]:
    """Return the other lines, with the rest of the used one after `part` is removed."""
    left = used.text.replace(part, " ").strip(" :|,;·•-") if part else ""
    rest = [Line(left, used.confidence, used.height)] if len(left) > 2 else []
    return [each for line in lines for each in (rest if line is used else [line])]


def _email(lines: list[Line]) -> tuple[FieldGuess | None, list[Line]]:
    for line in lines:
        for match in _EMAIL.finditer(line.text):
            text = re.sub(r"\(at\)|\[at\]", "@", match[0], flags=re.IGNORECASE).replace(" ", "")
            try:
                return FieldGuess(read_email(text).lower(), line.confidence), _without(lines, line, match[0])
            except BadAddress:
                continue
    return None, lines


def _site(lines: list[Line]) -> tuple[FieldGuess | None, list[Line]]:
    for line in lines:
        match = _SITE.search(line.text)
        if match is None or "@" in line.text:
            continue
        surely = match[0].lower().startswith(("www.", "http"))
        if surely or " " not in line.text:
            address = match[0] if "://" in match[0] else f"https://{match[0]}"
            return FieldGuess(address.rstrip("/.").lower(), line.confidence * (1 if surely else 0.95)), _without(
                lines, line, match[0]
            )
    return None, lines


def _phone(lines: list[Line], region: str) -> tuple[FieldGuess | None, list[Line]]:
    """Return the number as E.164: a mobile's before others, and none of a fax."""
    numbers: list[tuple[bool, FieldGuess]] = []
    used = []
    for line in lines:
        for match in PhoneNumberMatcher(line.text, region or None):
            used.append(line)
            number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
            before = line.text[: match.start].rpartition("/")[2]
            if not _FAX.search(before):
                numbers.append((not _MOBILE.search(before), FieldGuess(number, line.confidence)))
    best = min(numbers, key=lambda entry: entry[0])[1] if numbers else None
    return best, [entry for entry in lines if entry not in used]


def _label(domain: str) -> str:
    """Return the name in a domain: acme of www.acme.co.uk."""
    host = domain.lower().removeprefix("https://").removeprefix("http://").partition("/")[0]
    parts = [part for part in host.split(".") if part != "www"]
    parts = parts[:-1]
    if len(parts) > 1 and parts[-1] in ("co", "com", "org", "net", "ac", "gov"):
        parts.pop()
    return parts[-1] if parts else ""


def _letters(text: str) -> str:
    """Return the letters and digits in lower case, without accents: ä is ae and a alike."""
    plain = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    return "".join(character for character in plain if character.isalnum())


def _spellings(text: str) -> set[str]:
    german = text.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return {_letters(text), _letters(german)}


def _company(lines: list[Line], labels: Iterable[str]) -> FieldGuess | None:
    """Return the company: a line with a legal form, or one that matches the domain."""
    plain_labels = {_letters(label) for label in labels} - {""}
    best: tuple[float, Line] | None = None
    for line in lines:
        sure = 0.0
        plain = _spellings(_FORMS.sub(" ", line.text))
        if any(
            label in spelling or (len(spelling) > 3 and spelling in label)
            for label in plain_labels
            for spelling in plain
        ):
            sure = 0.97
        if _FORMS.search(line.text):
            sure = 1.0 if sure else 0.95
        if sure and (best is None or sure * line.confidence > best[0]):
            best = (sure * line.confidence, line)
    return FieldGuess(best[1].text, best[0]) if best else None


def _name(lines: list[Line], local: str) -> tuple[float, Line] | None:
    """Return the line of the name, and its certainty: the line that matches the address, else the largest."""
    parts = {_letters(part) for part in re.split(r"[._+-]", local)} - {""}
    best: tuple[float, float, Line] | None = None
    for line in lines:
        words = line.text.split()
        letters = sum(piece.isalpha() for piece in line.text)
        if not 2 <= len(words) <= 5 or letters < 0.8 * len(line.text.replace(" ", "")):
            continue
        if any(piece.isdigit() for piece in line.text) or _NO_NAME.search(line.text):
            continue
        spelled = [_spellings(word) for word in words]
        said = sum(any(part in piece for piece in spelled) for part in parts if len(part) > 1)
        joined = _spellings("".join(words)) | _spellings(words[0][:1] + words[-1])
        if joined & {_letters(local)} or (parts and said == len(parts)):
            sure = 1.0
        else:
            sure = 0.95 if said else 0.7
        if best is None or (sure, line.height) > best[:2]:
            best = (sure, line.height, line)
    return (best[0], best[2]) if best else None
