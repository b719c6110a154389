"""Tags and filters of pages. All templates have them, without a load tag."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.html import format_html, format_html_join, json_script
from django.utils.safestring import SafeString
from lucide.templatetags.lucide import lucide

from core.errors import shorten
from core.text.ages import age_text
from core.text.formats import Formats, day_text, moment_text, money_text, month_text, price_text, short_day_text
from core.types import Values
from core.web.banners import Banner, banners_of
from core.web.cells import format_cell
from core.web.field_values import FieldValues
from core.web.filters import Choice
from core.web.forms import BoundField
from core.web.forms.fieldsets import in_rows
from core.web.lists import Column, ListState
from core.web.navigation.menu import Navigation, navigation_of
from core.web.tables import Row
from core.web.words.cures import buttons
from core.web.words.script_texts import script_texts

register = template.Library()
register.filter("cell", format_cell)
register.filter(day_text)
register.filter(moment_text)
register.filter(month_text)

BETWEEN_TAGS = re.compile(r"\s*>\s+<")
WIDTH = 400
"""Units that a chart is wide, whatever its width on the page."""
EACH_DAY = 7
"""Days of a chart that have a label each."""


@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str, css: str = "i", id: str = "") -> SafeString:
    """Draw an icon of Lucide, hidden from screen readers: a text label accompanies it.

    The line breaks of its file are removed, because pages have dozens of icons. With an id, others can `use` the same
    one.
    """
    svg = lucide(name, size=16, **{"class": css}, aria_hidden="true", **({"id": f"i-{id}"} if id else {}))
    return SafeString(BETWEEN_TAGS.sub("><", svg).replace(" />", "/>"))


@register.inclusion_tag("web/parts/badge.html")
def badge(text: str, tone: str = "") -> Values:
    """Show a state in a word: {% badge "Running" "info" %}; tones: ok, warn, bad, info, none."""
    return {"text": text, "tone": tone}


@register.inclusion_tag("web/parts/empty.html")
def empty_state(
    icon_name: str, title: str, text: str = "", link: str = "", label: str = "", primary: bool = False
) -> Values:
    """Show one sentence and one button: {% empty_state "users" "No contacts" link=new label="New" %}."""
    return {"icon_name": icon_name, "title": title, "text": text, "link": link, "label": label, "primary": primary}


@register.inclusion_tag("web/rows.html")
def field_rows(fields: Iterable[BoundField], *rows: str) -> Values:
    """Draw fields, some of them side by side: {% field_rows window "start end" %}."""
    return {"rows": in_rows(fields, [row.split() for row in rows])}


@register.inclusion_tag("web/parts/cures.html", takes_context=True)
def cures(context: Values, key: str, in_form: bool = False) -> Values:
    """Show the buttons that cure a refusal: {% cures form.remedy in_form=True %}."""
    return {
        "buttons": buttons(context["page"], key) if key else [],
        "in_form": in_form,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag(takes_context=True)
def page_url(context: Values, name: str, *args: str, **query: Any) -> str:
    """Return the address of a page of the reader's company."""
    address: str = context["page"].address(name, *args, **query)
    return address


@register.simple_tag(takes_context=True)
def may(context: Values, module: str, method: str = "GET") -> bool:
    """Return whether the reader may: {% may "contact" "DELETE" as can_delete %}."""
    is_allowed: bool = context["page"].may(module, method)
    return is_allowed


@register.simple_tag(takes_context=True)
def navigation(context: Values) -> Navigation:
    """Return the navigation around the page: side bar, tabs of its place, list of settings."""
    return navigation_of(context["page"])


@register.simple_tag
def sorting(state: ListState, column: Column) -> tuple[str, str]:
    """Return (aria-sort, the address that sorts by the column)."""
    return state.sorted_by(column)


@register.filter
def get(value: Any, name: str) -> Any:
    """Return an item whose name is in a variable: {{ contact.formData|get:field.uniqueFieldID }}."""
    return value.get(name) if isinstance(value, Mapping) else None


@register.simple_tag(takes_context=True)
def value_of(context: Values, row: Row, column: Column) -> Any:
    """Return the value of a row in a column, with labels of options and a formatted custom value."""
    record: Any = row.record["formData"] if column.custom else row.record
    for name in (column.name,) if column.custom else column.name.split("."):
        record = record.get(name) if isinstance(record, Mapping) else None
    if column.definition is not None:
        values: FieldValues = context.get("field_values") or FieldValues(context["reader"].formats)
        return (
            values.block(column.definition, record)
            if context.get("in_record")
            else values.line(column.definition, record)
        )
    if not column.labels:
        return record
    several = record if isinstance(record, list) else [record]
    return ", ".join(str(column.labels.get(str(entry), entry)) for entry in several if entry is not None)


