"""Fields of pages' forms: Django's, with the values that an API holds and what browsers make of them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.utils.functional import cached_property

from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.web.forms.inputs import (
    BadMoment,
    fold_label,
    is_nothing,
    merge_lists,
    option_text,
    read_local,
    read_number,
    same_text,
    shown_text,
    typed_like,
    values_differ,
    widget_of,
    with_newlines,
)
from core.web.words.problems import missing_text

SEVERAL = frozenset({"checks", "groups", "tags"})
"""Kinds whose value is a list."""
CHOICES = frozenset({*SEVERAL, "select", "radio"})
SILENT = frozenset({*SEVERAL, "switch"})
"""Kinds of which browsers send nothing where nothing is ticked."""
GONE = gettext_lazy("no longer an option")
UNSENT: Any = object()
"""The input of a field that a browser did not send."""


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    group: str = ""
    """The heading above it and similar ones, in a select or a field of kind groups."""
    keywords: str = ""
    """Other names by which a search finds it."""


def options_of(choices: Iterable[tuple[str, str]]) -> list[Option]:
    """Return the options of (value, label) pairs."""
    return [Option(value, label) for value, label in choices]


def texts_of(value: Any) -> list[str]:
    """Return a value as options write it: those of a list, or the single one."""
    return [option_text(item) for item in (value if isinstance(value, list) else [value])]


class Input(forms.Widget):
    """The input of a field, which `web/parts/field.html` draws. It returns what was sent, or UNSENT."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.rendered = True
        """False for an input that the browser was not shown, so that silence means nothing."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        if self.kind not in SILENT:
            return data.get(name, UNSENT)
        if name not in data and not self.rendered:
            return UNSENT
        if self.kind == "switch":
            return name in data
        getlist = getattr(data, "getlist", None)
        return getlist(name) if getlist else list(data.get(name, ()))

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return self.value_from_datadict(data, files, name) is UNSENT


class BoundField(forms.BoundField):
    """A field of a form with its value, as templates draw it."""

    field: Field
    label: str
    help_text: str
    clash = ""
    """The value that another person has saved since the form was opened."""
    _shown: Any = UNSENT
    """The value once it was asked for, since templates ask for each option of a choice."""

    @property
    def kind(self) -> str:
        return self.field.kind

    @property
    def required(self) -> bool:
        return self.field.required

    @property
    def options(self) -> list[Option]:
        return self.field.options

    @cached_property
    def id(self) -> str:
        return self.auto_id

    @property
    def error(self) -> str:
        errors = self.form.errors.get(self.name)
        return " ".join(map(str, errors)) if errors else ""

    def validate(self) -> None:
        """Add the errors of a value that was sent. A record's untouched value stays, even where it lacks one."""
        is_untouched = self.field.holds and not self.field.has_changed(self.field.initial, self.data)
        if self.data is UNSENT or is_untouched or self.errors:
            return
        try:
            self.field.validate(self.value())
            self.field.run_validators(self.value())
        except forms.ValidationError as error:
            self.form.add_error(self.name, error)

    def add_error(self, text: str) -> None:
        self.form.add_error(self.name, text)

    def replace_error(self, text: str) -> None:
        """Show this error in the place of others, such as the API's."""
        self.form.errors.pop(self.name, None)
        self.add_error(text)

    def value(self) -> Any:
        """Return the value to show: the record's, or what was sent, in the API's form."""
        if self._shown is UNSENT:
            self._shown = super().value()
        return self._shown

    def replace(self, value: Any) -> None:
        """Show another value than the one that was sent."""
        self._shown = value
        if self.name in self.form.cleaned_data:
            self.form.cleaned_data[self.name] = value

    def merge(self, opened: Any, current: Any) -> None:
        """Take over the value that others have saved. One that was typed stays, and clashes with theirs."""
        if not self.is_other(opened):
            self.replace(current)
        elif self.field.merges:
            self.replace(merge_lists(opened, self.value(), current))
        elif self.is_other(current):
            self.clash = self.field.words(current) or "empty"

    def reset(self) -> None:
        """Read the value again, after the form was bound."""
        self._shown = UNSENT

    @property
    def aria_describedby(self) -> str:
        """The ids of the texts about the field."""
        texts = (("error", self.error), ("help", self.help_text))
        return " ".join(f"{self.id}-{part}" for part, text in texts if text)

    @property
    def input_type(self) -> str:
        """The input that shows the value whole: the kind's own, or another one ("fixed": none does)."""
        return self.field.input_type(self.value())

    @property
    def text(self) -> str:
        """Return the text of the input."""
        return self.field.text(self.value())

    @property
    def chosen(self) -> list[str]:
        """The values of a field with several, or the one of others, as text."""
        return texts_of(self.value())

    @property
    def offered(self) -> list[Option]:
        return self.field.offered(self.value())

    @property
    def groups(self) -> list[tuple[str, list[Option], int]]:
        """Return the options by heading, with the number of chosen ones."""
        options: dict[str, list[Option]] = {}
        for option in self.offered:
            options.setdefault(option.group, []).append(option)
        values = set(self.chosen)
        return [(name, group, sum(option.value in values for option in group)) for name, group in options.items()]

    def is_other(self, before: Any) -> bool:
        """Return whether the value differs from the one before. A box that is not ticked is no, or nothing."""
        if self.kind == "switch":
            return bool(self.value()) != bool(before)
        if self.kind == "lines":
            return (self.value() or []) != (before or [])
        return values_differ(before, self.value())


