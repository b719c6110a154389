"""Values of custom fields as people write them: labels of options, names of members and files, days and times in the
company's formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core.text.formats import Formats
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms.inputs import option_text

if TYPE_CHECKING:
    from core.web.pages import Page

Definition = Values
GROUPED_FROM = 10_000
"""Smaller numbers have no commas: they may be years."""
MAX_NAMED = 2000
GONE = {"member": gettext_lazy("Former member"), "file": gettext_lazy("Deleted file")}
UNSEEN = {"member": gettext_lazy("A member"), "file": gettext_lazy("A file")}
"""Labels of references without a name, and of those that the reader may not see."""


@dataclass(frozen=True)
class FieldValues:
    """Writes the values of custom fields for a page. `names` and `links` are of the ids that the values refer to."""

    formats: Formats = field(default_factory=Formats)
    names: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    seen: frozenset[str] = frozenset()
    """The kinds of records (member, file) whose names the reader may see."""

    def lines(self, definition: Definition, value: Any) -> list[str]:
        """Write a value in lines: the parts of an object each in one of their own."""
        if isinstance(value, Mapping):
            return [self._part(definition, key, item) for key, item in value.items()]
        if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            return [self.line(definition, item) for item in value]
        return [text] if (text := self.line(definition, value)) else []

    def block(self, definition: Definition, value: Any) -> str:
        """Write a value as a text of several lines."""
        return _join_texts("\n", self.lines(definition, value))

    def line(self, definition: Definition, value: Any) -> str:
        """Write a value in one line; a reference to a file is a link."""
        if value is None or value == "":
            return ""
        if isinstance(value, list):
            return _join_texts(", ", [self.line(definition, item) for item in value])
        if isinstance(value, Mapping):
            return _join_texts(", ", [self._part(definition, key, item) for key, item in value.items()])
        labels = _labels(definition)
        if (text := option_text(value)) in labels:
            return labels[text]
        if isinstance(value, bool):
            return _("Yes") if value else _("No")
        if isinstance(value, int | float):
            return number_text(value)
        return self._text(definition, str(value))

    def _part(self, definition: Definition, key: str, value: Any) -> str:
        child = next((child for child in definition.get("children") or () if child["name"] == key), PLAIN)
        return format_html("{}: {}", key, self.line(child, value))

    def _text(self, definition: Definition, text: str) -> str:
        kind = reference_kind(definition)
        if kind:
            return self._record_name(kind, text)
        return dated_text(text, self.formats) if definition["valueType"] == "date" else text

    def _record_name(self, kind: str, id: str) -> str:
        name = self.names.get(id) or (GONE if kind in self.seen else UNSEEN)[kind]
        link = self.links.get(id)
        return format_html('<a class="link" href="{}" download>{}</a>', link, name) if link else name


PLAIN: Definition = {"valueType": "any", "fieldType": "text", "options": (), "children": ()}
"""The definition of a value of which nothing is known."""


def _labels(definition: Definition) -> dict[str, str]:
    return {str(option["value"]): option["label"] or str(option["value"]) for option in definition.get("options") or ()}


def _join_texts(mark: str, texts: Iterable[str]) -> str:
    """Join texts of which some may be links."""
    parts = [text for text in texts if text]
    if not any(isinstance(text, SafeString) for text in parts):
        return mark.join(map(str, parts))
    return mark_safe(mark.join(map(conditional_escape, parts)))  # noqa: S308  each is escaped


def number_text(value: float) -> str:
    """Write a number with all its digits, and with commas from ten thousand on."""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if number == number.to_integral_value():
        # quantize() raises beyond the context's 28 digits.
        number = number.quantize(Decimal(1)) if abs(number) < Decimal("1e25") else number
    return f"{number:,f}" if abs(number) >= GROUPED_FROM else f"{number:f}"


def dated_text(text: str, formats: Formats) -> str:
    """Write a day in the company's format, or a time in its zone and format; any other text as it is."""
    try:
        if len(text) == len("2026-01-31"):
            return formats.date(date.fromisoformat(text))
        return formats.datetime(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return text


def reference_kind(definition: Definition) -> str:
    """Return the kind of the ids in a field's texts: member, file, or nothing."""
    if definition["valueType"] in ("member", "file"):
        return str(definition["valueType"])
    return "file" if definition["fieldType"] == "file" else ""


def references(definition: Definition, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the (kind, id) of a value's references."""
    if isinstance(value, list):
        for item in value:
            yield from references(definition, item)
    elif isinstance(value, Mapping):
        for child in definition.get("children") or ():
            yield from references(child, value.get(child["name"]))
    elif isinstance(value, str) and (kind := reference_kind(definition)):
        yield kind, value


def field_values(page: Page, definitions: Iterable[Definition], records: Iterable[Values]) -> FieldValues:
    """Return the writer for the custom values (formData) of records: members and files are each looked up together."""
    own = [definition for definition in definitions if not definition["isSystem"]]
    ids: dict[str, set[str]] = {}
    for values in records:
        for definition in own:
            for kind, id in references(definition, values.get(definition["uniqueFieldID"])):
                ids.setdefault(kind, set()).add(id)
    readable = frozenset(kind for kind in ids if page.may(kind))
    names: dict[str, str] = {}
    links: dict[str, str] = {}
    for kind in sorted(readable):
        requested = sorted(ids[kind])[:MAX_NAMED]
        answer = page.ask("GET", kind, {"ids": requested, "p": "1", "n": str(len(requested))})
        names |= dict.fromkeys(ids[kind].difference(requested), UNSEEN[kind])
        for record in answer.data if answer.ok else ():
            names[record["_id"]] = record.get("name") or record.get("email") or ""
            if kind == "file" and record.get("url"):
                links[record["_id"]] = record["url"]
    return FieldValues(page.reader.formats, names, links, readable)
