"""Values as people write them: times, amounts, yes and no, phone numbers, and JSON as lists and tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import ceil
from typing import Any

import phonenumbers
from django.template.defaultfilters import filesizeformat
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from core.hooks import Hook
from core.ids import is_id
from core.text.ages import age_text
from core.text.currencies import exponent
from core.text.formats import day_text, moment_text, money_text
from core.text.labels.words import name_label, value_label

NOTHING = mark_safe('<span class="backoffice-nothing">–</span>')  # noqa: S308  # it has no data in it
MAX_ITEMS = 20
DEEPEST = 4
LINE = 90
"""The most characters of a text in a list; its tooltip has the rest."""
UNGROUPED = frozenset(
    {"port", "status", "response_status", "row", "header_row", "last_row", "next_row", "number", "uid", "uid_validity"}
    | {"worker", "year", "letter", "sequence"}
)
"""Numbers whose digits people do not group."""
TONES = {
    "ok": {
        "completed",
        "sent",
        "active",
        "paid",
        "accepted",
        "owner",
        "done",
        "verified",
        "succeeded",
        "green",
        "open",
    },
    "info": {"queued", "running", "sending", "claimed", "trial", "pending", "invited", "draft"},
    "warn": {"paused", "past_due", "unknown", "suppressed", "parked", "yellow", "submitted", "blocked"},
    "bad": {"failed", "rejected", "red", "wrong", "disabled", "lost"},
}
"""The tone of a status."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
ID = re.compile(r"\b[0-9a-f]{24}\b", re.ASCII)
PHONE = re.compile(r"\+\d{7,15}")
Names = Mapping[str, SafeString | str]
"""Id -> the link or name that replaces it."""

json_rendering: Hook[[Any, Names], SafeString | str | None] = Hook(
    __name__,
    "json_rendering",
    "When the back office shows JSON. Returns a description of JSON of one shape, and None for any other.",
)


def is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {} or value == ()


def display_value(
    value: Any, *, name: str = "", currency: str = "", brief: bool = False, names: Names | None = None
) -> SafeString | str:
    """Return a value as people write it. `brief` is for lists: one line, times relative."""
    if isinstance(value, SafeString):
        return value if value else NOTHING
    if is_empty(value):
        return NOTHING
    if isinstance(value, bool):
        return gettext("Yes") if value else format_html('<span class="backoffice-no">{}</span>', gettext("No"))
    if isinstance(value, dt.datetime):
        return moment(value, brief=brief)
    if isinstance(value, dt.date):
        return day_text(value)
    if isinstance(value, dt.time):
        return f"{value:%H:%M}"
    if isinstance(value, int | float | Decimal):
        return number(value, name, currency)
    if isinstance(value, Mapping | list | tuple):
        return json_shown(value, names or {}, brief=brief, key=name)
    return text(str(value), name, brief=brief, names=names or {})


def moment(value: dt.datetime, *, brief: bool = False) -> SafeString:
    """Return a time on one line: relative in lists, exact otherwise. The page's script puts in the reader's zone."""
    exact = moment_text(value)
    return format_html(
        '<time datetime="{}" title="{}" class="backoffice-time"{}>{}</time>',
        value.isoformat(),
        exact,
        mark_safe("" if brief else " data-exact"),  # noqa: S308  # one of two constants
        relative_time(value) if brief else exact,
    )


def relative_time(value: dt.datetime, now: dt.datetime | None = None) -> str:
    """Return a time relative to now, or its day if that is a week or more."""
    return age_text(value, now) or day_text(value)


def number(value: int | float | Decimal, name: str = "", currency: str = "") -> str:
    """Write a number: money with its currency, sizes and spans with their units, others with grouped digits."""
    if name == "percent" or name.endswith("_percent"):
        return f"{grouped_number(value)}%"
    if currency and name.endswith("_minor"):
        return money_text(Decimal(value).scaleb(-exponent(currency)), currency)
    if currency and isinstance(value, Decimal):
        return money_text(value, currency)
    if name == "size" or name.endswith("_bytes"):
        return filesizeformat(int(value))
    if name.endswith("_ms"):
        return duration_text(float(value) / 1000)
    return str(value) if name in UNGROUPED or name.endswith("_id") else grouped_number(value)