class Field(forms.Field):
    """A field of a page's form. `name` is its name in the API's body.

    The API is the judge of values: cleaning reads them in the API's form, and refuses only what cannot be read. The
    form's `is_valid()` asks `validate` and the validators, too.
    """

    widget: Input
    label: str
    help_text: str

    def __init__(
        self,
        name: str = "",
        label: str = "",
        kind: str = "text",
        required: bool = False,
        *,
        help_text: str = "",
        placeholder: str = "",
        options: Iterable[Option] = (),
        autocomplete: str = "off",
        autofocus: bool = False,
        key: str = "",
        suggests: str = "",
        initial: Any = "",
        zone: str = "UTC",
        any_type: bool = False,
        merges: bool = False,
    ) -> None:
        """Make a field.

        Kinds are text, email, tel, url, number, date, datetime, password, textarea and lines (a list of texts). Choices
        are select, search (one of very many options), radio, checks, groups (of checks), tags and switch; hidden is not
        shown.

        `key` is the key that leads into a textarea, `suggests` the page of what may follow an @ there, `zone` the time
        zone in which times are shown and typed. With `any_type` a value keeps its type: 5 becomes 6, and not "6". With
        `merges`, each box of checks is one's own.
        """
        super().__init__(
            required=required,
            widget=Input(kind),
            label=label,
            initial=initial,
            help_text=help_text,
            template_name="web/parts/field.html",
            bound_field_class=BoundField,
        )
        self.name = name
        self.placeholder = placeholder
        self.options = list(options)
        self.autocomplete = autocomplete
        self.autofocus = autofocus
        self.key = key
        self.suggests = suggests
        self.zone = zone
        self.any_type = any_type
        self.merges = merges
        self.holds = False
        """The initial value is a record's, which stays to the last character unless a person edits the field."""

    @property
    def kind(self) -> str:
        return self.widget.kind

    @kind.setter
    def kind(self, kind: str) -> None:
        self.widget.kind = kind

    def copy(self, **changes: Any) -> Self:
        """Return a copy with other attributes."""
        field = copy.deepcopy(self)
        for name, value in changes.items():
            setattr(field, name, value)
        return field

    def set_initial(self, value: Any) -> None:
        """Start from a record's value."""
        self.initial = value
        self.holds = True

    def input_type(self, value: Any) -> str:
        """Return the input that shows a value whole, or "fixed" if none does."""
        return widget_of(self.kind, value, zone_of(self.zone))

    def text(self, value: Any) -> str:
        """Return the text of the input for a value."""
        return shown_text(self.input_type(value), value, zone_of(self.zone))

    def words(self, value: Any) -> str:
        """Write a value as people read it in the field."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if self.kind not in CHOICES:
            text = self.text(value)
            return text.replace("T", " ") if self.input_type(value) == "datetime-local" else text
        labels = {option.value: option.label for option in self.offered(value)}
        return ", ".join(str(labels.get(text, text)) for text in filter(None, texts_of(value)))

    def offered(self, value: Any) -> list[Option]:
        """Return the options, and chosen values that are no longer options: a form keeps untouched values."""
        values = {option.value for option in self.options}
        missing = [text for text in dict.fromkeys(texts_of(value)) if text and text not in values]
        return [*self.options, *(Option(text, f"{text} ({GONE})") for text in missing)]

    # Django's hooks

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether the input differs from that of a browser for the rendered field."""
        if data is UNSENT:
            return False
        if self.kind == "switch":
            return bool(data) != bool(initial)
        if self.kind in SEVERAL:
            return set(map(with_newlines, data)) != set(map(with_newlines, filter(None, texts_of(initial))))
        input_type = self.input_type(initial)
        if input_type == "fixed":
            return False
        if self.kind in CHOICES:
            return with_newlines(data) != with_newlines(texts_of(initial)[0])
        return not same_text(input_type, self.text(initial), data)

    def validate(self, value: Any) -> None:
        """Refuse an empty value of a required field, with the text that the API's refusal has on pages."""
        if self.required and is_nothing(value):
            raise forms.ValidationError(missing_text(self.kind), code="required")

    def clean(self, value: Any) -> Any:
        """Return the input in the API's form. What was not sent, and a record's untouched value, stays as it was.

        `validate` and the validators run in `is_valid()`: a form that is only shown again is not refused.
        """
        if value is UNSENT:
            return self.initial
        if self.holds and not is_nothing(self.initial) and not self.has_changed(self.initial, value):
            return self.initial
        return self.to_python(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return the value to show again: the cleaned one, or the text that could not be read."""
        try:
            return self.clean(data)
        except forms.ValidationError:
            return data

    def to_python(self, value: Any) -> Any:
        """Read an input: numbers as numbers, nothing as "", [] or null."""
        if self.kind == "switch":
            return value
        if self.kind in SEVERAL:
            return self._read_several(value)
        text = value.replace("\r\n", "\n")  # as browsers write the lines of a textarea
        if self.kind == "lines":
            return [line.strip() for line in text.split("\n") if line.strip()]
        if self.kind != "password":
            text = text.strip()
        if self.kind == "number":
            return read_number(text)
        if self.kind == "search":
            return self._option(text)
        if self.kind in ("date", "datetime"):
            return self._read_date(text)
        return typed_like(self._initial_values, text) if self.any_type else text

    @property
    def _initial_values(self) -> Any:
        return self.initial if self.holds else None

    def _read_several(self, texts: list[str]) -> list[Any]:
        """Return the values of the texts: first those that the record has, as it has them and in its order."""
        values = self._initial_values if isinstance(self._initial_values, list) else []
        inputs = dict.fromkeys(map(with_newlines, texts))
        initial = {with_newlines(option_text(value)) for value in values}
        unchanged = [value for value in values if with_newlines(option_text(value)) in inputs]
        return [*unchanged, *(text for text in inputs if text not in initial)]

    def _read_date(self, text: str) -> str | None:
        try:
            return (read_local(text, zone_of(self.zone), self._initial_values) if "T" in text else text) or None
        except BadMoment as error:
            raise forms.ValidationError(str(error), code="skipped") from None

    def _option(self, text: str) -> str:
        """Return the option that the text is, or the only one that has it in it; else the text, which is refused."""
        sought = fold_label(text)
        exact = [option.value for option in self.options if sought in map(fold_label, (option.value, option.label))]
        matches = exact or [option.value for option in self.options if sought and sought in fold_label(option.value)]
        return matches[0] if len(matches) == 1 else text


def read_input(name: str, kind: str, sent: Mapping[str, Any]) -> Any:
    """Read a single input, which is empty if it was not sent."""
    field = Field(name, "", kind)
    value = field.widget.value_from_datadict(sent, {}, name)
    return field.to_python("" if value is UNSENT else value)
