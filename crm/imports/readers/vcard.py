"""Read vCard files, the address books' own format: each card is a row, numbered from 1.

Columns get the names that tables of contacts have. Pictures, sounds and keys are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain, islice
from typing import BinaryIO

import orjson

from crm.imports.readers.base import (
    INVALID,
    MAX_FIRST_ROWS,
    NO_ROWS,
    NOT_A_RECORD,
    Cell,
    Progress,
    ReaderError,
    Row,
    RowError,
    Table,
)
from crm.imports.readers.card_lines import LINE, Card, Property, read_property, split_cards
from crm.imports.readers.encoding import choose_encoding
from crm.imports.readers.layout import NO_HEADER
from crm.imports.readers.lines import UNDECODABLE, Lines

PROGRESS_CARDS = 5_000
GROUP = "The card is a group, place or device, not a contact. It is not imported."
MAX_SAME = 10
"""Columns for values of one kind; further ones share the last column."""
PARTS_OF_NAME = ("Last name", "First name", "Middle name", "Name prefix", "Name suffix")
PARTS_OF_ADDRESS = ("PO box", "Address line 2", "Street", "City", "State", "Postal code", "Country")
STRUCTURED = {"N": PARTS_OF_NAME, "ADR": PARTS_OF_ADDRESS, "ORG": ("Company", "Department", "Department")}
TEXTS = {"NICKNAME": "Nickname", "TITLE": "Job title", "ROLE": "Role", "NOTE": "Note", "GENDER": "Gender"}
SINGLE = {**TEXTS, "EMAIL": "Email", "URL": "Website", "CATEGORIES": "Tags"}
REPEATED = frozenset({"Email", "Phone", "Fax", "Website"})
DAYS = {"BDAY": "Birthday", "ANNIVERSARY": "Anniversary"}
MOBILE = frozenset({"CELL", "IPHONE", "MOBILE"})
WITHOUT_YEAR = "{} without year"
ORDER = (
    *("Name", "First name", "Middle name", "Last name", "Name prefix", "Name suffix", "Nickname"),
    *("Email", "Phone", "Fax"),
    *("Company", "Department", "Job title", "Role", "Street", "Address line 2", "PO box", "City", "State"),
    *("Postal code", "Country", "Address", "Website", "Birthday", "Birthday without year", "Anniversary"),
    *("Anniversary without year", "Gender", "Tags", "Note"),
)
DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?")
DAY_OF_YEAR = re.compile(r"--(\d{2})-?(\d{2})(?:[T ].*)?")
# Years that address books write where the year is unknown.
NO_YEARS = ("1604", "0000", "0001")


class CardTable(Table):
    """The cards of a vCard file in a seekable binary stream. Raises ReaderError if there is none."""

    kind = "vcf"

    def __init__(self, stream: BinaryIO, encoding: str | None = None, header_row: int | None = None) -> None:
        if header_row:
            raise ReaderError(INVALID, "cards have no row of headers; leave it out", "options.headerRow")
        self._stream = stream
        self._size = stream.seek(0, 2)
        chosen, start = choose_encoding(stream, encoding)
        self.encoding = chosen
        self._start = start
        self.header_row = NO_HEADER
        # A table has its columns before its rows, and only all cards together
        # say how many of a kind there are.
        count, widths = self._survey()
        self._count = count
        if not count:
            raise ReaderError(NO_ROWS, "The file has no contact in it. Export it again from the address book.")
        self.headers = list(_columns(widths))
        self._places = {name: place for place, name in enumerate(self.headers)}
        first = islice((row for row in self.read_rows(1) if isinstance(row, tuple)), MAX_FIRST_ROWS)
        self.first_rows = tuple(first)

    def read_rows(self, start: int) -> Iterator[Row | RowError]:
        for card in self._cards():
            if card.number >= start:
                yield self._row(card)

    def count_rows(self, progress: Progress | None = None) -> int:
        if progress:
            progress(self._count, 1.0)
        return self._count

    def _cards(self) -> Iterator[Card]:
        lines = Lines(self._stream, self.encoding or "utf-8", self._start)
        return split_cards(chain.from_iterable(lines.blocks(0, guard=False)))

    def _survey(self) -> tuple[int, Counter[str]]:
        """Return the number of cards, and column -> the most values of it that a card has."""
        count = 0
        most: Counter[str] = Counter()
        for count, card in enumerate(self._cards(), 1):  # noqa: B007
            if card.is_person:
                most |= Counter(chain.from_iterable(map(_columns_of, card.lines)))
        return count, most

    def _row(self, card: Card) -> Row | RowError:
        values, problem = read_card(card)
        cells: list[Cell] = [None] * len(self.headers)
        for name, text in values.items():
            place = self._places.get(name)
            if place is not None:
                cells[place] = text.replace(UNDECODABLE, "\ufffd").replace("\0", "") or None
        if not problem and any(UNDECODABLE in text for text in values.values()):
            problem = f"The card has bytes that are not {self.encoding} text. Save the file as UTF-8."
        if not card.is_person:
            return RowError(card.number, None, NOT_A_RECORD, GROUP, tuple(cells))
        if problem:
            return RowError(card.number, None, INVALID, problem, tuple(cells))
        if not any(cells):
            return RowError(card.number, None, NOT_A_RECORD, "The card is empty.", tuple(cells))
        return card.number, cells


def _columns_of(line: str) -> Sequence[str]:
    """Return the columns that a line has values for. "Address" counts all addresses."""
    match = LINE.match(line)
    if not match:
        return ()
    name = match.group(1).upper()
    if name == "TEL":
        return ("Fax",) if "FAX" in match.group(2).upper() else ("Phone",)
    if name in SINGLE:
        return (SINGLE[name],)
    value = line[match.end() :]
    if name in STRUCTURED:
        parts = zip(STRUCTURED[name], value.split(";"), strict=False)
        return [column for column, part in parts if part.strip()] + ["Address"] * (name == "ADR")
    if name in DAYS:
        return (DAYS[name], WITHOUT_YEAR.format(DAYS[name]))
    return ()


def _columns(most: Counter[str]) -> Iterator[str]:
    """Yield the names of the columns that the cards need, in order."""
    for column in ORDER:
        count = min(most[column], MAX_SAME)
        if column == "Address":
            yield from (f"Address {number}" for number in range(2, count + 1))
        elif column in REPEATED:
            yield from (column if number == 1 else f"{column} {number}" for number in range(1, count + 1))
        elif count or column == "Name":
            yield column


def read_card(card: Card) -> tuple[dict[str, str], str]:
    """Return column -> text of a card, and its problem, if any."""
    problem = card.problem
    properties: dict[str, list[Property]] = {}
    for line in card.lines:
        try:
            entry = read_property(line)
        except ValueError:
            problem = problem or f"The line {line[:60]!r} of the card cannot be read."
            continue
        properties.setdefault(entry.name, []).append(entry)
    for same in properties.values():
        # A stable sort: entries without a preference keep the order of the card.
        same.sort(key=lambda entry: entry.parameters.preference)
    values: dict[str, str] = {}
    _add_name(values, properties)
    _add_addresses(values, properties)
    _add_several(values, properties)
    for name, column in TEXTS.items():
        texts = [entry.text for entry in properties.get(name, ())]
        values[column] = "\n".join(texts if name == "NOTE" else texts[:1])
    for name, column in DAYS.items():
        if name in properties:
            _add_day(values, properties[name][0], column)
    tags = [item for entry in properties.get("CATEGORIES", ()) for item in entry.items if item]
    values["Tags"] = _join_tags(tags)
    return {column: text for column, text in values.items() if text}, problem


def _add_name(values: dict[str, str], properties: dict[str, list[Property]]) -> None:
    parts = properties["N"][0].parts if "N" in properties else []
    values.update(zip(PARTS_OF_NAME, (" ".join(part.split()) for part in parts), strict=False))
    organization = properties["ORG"][0].parts if "ORG" in properties else []
    values["Company"] = organization[0] if organization else ""
    values["Department"] = ", ".join(part for part in organization[1:] if part)
    whole = " ".join(properties["FN"][0].text.split()) if "FN" in properties else ""
    order = ("Name prefix", "First name", "Middle name", "Last name", "Name suffix")
    values["Name"] = whole or " ".join(values[name] for name in order if values.get(name)) or values["Company"]


def _add_addresses(values: dict[str, str], properties: dict[str, list[Property]]) -> None:
    for number, entry in enumerate(properties.get("ADR", ())[:MAX_SAME], 1):
        parts = [part.replace("\n", ", ") for part in entry.parts]
        if number == 1:
            values.update(zip(PARTS_OF_ADDRESS, parts, strict=False))
        else:
            values[f"Address {number}"] = ", ".join(part for part in parts if part)


def _add_several(values: dict[str, str], properties: dict[str, list[Property]]) -> None:
    """Add email addresses, websites and numbers: preferred ones first, and mobile numbers before others."""
    phones = sorted(properties.get("TEL", ()), key=_phone_order)
    _number(values, "Email", (entry.text.removeprefix("mailto:") for entry in properties.get("EMAIL", ())))
    _number(values, "Website", (entry.text for entry in properties.get("URL", ())))
    _number(values, "Phone", (_phone(entry) for entry in phones if not _is_fax(entry)))
    _number(values, "Fax", (_phone(entry) for entry in phones if _is_fax(entry)))


def _phone_order(entry: Property) -> tuple[int, bool]:
    return entry.parameters.preference, not MOBILE & entry.parameters.types


def _is_fax(entry: Property) -> bool:
    return "FAX" in ",".join(entry.parameters.types)


def _number(values: dict[str, str], column: str, texts: Iterable[str]) -> None:
    for number, text in enumerate(dict.fromkeys(text for text in texts if text), 1):
        if number > MAX_SAME:
            values[f"{column} {MAX_SAME}"] += f", {text}"
        else:
            values[column if number == 1 else f"{column} {number}"] = text


def _phone(entry: Property) -> str:
    text = entry.text.removeprefix("tel:")
    return re.sub(r";\s*ext=", " ext. ", text, flags=re.IGNORECASE)


def _add_day(values: dict[str, str], entry: Property, column: str) -> None:
    """Add a day; one without a year goes to a column of its own, since no date can hold it."""
    text = entry.text
    match = DAY.fullmatch(text)
    year = match.group(1) if match else ""
    if match and year not in (entry.parameters.omitted_year, *NO_YEARS):
        try:
            values[column] = date(int(year), int(match.group(2)), int(match.group(3))).isoformat()
        except ValueError:
            values[column] = text
        return
    yearless = DAY_OF_YEAR.fullmatch(text)
    if match or yearless:
        groups = match.groups()[1:] if match else yearless.groups()  # type: ignore[union-attr]
        values[WITHOUT_YEAR.format(column)] = "-".join(groups)
    else:
        values[column] = text


def _join_tags(tags: Sequence[str]) -> str:
    """Return tags as one cell: separated by commas, or as JSON where a name has a comma or semicolon in it."""
    if any("," in tag or ";" in tag for tag in tags):
        return orjson.dumps(tags).decode()
    return ", ".join(tags)
