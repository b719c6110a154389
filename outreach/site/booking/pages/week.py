"""The hours of a week as people write them on pages: a field for each day, and one for their time zone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from django.utils.translation import gettext

from core.text.labels.weekdays import DAYS
from core.text.timezones import zone_groups
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option

_CLOCK = r"(\d{1,2})(?:[:.](\d{2}))?"
SPAN = re.compile(rf"{_CLOCK}\s*(?:-|–|—|to)\s*{_CLOCK}")
SPANS_ERROR = gettext_lazy("Enter times such as 09:00 – 12:30, 13:30 – 17:00.")


def day_fields(days: Iterable[Values], help: str) -> list[Field]:
    """Return a field for each day of the week, with its spans."""
    spans: dict[int, list[str]] = {number: [] for number in range(1, 8)}
    for span in days:
        spans[span["day"]].append(f"{span['from']} – {span['to']}")
    fields = [Field(f"day{number}", day, initial=", ".join(spans[number])) for number, day in enumerate(DAYS, 1)]
    fields[0].help_text = help
    return fields


def zone_field(chosen: str, company: str, help: str) -> Field:
    """Return the choice of a time zone by region; without one it is the company's."""
    options = [Option(name, label, group.region) for group in zone_groups() for name, label in group.options]
    if chosen and chosen not in {option.value for option in options}:
        options.insert(0, Option(chosen, chosen))  # an old name that a program has set
    return Field(
        "timezone",
        gettext("Time zone"),
        "select",
        options=options,
        initial=chosen,
        placeholder=gettext("Company time zone: %(company)s") % {"company": company},
        help_text=help,
    )


def read_week(form: Form) -> list[JsonObject]:
    """Return the spans of a form's days. An invalid span is an error at its field."""
    week: list[JsonObject] = []
    for field in form:
        if re.fullmatch(r"day[1-7]", field.name):
            spans = read_spans(str(field.value()))
            if spans is None:
                field.add_error(SPANS_ERROR)
            if overlapping(spans or ()):
                field.add_error(gettext("Two of these times overlap."))
            week += [{"day": int(field.name[3:]), **span} for span in spans or ()]
    return week


def overlapping(spans: Iterable[Mapping[str, str]]) -> bool:
    """Return whether two spans of a day have time in common."""
    rows = sorted((span["from"], span["to"]) for span in spans)
    return any(begins < ended for (_, ended), (begins, _) in pairwise(rows))


def read_spans(text: str) -> list[dict[str, str]] | None:
    """Read the spans of a day, such as 10-12, 13:30 – 17:00; None for invalid text."""
    spans = []
    for part in filter(None, map(str.strip, re.split(r"[,;]", text))):
        span = SPAN.fullmatch(part)
        if span is None:
            return None
        begins, ends = _clock(span[1], span[2]), _clock(span[3], span[4])
        if not begins < ends <= "24:00" or int(span[2] or 0) > 59 or int(span[4] or 0) > 59:
            return None
        spans.append({"from": begins, "to": ends})
    return spans


def _clock(hour: str, minute: str | None) -> str:
    return f"{int(hour):02}:{minute or '00'}"
