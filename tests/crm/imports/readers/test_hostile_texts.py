"""Cells as long as a file may have them, of few characters again and again: none takes more than a moment."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from typing import Any

import pytest

from core.text.addresses import is_international, read_country_code, read_email, read_phone
from core.text.dial_codes import read_dial_code
from core.text.folding import fold
from core.text.links import holds_link
from crm.field_types.dates import parse_date_text
from crm.field_types.months import fold_word
from crm.field_types.numbers import marks_of, read_number
from crm.imports.columns.evidence import Collector
from crm.imports.readers import ReaderError, RowError, open_table
from crm.imports.readers.base import MAX_CELL_CHARS
from crm.imports.readers.card_lines import MAX_CARD_LINES, split_cards
from crm.imports.readers.cells import identifies_record, is_known_header, kind_of
from crm.imports.readers.languages import Evidence
from crm.imports.readers.layout import find_header_row
from crm.imports.readers.new_fields import ColumnCounter
from crm.imports.readers.suspects import Suspects
from crm.imports.readers.words import normalise
from outreach.messaging.inbox.analysis.words import asks_to_stop

SECONDS = 2
"""A bound of a hundred times what one function takes for all texts here, and a tenth of what one text took before."""
UNITS = (" ", "\t", "0", ".", "-", "+", "\u0301\u0323", "\u05b0\u0323", " ::: ", "a.", "1 ", "x@", "(0", '"', "²", "０")
TEXTS = [
    f"{begin}{unit * (MAX_CELL_CHARS // len(unit))}{end}"
    for unit in UNITS
    for begin, end in (("", ""), ("1", "x"), ("total ", "1"))
]


def _judge_rows(text: str) -> None:
    suspects = Suspects(["A", "B", "C"], [(2, ["a", "b", "c"])], 1)
    list(suspects.listed(iter([(3, [text, None, None]), (4, ["Total", "1", text])]), 2, 2))
    find_header_row([(1, [text]), (2, ["Name", "Email"]), (3, [text, "a@b.example"])])


def _judge_column(text: str) -> None:
    evidence, counter = Collector(["A"]), ColumnCounter(["A"])
    for cells in ([text], [f"{text}1"]):
        evidence.add(cells)
        counter.add(cells)
    evidence.as_json()
    counter.facts()


READERS: tuple[Callable[[str], Any], ...] = (
    *(identifies_record, kind_of, is_known_header, normalise, fold, fold_word, holds_link, asks_to_stop, Evidence.of),
    *(read_email, is_international, read_country_code, read_dial_code, read_number, marks_of, parse_date_text),
    *(lambda text: read_phone(None, text, "DE"), _judge_rows, _judge_column),
)


@pytest.mark.parametrize("reader", READERS)
def test_long_texts_are_read_in_a_moment(reader: Callable[[str], Any]) -> None:
    begin = time.process_time()
    for text in TEXTS:
        with contextlib.suppress(ValueError):
            reader(text)
        assert time.process_time() - begin < SECONDS, text[:20]


def test_a_long_cell_is_known_by_its_beginning() -> None:
    assert identifies_record(f"ann@x.example; {' ' * 50_000}")
    assert identifies_record(f"{'-' * 10} ::: +49 170 1234567 ::: {'1 ' * 40_000}")
    assert not identifies_record(f"{'x' * 50_000} ::: ann@x.example")
    assert kind_of(f"https://x.example/{'a' * 2_000}") == "url"


@pytest.mark.parametrize("line", ['"a\n', 'x","\n', '"a"b\n'])
def test_open_quotes_are_read_once_or_refused(line: str) -> None:
    begin = time.process_time()
    with contextlib.suppress(ReaderError), open_table(io.BytesIO(b"Name,Email\n" + line.encode() * 6_000)) as table:
        for item in table.rows():
            assert isinstance(item, RowError)
    assert time.process_time() - begin < 2 * SECONDS


@pytest.mark.parametrize("line", ["TEL:+49 170 1234567\n", " y\n", "NOTE:a\n", "x;" * 1_000 + ":\n"])
def test_a_card_of_too_many_lines_is_one_error(line: str) -> None:
    content = f"BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nNOTE:b\n{line * 20_000}END:VCARD\nBEGIN:VCARD\nFN:Bea\nEND:VCARD\n"
    first, second = split_cards(content.splitlines(keepends=True))
    assert first.problem
    assert len(first.lines) <= MAX_CARD_LINES
    assert (second.problem, second.lines) == ("", ["FN:Bea"])
