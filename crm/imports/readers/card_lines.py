"""Split a vCard file into cards, and the cards into properties, of versions 2.1, 3.0 and 4.0.

The grammar of a line is that of iCalendar, whose parser reads it. The differences of 2.1 are converted before:
parameters without names, repeated parameters and quoted-printable values.
"""

from __future__ import annotations

import contextlib
import quopri
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from icalendar.parser import split_on_unescaped_comma, split_on_unescaped_semicolon
from icalendar.parser.content_line import Contentline
from icalendar.parser.property import unescape_backslash

from core.text.charsets import is_charset
from crm.imports.readers.base import MAX_CELL_CHARS
from crm.imports.readers.lines import OVERLONG

MAX_CARD_CHARS = 1_000_000
MAX_CARD_LINES = 5_000
MAX_PARAMETERS_CHARS = 2_000
MAX_PARTS = 1_000
"""The items of one value that are read."""
LINE = re.compile(r"(?:[A-Za-z0-9_-]+\.)?([A-Za-z][A-Za-z0-9_-]*)((?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):", re.DOTALL)
PARAMETER = re.compile(r";((?:[^;\"]|\"[^\"]*\")*)")
# Their values are pictures, sounds and keys, which can be longer than all the rest.
IGNORED = frozenset({"PHOTO", "LOGO", "SOUND", "KEY", "VERSION", "PRODID", "REV", "UID", "AGENT", "MAILER", "SOURCE"})
ENCODINGS = {"QUOTED-PRINTABLE", "BASE64", "B", "8BIT", "7BIT"}
LAST_PREFERENCE = 101
NO_PERSON = re.compile(
    r"(?:[A-Za-z0-9_-]+\.)?(?:(?:X-(?:ADDRESSBOOKSERVER-)?)?KIND(?:;[^:]*)?:\s*(?:group|location|device|application)\s*"
    r"|(?:X-ADDRESSBOOKSERVER-)?MEMBER(?:;[^:]*)?:.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A property that only cards of groups, places and things have."""


@dataclass(slots=True)
class Card:
    """The unfolded lines of one card, or its problem."""

    number: int
    lines: list[str] = field(default_factory=list)
    version: str = ""
    problem: str = ""
    size: int = 0
    count: int = 0
    """Number of the file's lines that were added to it."""
    pieces: list[str] = field(default_factory=list)
    """The parts of the last line, which is joined once."""
    length: int = 0

    def close_line(self) -> None:
        """Put the last line together."""
        if self.pieces:
            self.lines[-1] = "".join(self.pieces)
            self.pieces = []

    @property
    def is_person(self) -> bool:
        """Return whether the card is that of a person or firm, rather than of a group, place or thing."""
        return not any(map(NO_PERSON.fullmatch, self.lines))


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a property. `preference` is 1 for the first choice, LAST_PREFERENCE for none."""

    types: frozenset[str]
    preference: int
    charset: str
    is_quoted: bool
    """The value is written as quoted-printable."""
    omitted_year: str


@dataclass(slots=True)
class Property:
    """One property of a card."""

    name: str
    value: str
    parameters: Parameters

    @property
    def text(self) -> str:
        """The value as plain text."""
        if self.parameters.is_quoted:
            return self._decode(self.value)
        return (unescape_backslash(self.value) if "\\" in self.value else self.value).strip()

    @property
    def parts(self) -> list[str]:
        """The parts of a value such as a name or an address."""
        if self.parameters.is_quoted:
            return [self._decode(part) for part in re.split(r"(?<!\\);", self.value)[:MAX_PARTS]]
        split = split_on_unescaped_semicolon(self.value) if "\\" in self.value else self.value.split(";")
        return [part.strip() for part in split]

    @property
    def items(self) -> list[str]:
        """The items of a list such as categories."""
        if self.parameters.is_quoted:
            return [self._decode(part) for part in re.split(r"(?<!\\)[,;]", self.value)[:MAX_PARTS]]
        return [part.strip() for part in split_on_unescaped_comma(self.value)]

    def _decode(self, text: str) -> str:
        """Return a quoted-printable text in its own encoding."""
        content = quopri.decodestring(text.encode("utf-8", "replace"))
        for charset in (self.parameters.charset or "utf-8", "utf-8"):
            with contextlib.suppress(LookupError, UnicodeError):
                if not is_charset(charset):
                    continue
                return str(unescape_backslash(content.decode(charset).replace("\r\n", "\n"))).strip()
        return str(unescape_backslash(content.decode("cp1252", "replace"))).strip()


def split_cards(lines: Iterable[str]) -> Iterator[Card]:
    """Yield the cards of a file, numbered from 1. What is between cards is left out."""
    card: Card | None = None
    number = nested = 0
    ignored = False
    for line in lines:
        line = line.rstrip("\r\n")
        word = line[:12].strip().upper()
        if word.startswith("BEGIN:VCARD"):
            if card is not None and (nested or _ends_with_agent(card)):
                nested += 1
                continue
            if card is not None:
                card.close_line()
                card.problem = card.problem or "The card has no end (END:VCARD)."
                yield card
            number += 1
            card, ignored = Card(number), False
        elif card is None:
            continue
        elif word.startswith("END:VCARD"):
            if nested:
                nested -= 1
                continue
            card.close_line()
            yield card
            card = None
        elif not nested:
            ignored = _add_line(card, line, ignored)
    if card is not None:
        card.close_line()
        card.problem = card.problem or "The card has no end (END:VCARD); the file may be cut off."
        yield card


def _ends_with_agent(card: Card) -> bool:
    return len(card.pieces) == 1 and card.pieces[0].rstrip(": ").upper() == "AGENT"


def _add_line(card: Card, line: str, ignored: bool) -> bool:
    """Add a line of the file to the card. Returns whether it belongs to an ignored property."""
    if line.startswith(OVERLONG):
        return True  # nothing but a picture is as long
    if line[:1] in (" ", "\t"):
        # 2.1 folds before a blank, which stays; later versions insert one.
        if not ignored and card.lines:
            _extend(card, line if card.version.startswith("2") else line[1:])
        return ignored
    if not line.strip():
        return ignored
    if not ignored and card.pieces and card.pieces[-1].endswith("=") and _is_quoted(card.pieces[0]):
        card.pieces[-1] = card.pieces[-1][:-1]
        _extend(card, line)
        return False
    match = LINE.match(line)
    name = match.group(1).upper() if match else ""
    if ignored and not match:
        return True  # pictures of old programs are not folded
    if name == "VERSION":
        card.version = line.partition(":")[2].strip()
    if name in IGNORED and not (name == "AGENT" and line.endswith(":")):
        return True
    card.close_line()
    card.length = 0
    if card.count < MAX_CARD_LINES:
        card.lines.append("")
    _extend(card, line)
    return False


def _extend(card: Card, text: str) -> None:
    card.size += len(text)
    card.count += 1
    if card.count > MAX_CARD_LINES:
        card.problem = card.problem or f"The card has more than {MAX_CARD_LINES:,} lines. Leave some out."
    elif card.size > MAX_CARD_CHARS or card.length + len(text) > MAX_CELL_CHARS:
        card.problem = card.problem or f"A value of the card is longer than {MAX_CELL_CHARS:,} characters. Shorten it."
    else:
        card.pieces.append(text)
        card.length += len(text)


def _is_quoted(line: str) -> bool:
    return "QUOTED-PRINTABLE" in line.partition(":")[0].upper()


def read_property(line: str) -> Property:
    """Return the property of an unfolded line. Raises ValueError for an invalid line."""
    match = LINE.match(line)
    if not match:
        raise ValueError(line)
    if len(match.group(2)) > MAX_PARAMETERS_CHARS:
        raise ValueError(line[:MAX_PARAMETERS_CHARS])
    return Property(match.group(1).upper(), line[match.end() :], _parameters(match.group(2)))


@lru_cache(maxsize=1_000)
def _parameters(text: str) -> Parameters:
    """Return the parameters of a property. Raises ValueError for an invalid text."""
    values_by_key: dict[str, list[str]] = {}
    if text:
        line = Contentline(f"X{_normal_parameters(text)}:")  # type: ignore[no-untyped-call]  # icalendar has no types here
        for key, values in line.raw_parts()[1].items():
            values_by_key[key.upper()] = values if isinstance(values, list) else [values]
    types = {word.strip().upper() for value in values_by_key.get("TYPE", ()) for word in value.split(",")}
    preference = next((int(value) for value in values_by_key.get("PREF", ()) if value.isdecimal()), LAST_PREFERENCE)
    return Parameters(
        types=frozenset(types),
        preference=1 if "PREF" in types else preference,
        charset=_first(values_by_key, "CHARSET"),
        is_quoted=_first(values_by_key, "ENCODING").upper() == "QUOTED-PRINTABLE",
        omitted_year=_first(values_by_key, "X-APPLE-OMIT-YEAR"),
    )


def _first(values_by_key: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(values_by_key.get(name, ())), "")


def _normal_parameters(text: str) -> str:
    """Return parameters as later versions write them: each with a name, and each name once."""
    values_by_name: dict[str, list[str]] = {}
    for part in PARAMETER.findall(text):
        name, sign, value = part.partition("=")
        name = name.strip().upper()
        if not sign:
            name, value = ("ENCODING" if name in ENCODINGS else "TYPE"), name
        if name and value:
            values_by_name.setdefault(name, []).append(value.strip())
    return "".join(f";{name}={','.join(values)}" for name, values in values_by_name.items())