@register.filter
def with_filter(state: ListState, choice: Choice) -> str:
    """Return the query with one more filter for a value that follows it: {{ state|with_filter:choice }}{{ id }}."""
    return f"{state.link()}&f={quote(f'{choice.name}:{choice.operators[0]}:')}"


@register.filter
def foldable(text: str) -> str:
    """Let an email address break after its @ and before its dots, and nowhere else if it fits."""
    if "@" not in text or " " in text or isinstance(text, SafeString):
        return text
    *pieces, last = re.split(r"(?<=@)|(?=\.)", text)
    return format_html("{}{}", format_html_join("", "{}<wbr>", ((piece,) for piece in pieces)), last)


@register.filter
def parted(text: str) -> list[str]:
    """Split a text at commas: {% for name in "File,Columns"|parted %}."""
    return text.split(",")


@register.filter
def initials(name: str | None) -> str:
    return "".join(word[0] for word in (name or "?").split()[:2]).upper()


@register.filter
def tint(name: str | None) -> int:
    """Return a number from 1 to 6, the same for the same name, for the colour of an avatar."""
    return sum(map(ord, name or "")) % 6 + 1


@register.simple_tag(takes_context=True)
def when(context: Values, value: Any) -> SafeString | str:
    """Format a time relative to now, with the exact time, in the company's zone and formats, on hover."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        return day(context, value)
    formats: Formats = context["reader"].formats
    exact = formats.datetime(moment)
    machine = moment.isoformat(timespec="seconds")
    text = age_text(moment) or formats.date(moment)
    return format_html('<time datetime="{}" title="{}">{}</time>', machine, exact, text)


@register.simple_tag(takes_context=True)
def exact(context: Values, value: Any) -> SafeString | str:
    """Format a time as day and clock in the company's zone, for sentences such as "until 3 May 2026, 10:00"."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        return day(context, value)
    formats: Formats = context["reader"].formats
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), formats.datetime(moment))


@register.simple_tag(takes_context=True)
def day(context: Values, value: Any) -> str:
    """Write a day in the company's format; of a time the day that it has in the company's zone."""
    moment = parse_date(value) or parse_datetime(value) if isinstance(value, str) else value
    formats: Formats = context["reader"].formats
    return formats.date(moment) if isinstance(moment, date) else ""


@register.simple_tag(takes_context=True)
def money(context: Values, amount: Any, currency: str | None = None, *, short: bool = False) -> str:
    """Write an amount, by default in the company's currency, `short` without decimals. Nothing for null.

    The amount may be money as the API gives it, with its currency: {% money invoice.total %}.
    """
    if isinstance(amount, Mapping):
        return money_text(Decimal(str(amount["amount"])), amount["currency"])
    if amount is None or amount == "":
        return ""
    formats: Formats = context["reader"].formats
    text = formats.money(Decimal(str(amount)), currency or None)
    return text.partition(".")[0] if short and "." in text[-4:] else text


@register.simple_tag(takes_context=True)
def banners(context: Values) -> list[Banner]:
    """Return the banners of a whole page; a refused page states the problem itself."""
    return [] if context.get("refused") else banners_of(context["page"])


@register.simple_tag(name="script_texts")
def script_texts_tag() -> SafeString:
    """Render the texts of scripts as data that no browser runs."""
    return json_script(script_texts(), "script-texts")


@register.simple_tag(takes_context=True)
def unit_price(context: Values, amount: Any, currency: str | None = None) -> str:
    """Write the price of a unit, which may be a fraction of a cent, by default in the company's currency."""
    if amount is None:
        return ""
    return price_text(Decimal(str(amount)), currency or context["reader"].formats.currency)


@register.simple_tag(takes_context=True)
def clock(context: Values, value: Any) -> str:
    """Write the time of day in the company's zone and format."""
    moment = parse_datetime(value) if isinstance(value, str) else value
    formats: Formats = context["reader"].formats
    return formats.time(moment) if isinstance(moment, datetime) else ""


