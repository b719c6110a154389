"""Numbers and dates of a file are judged by the whole column."""

from __future__ import annotations

from typing import Any

import pytest

from crm.field_types import BadValue, TextFormat
from crm.field_types.dates import parse_date
from crm.field_types.numbers import read_number
from crm.imports.columns.evidence import Collector, judge


def verdict_of(*values: str) -> Any:
    collector = Collector(["A"])
    for value in values:
        collector.add([value])
    return judge(collector.as_json()).get("A")


@pytest.mark.parametrize(
    ("values", "mark"),
    [
        (["1.500.000", "250.000", "1.234", "12,5", "1,234"], ","),
        (["1,234.50", "1,234"], "."),
        (["12,34,567.50"], "."),
        (["1'234.50", "1.234"], "."),
        (["1,234", "0,5"], ","),
        (["1,234", "5,678"], ""),
        (["12,5", "12.5", "1,234"], ""),
        (["7", "8"], ""),
        (["€1.234", "€12,50"], ","),
    ],
)
def test_a_column_has_one_decimal_mark(values: list[str], mark: str) -> None:
    assert verdict_of(*values).decimal_mark == mark


@pytest.mark.parametrize(
    ("values", "order", "shown"),
    [
        (["3/9/2024", "25/12/2024"], "DMY", "DD/MM/YYYY"),
        (["3/9/2024", "12/25/2024"], "MDY", "MM/DD/YYYY"),
        (["3/9/24", "12/25/24 2:30 PM"], "MDY", "MM/DD/YY"),
        (["24-03-09", "99-12-31"], "YMD", "YY-MM-DD"),
        (["3/9/2024", "9/3/2024"], "", ""),
        (["25/12/2024", "12/25/2024"], "", ""),
        (["09.03.2024"], "DMY", "DD.MM.YYYY"),
        (["2024-03-09", "2024-03-09T12:00:00Z"], "", "YYYY-MM-DD"),
        (["2024-04-03", "03.04.2024", "04/03/2024"], "", ""),
        (["25-03-2024", "04/03/2024"], "", ""),
        (["25.03.2024", "04/03/2024", "04/25/2024"], "MDY", "MM/DD/YYYY"),
        (["25-03-2024", "04-03-2024", "04/03/2024", "04/25/2024"], "", ""),
    ],
)
def test_a_column_has_one_order_of_day_month_and_year(values: list[str], order: str, shown: str) -> None:
    verdict = verdict_of(*values)
    assert (verdict.date_order, verdict.date_format) == (order, shown)


def test_a_column_takes_the_verdict_of_the_others() -> None:
    collector = Collector(["A", "B", "C"])
    for row in (["1,234", "12,5", "3/9/2024"], ["5,678", "13,5", "31/12/2024"]):
        collector.add(row)
    assert judge(collector.as_json())["A"].decimal_mark == ","
    collector.add(["1,111", "1,5", "1/1/2024"])
    collector = Collector(["A", "B", "C"])
    for row in (["1,234", "12,5", "12.5"], ["5,678", "13,5", "13.5"]):
        collector.add(row)
    verdict = judge(collector.as_json())["A"]
    assert (verdict.decimal_mark, verdict.open_numbers) == ("", ("1,234", "5,678"))


