"""Area codes in a column of their own, which belong in front of the numbers of the column next to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import phonenumbers

from core.text.formulas import restore
from core.text.phone_rules import trunk_prefix
from core.text.phone_text import to_ascii
from crm.imports.columns.blank_values import IN_VALUES
from crm.imports.readers import Cell
from crm.imports.readers.synonyms import AREA_CODE

_COMPLETE = re.compile(r"[\s(\[\"'=]*(?:\+|0|tel:)", re.IGNORECASE)
"""The beginning of a number that needs no area code: a code of a country, or the zero of national calls."""
_SEVERAL = re.compile(r"[1-9][0-9]*[^0-9]+[0-9]+(?!\))")
"""Two area codes, such as 030-31."""
_OF_COUNTRY = re.compile(r"(?:\+|00)[1-9][0-9]{0,2}\s+")
_MOBILE = (phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE_OR_MOBILE)
ITALIAN = ("39", "IT", "it")
_DECIMALS = re.compile(r"\.0+$")


class AreaCodes:
    """Puts the area code of a row in front of its number."""

    def __init__(self, mapping: Mapping[str, str], headers: Sequence[str], *, country: str = "") -> None:
        """`country` is the ISO 3166 code of the country of national numbers, or empty."""
        places = {header: place for place, header in enumerate(headers)}
        self._area = next((places[header] for header, key in mapping.items() if key == AREA_CODE), None)
        numbers = sorted(places[header] for header, key in mapping.items() if key == "number")
        self.number: int | None = None
        """The place of the column whose numbers get an area code: the next one, or else the last one before it."""
        if self._area is not None and numbers:
            self.number = next((place for place in numbers if place > self._area), numbers[-1])
        self._country_code = next((places[header] for header, key in mapping.items() if key == "countryCode"), None)
        self._country = country
        self._trunk = "0" if trunk_prefix(country) == "0" else ""

    def apply(self, cells: list[Cell]) -> list[Cell]:
        """Return the cells of a row with the area code in the cell of the number."""
        if self._area is None or self.number is None:
            return cells
        area, number = cells[self._area], cells[self.number]
        if area is None or number is None or area in IN_VALUES or number in IN_VALUES:
            return cells
        code = _text(area)
        rest = _text(number)
        if (
            not code
            or not rest
            or _COMPLETE.match(rest)
            or _SEVERAL.search(_OF_COUNTRY.sub("", code))
            or self._is_whole(rest)
        ):
            return cells
        if code[0] in "123456789":  # spreadsheets drop the zero of numbers
            code = self._zero(cells, code) + code
        changed = list(cells)
        changed[self.number] = f"{code} {rest}"
        return changed

    def _zero(self, cells: Sequence[Cell], code: str) -> str:
        """Return the zero that the code lacks: after a country code only Italy keeps it."""
        cell = None if self._country_code is None else cells[self._country_code]
        if cell is None or cell in IN_VALUES:
            return self._trunk
        return "0" if _text(cell).lstrip("+0") in ITALIAN and code[0] != "3" else ""

    def _is_whole(self, number: str) -> bool:
        """Return whether the number needs no area code, as that of a mobile phone that lost its zero."""
        if not self._country:
            return False
        try:
            parsed = phonenumbers.parse(number, self._country)
        except phonenumbers.NumberParseException:
            return False
        return phonenumbers.is_valid_number(parsed) and phonenumbers.number_type(parsed) in _MOBILE


def _text(cell: Cell) -> str:
    text = restore(cell) if isinstance(cell, str) else str(cell)
    return _DECIMALS.sub("", to_ascii(text).strip())