@register.simple_tag
def funnel(steps: list[tuple[str, int, str]]) -> SafeString:
    """Draw steps (name, count, label of the count) as bars with widths proportional to their counts.

    Each bar has a title. Screen readers need an accompanying table.
    """
    most = max((count for _, count, _ in steps), default=0) or 1
    bars = format_html_join(
        "",
        '<g><title>{}: {}</title><text x="0" y="{}">{}</text><rect x="{}" y="{}" width="{}" height="20" rx="4"/>'
        '<text class="count" x="400" y="{}">{}</text></g>',
        (
            (name, label, top + 18, shorten(name, 16), 220 - width / 2, top + 3, width, top + 18, f"{count:,}")
            for number, (name, count, label) in enumerate(steps)
            for top, width in ((number * 28, round(240 * count / most, 1)),)
        ),
    )
    return format_html(
        '<svg class="funnel" viewBox="0 0 400 {}" aria-hidden="true">{}</svg>', max(len(steps), 1) * 28, bars
    )


@register.simple_tag(takes_context=True)
def bars(context: Values, names: list[str], rows: list[tuple[date, list[float]]]) -> SafeString:
    """Draw the numbers of each day as adjacent bars, with a colour for each name.

    Each day has a title. Screen readers need an accompanying table (parts/bars_table.html).
    """
    most = max((count for _, counts in rows for count in counts), default=0) or 1
    wide = WIDTH / max(len(rows), 1)
    bar = round(wide * 0.7 / max(len(names), 1), 2)
    shapes = (_bars_of(counts, most, number * wide + wide * 0.15, bar) for number, (_, counts) in enumerate(rows))
    return _chart(context, names, rows, most, shapes)


@register.simple_tag(takes_context=True)
def line(context: Values, names: list[str], rows: list[tuple[date, list[float]]]) -> SafeString:
    """Draw the first number of each day as a line. As `bars` otherwise."""
    most = max((counts[0] for _, counts in rows), default=0) or 1
    wide = WIDTH / max(len(rows), 1)
    points = [
        f"{round((number + 0.5) * wide, 1)} {round(100 - 98 * counts[0] / most, 1)}"
        for number, (_, counts) in enumerate(rows)
    ]
    path = format_html('<path class="series-1" d="M{}"/>', "L".join(points)) if points else SafeString()
    return _chart(context, names, rows, most, (SafeString() for _ in rows), path)


def _chart(
    context: Values,
    names: list[str],
    rows: list[tuple[date, list[float]]],
    most: float,
    shapes: Iterable[SafeString],
    path: SafeString | str = "",
) -> SafeString:
    """Draw days side by side over the whole width, each with its title and its part of `drawn`.

    The drawing is stretched, so its texts are outside of it.
    """
    wide = WIDTH / max(len(rows), 1)
    formats: Formats = context["reader"].formats
    marks = format_html_join(
        "",
        '<g><title>{}</title><rect class="hit" x="{}" width="{}" height="100"/>{}</g>',
        (
            (
                f"{_named(on, formats)} – {', '.join(f'{name}: {count:,}' for name, count in pairs)}",
                round(number * wide, 1),
                round(wide, 2),
                inner,
            )
            for number, ((on, counts), inner) in enumerate(zip(rows, shapes, strict=True))
            for pairs in (list(zip(names, counts, strict=True)),)
        ),
    )
    labels = format_html_join("", "<span>{}</span>", ((label,) for label in _labels([on for on, _ in rows], formats)))
    return format_html(
        '<div class="chart muted small" aria-hidden="true"><p>{}</p>'
        '<svg viewBox="0 0 {} 100" preserveAspectRatio="none">{}{}</svg><div class="axis">{}</div></div>',
        f"{most:,}",
        WIDTH,
        marks,
        path,
        labels,
    )


def _labels(moments: list[date], formats: Formats) -> list[str]:
    """Return the labels below a chart: each of a few days or hours, or else five of many."""
    last = len(moments) - 1
    if len(moments) > EACH_DAY:
        moments = [moments[round(place * last / 4)] for place in range(5)]
    return [formats.time(moment) if isinstance(moment, datetime) else short_day_text(moment) for moment in moments]


def _named(moment: date, formats: Formats) -> str:
    """Return the name of a day or an hour of a chart."""
    return formats.datetime(moment) if isinstance(moment, datetime) else formats.date(moment)


def _bars_of(counts: list[float], most: float, left: float, width: float) -> SafeString:
    return format_html_join(
        "",
        '<rect class="series-{}" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (place, round(left + (place - 1) * width, 1), 100 - high, width, high)
            for place, count in enumerate(counts, start=1)
            if (high := max(round(100 * count / most), 1 if count else 0))
        ),
    )