def test_dates_with_another_separator_decide_nothing() -> None:
    collector = Collector(["A", "B", "C"])
    for row in (["25.03.2024", "3/4/2024", "25-03-2024"], ["03.04.2024", "4/3/2024", "03-04-2024"]):
        collector.add(row)
    verdicts = judge(collector.as_json())
    assert [verdicts[header].date_order for header in "ABC"] == ["DMY", "", "DMY"]
    assert verdicts["B"].open_dates == ("3/4/2024", "4/3/2024")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,50-", "-1234.50"),
        ("(1,234.50)", "-1234.50"),
        ("\N{MINUS SIGN}5", "-5"),
        ("1\N{NO-BREAK SPACE}234,5", "1234.5"),
        ("1\N{THIN SPACE}234,5", "1234.5"),
        ("1\N{RIGHT SINGLE QUOTATION MARK}234.50", "1234.50"),
        ("12.500,00 €", "12500.00"),
        ("EUR 1 200", "1200"),
        ("1.2E+06", "1.2E+6"),
        ("１，２３４．５", "1234.5"),
        ("1.200,-", "1200"),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: str) -> None:
    assert str(read_number(text, currency="EUR")) == number


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1,234", "may be 1234 or 1.234"),
        ("US$ 1,200.00", "The company's amounts are in EUR"),
        ("45%", "has a percent sign"),
        ("12k", "not a number"),
        ("12 34", "not a number"),
        ("1.23.456", "not a number"),
    ],
)
def test_other_numbers_are_refused(text: str, problem: str) -> None:
    with pytest.raises(BadValue, match=problem):
        read_number(text, currency="EUR")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("9-Mar-24", "2024-03-09"),
        ("14 Feb 2024", "2024-02-14"),
        ("March 9, 2024", "2024-03-09"),
        ("9. März 2024", "2024-03-09"),
        ("9 de março de 2024", "2024-03-09"),
        ("9 марта 2024 г.", "2024-03-09"),
        ("2024年3月9日", "2024-03-09"),
        ("Sat, 9 Mar 2024", "2024-03-09"),
        ("2024-03-09 14:30:00 UTC", "2024-03-09T14:30:00.000Z"),
        ("2024-03-09 14:30 GMT+2", "2024-03-09T12:30:00.000Z"),
        ("Mar 9, 2024 2:30 PM", "2024-03-09T22:30:00.000Z"),
        ("2024-03-09 23:30", "2024-03-10T07:30:00.000Z"),
        ("2024-12-31 24:00", "2025-01-01T08:00:00.000Z"),
        ("31.12.2024 24:00:00", "2025-01-01T08:00:00.000Z"),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, stored: str) -> None:
    assert parse_date(text, TextFormat(time_zone="America/Los_Angeles")) == stored


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2024-03-10 02:30", "clocks skip it"),
        ("2024-11-03 01:30", "exists twice"),
        ("2024-03-09 14:30 CET", "names the zone CET"),
        ("March 2024", "is not a date"),
        ("45360", "is not a date"),
        ("1710000000", "is not a date"),
        ("31/02/2024", "does not exist"),
        ("2024-03-09 24:01", "does not exist"),
    ],
)
def test_other_dates_are_refused(text: str, problem: str) -> None:
    with pytest.raises(BadValue, match=problem):
        parse_date(text, TextFormat(time_zone="America/Los_Angeles"))


@pytest.mark.parametrize(
    ("date_format", "text", "example"),
    [("MM/DD/YYYY", "25/04/2024", "01/31/2026"), ("YYYY.MM.DD", "2024.25.04", "2026.01.31")],
)
def test_the_advice_has_the_format_of_the_option(date_format: str, text: str, example: str) -> None:
    with pytest.raises(BadValue, match=f"Enter a date, for example {example}"):
        parse_date(text, TextFormat(date_format=date_format))


@pytest.mark.parametrize(
    ("values", "days"),
    [
        (["19000", "25000", "33000"], ["1952-01-07", "1968-06-11", "1990-05-07"]),
        (["45360", "2024-03-09"], ["2024-03-09", "2024-03-09"]),
        (["9500", "19000", "25000"], ["1926-01-03", "1952-01-07", "1968-06-11"]),
        (["45360", "soon", "9 March 2024"], ["2024-03-09", None, "2024-03-09"]),
        (["9500", "19000"], [None, None]),
        (["45360", "1710000000"], [None, None]),
        (["1985", "19000", "25000"], [None, "1952-01-07", "1968-06-11"]),
        (["99999", "12", "19000"], [None, None, None]),
    ],
)
def test_whole_numbers_of_a_column_may_be_days(values: list[str], days: list[str | None]) -> None:
    how = TextFormat(day_numbers=verdict_of(*values).day_numbers)
    assert [_day_or_none(value, how) for value in values] == days


def _day_or_none(text: str, how: TextFormat) -> str | None:
    try:
        return parse_date(text, how)
    except BadValue:
        return None