def grouped_number(value: int | float | Decimal) -> str:
    """Write a number with grouped digits, without zeros at its end."""
    if isinstance(value, float):
        text = f"{value:,.2f}"
    elif isinstance(value, Decimal):
        text = f"{value:,f}"
    else:
        text = f"{value:,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration_text(seconds: float) -> str:
    """Write a span in its largest fitting unit."""
    if seconds < 1:
        return f"{round(seconds * 1000)}\N{NO-BREAK SPACE}ms"
    if seconds >= 86400:
        days = round(seconds / 86400, 1)
        return ngettext("%(number)s day", "%(number)s days", ceil(days)) % {"number": grouped_number(days)}
    for unit, word in ((3600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{grouped_number(round(seconds / unit, 1))}\N{NO-BREAK SPACE}{word}"
    return f"{grouped_number(round(seconds, 1))}\N{NO-BREAK SPACE}s"


def phone(value: str) -> str:
    """Write an E.164 number in groups."""
    try:
        parsed = phonenumbers.parse(value)
    except phonenumbers.NumberParseException:
        return value
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def text(value: str, name: str = "", *, brief: bool = False, names: Names | None = None) -> SafeString | str:
    """Return a formatted text: times, phone numbers and codes are readable, long texts cut in lists, ids are names
    or small."""
    if MOMENT.fullmatch(value):
        return moment(dt.datetime.fromisoformat(value), brief=brief)
    if PHONE.fullmatch(value):
        return format_html('<span class="backoffice-number">{}</span>', phone(value))
    if is_id(value):
        return (names or {}).get(value) or short_id(value)
    if ID.search(value):
        return format_html(
            '<span title="{}">{}</span>', value[:1000], ID.sub(lambda match: _id_ending(match[0]), value)
        )
    line = value_label(name, value)
    if line == value and brief:
        line = " ".join(value.split())
    if brief:
        return line if len(line) <= LINE else format_html('<span title="{}">{}…</span>', value[:1000], line[:LINE])
    return format_html('<span class="backoffice-text">{}</span>', line) if "\n" in line else line


def short_id(value: str) -> SafeString:
    """Return the end of an id that has no name, whole as its tooltip."""
    return format_html('<code class="backoffice-id" title="{}">{}</code>', value, _id_ending(value))


def _id_ending(id: str) -> str:
    return f"…{id[-6:]}"


def state(code: str, label: str) -> SafeString:
    """Return a status as a badge in its tone."""
    tone = next((tone for tone, codes in TONES.items() if code in codes), "none")
    return format_html('<span class="backoffice-state backoffice-state-{}">{}</span>', tone, label)


def json_shown(value: Any, names: Names, *, brief: bool = False, depth: int = 0, key: str = "") -> SafeString | str:
    """Return JSON as people read it: a list of values on a line, an object as names and values, objects as a table."""
    if is_empty(value):
        return NOTHING
    if isinstance(value, Mapping) and set(value) == {"amount", "unit"}:
        return f"{value['amount']} {str(value['unit']).removesuffix('s') if value['amount'] == 1 else value['unit']}"
    if (html := json_rendering.first(value, names)) is not None:
        return html
    if isinstance(value, Mapping):
        pairs = [(name_label(str(name)), inner, str(name)) for name, inner in value.items() if not is_empty(inner)]
        if not pairs:
            return NOTHING
        if brief or depth >= DEEPEST:
            return _line([f"{name}: {_words(inner, names, raw)}" for name, inner, raw in pairs])
        return format_html(
            '<dl class="backoffice-pairs">{}</dl>',
            format_html_join(
                "",
                "<div><dt>{}</dt><dd>{}</dd></div>",
                (
                    (name, json_shown(inner, names, depth=depth + 1, key=raw))
                    for name, inner, raw in pairs[: MAX_ITEMS * 3]
                ),
            ),
        )
    if isinstance(value, list | tuple):
        return _list_shown(value, names, brief=brief, depth=depth, key=key)
    return display_value(value, name=key, brief=brief, names=names)


def _list_shown(value: Sequence[Any], names: Names, *, brief: bool, depth: int, key: str) -> SafeString | str:
    some, more = value[:MAX_ITEMS], len(value) - MAX_ITEMS
    rest = gettext(" and %(number)s more") % {"number": f"{more:,}"} if more > 0 else ""
    if all(isinstance(entry, Mapping) for entry in some) and not brief and depth < DEEPEST:
        columns = list(
            dict.fromkeys(str(name) for entry in some for name, inner in entry.items() if not is_empty(inner))
        )
        flat = len(columns) <= 6 and not any(isinstance(inner, Mapping) for entry in some for inner in entry.values())
        if flat and columns:
            return _table(some, columns, names, depth, rest)
        items = ((json_shown(entry, names, depth=depth + 1),) for entry in some)
        return format_html('<ol class="backoffice-list">{}</ol>{}', format_html_join("", "<li>{}</li>", items), rest)
    if brief or depth >= DEEPEST:
        return _line([_words(entry, names, key) for entry in some], rest)
    parts = format_html_join(", ", "{}", ((json_shown(entry, names, depth=depth + 1, key=key),) for entry in some))
    return format_html("{}{}", parts, rest)


def _table(rows: Iterable[Any], columns: Sequence[str], names: Names, depth: int, rest: str) -> SafeString:
    head = format_html_join("", '<th scope="col">{}</th>', ((name_label(name),) for name in columns))
    body = format_html_join(
        "",
        "<tr>{}</tr>",
        (
            (
                format_html_join(
                    "",
                    "<td>{}</td>",
                    ((json_shown(row.get(name), names, depth=depth + 1, key=name),) for name in columns),
                ),
            )
            for row in rows
        ),
    )
    return format_html(
        '<div class="backoffice-scroll" tabindex="0"><table class="backoffice-table"><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>{}",
        head,
        body,
        rest,
    )


def _words(value: Any, names: Names, key: str = "") -> str:
    """Return any JSON as one line of plain text."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{name_label(str(name))} {_words(inner, names, str(name))}"
            for name, inner in value.items()
            if not is_empty(inner)
        )
    if isinstance(value, list | tuple):
        return ", ".join(_words(inner, names, key) for inner in value[:MAX_ITEMS])
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if not isinstance(value, str):
        return str(value)
    return plain_text(names[value]) if value in names else value_label(key, value)


def plain_text(html: SafeString | str) -> str:
    """Return the text of a link."""
    return re.sub(r"<[^>]*>", "", str(html))


def _line(parts: Sequence[str], rest: str = "") -> SafeString | str:
    line = "; ".join(parts) + rest
    return line if len(line) <= LINE else format_html('<span title="{}">{}…</span>', line[:1000], line[:LINE])
