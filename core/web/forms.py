"""Forms of pages: fields for people, the API's body built from them, and errors at the fields that they name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from core.errors import PERMISSION, WHOLE_BODY
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from core.web.ask import NOT_ALLOWED, Answer, sentence
from core.web.inputs import (
    BadMoment,
    option_text,
    read_local,
    read_number,
    same_text,
    shown_text,
    typed_like,
    widget_of,
)

LOST = "Enter it again: it is not kept after a failed try."
"""Error at a secret of a refused form: no page sends secrets back to the browser."""
SEVERAL = frozenset({"checks", "groups", "tags"})
"""Kinds whose value is a list."""
CHOICES = frozenset({*SEVERAL, "select", "radio"})
GONE = "no option any more"
UNSET: Any = object()


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    group: str = ""
    """The heading above it and similar ones, in a select or a field of kind groups."""


def options_of(choices: Iterable[tuple[str, str]]) -> list[Option]:
    """Return the options of (value, label) pairs."""
    return [Option(value, label) for value, label in choices]


@dataclass
class Field:
    """A field of a form. `name` is its name in the API's body."""

    name: str
    label: str
    kind: str = "text"
    """Kind of input: text, email, tel, url, number, date, datetime, password or textarea. Choices are select, search
    (one of very many options), radio, checks, groups (of checks), tags and switch; hidden is not shown. The input
    itself is `widget`."""
    required: bool = False
    help: str = ""
    placeholder: str = ""
    options: list[Option] = field(default_factory=list)
    autocomplete: str = "off"
    autofocus: bool = False
    key: str = ""
    """The key that leads into a textarea."""
    value: Any = ""
    held: Any = UNSET
    """The record's value, which stays unless a person edits the field."""
    zone: str = "UTC"
    """The time zone in which times are shown and typed."""
    any_type: bool = False
    """A value keeps its type: 5 becomes 6, and not "6"."""
    error: str = ""
    clash: str = ""
    """The value that another person has saved since the form was opened."""

    @property
    def id(self) -> str:
        return f"f-{self.name}"

    @property
    def described_by(self) -> str:
        """The ids of the texts about the field."""
        return " ".join(f"{self.id}-{part}" for part, text in (("error", self.error), ("help", self.help)) if text)

    @property
    def widget(self) -> str:
        """The input that shows the value whole: the kind's own, or another one ("fixed": none does)."""
        return widget_of(self.kind, self.value, zone_of(self.zone))

    @property
    def text(self) -> str:
        """Return the text of the input."""
        return shown_text(self.widget, self.value, zone_of(self.zone))

    @property
    def chosen(self) -> list[str]:
        """The values of a field with several, or the one of others, as text."""
        values = self.value if isinstance(self.value, list) else [self.value]
        return [option_text(value) for value in values]

    @property
    def offered(self) -> list[Option]:
        """Return the options, and chosen values that are no longer options: a form keeps untouched values."""
        values = {option.value for option in self.options}
        gone = [text for text in dict.fromkeys(self.chosen) if text and text not in values]
        return [*self.options, *(Option(text, f"{text} ({GONE})") for text in gone)]

    @property
    def groups(self) -> list[tuple[str, list[Option], int]]:
        """Return the options by heading, with the number of chosen ones."""
        options: dict[str, list[Option]] = {}
        for option in self.offered:
            options.setdefault(option.group, []).append(option)
        chosen = set(self.chosen)
        return [(name, ones, sum(option.value in chosen for option in ones)) for name, ones in options.items()]

    def _option(self, text: str) -> str:
        """Return the option that the text is, or the only one that has it in it; else the text, which is refused."""
        sought = _plain(text)
        exact = [option.value for option in self.options if sought in (_plain(option.value), _plain(option.label))]
        matches = exact or [option.value for option in self.options if sought and sought in _plain(option.value)]
        return matches[0] if len(matches) == 1 else text

    def fill_from(self, sent: QueryDict) -> None:
        """Take what was sent. The record's own value stays, to the last character, if nobody has touched the field."""
        if self.held is UNSET or is_nothing(self.held) or not self.is_untouched(sent):
            self.value = self.read(sent)

    def is_untouched(self, sent: QueryDict) -> bool:
        """Return whether the input equals that of a browser for the rendered field."""
        if self.kind == "switch":
            return (self.name in sent) == bool(self.value)
        if self.kind in SEVERAL:
            return set(sent.getlist(self.name)) == set(filter(None, self.chosen))
        text = sent.get(self.name, "")
        if self.kind in CHOICES:
            return self.widget == "fixed" or text == self.chosen[0]
        return self.widget == "fixed" or same_text(self.widget, self.text, text)

    def is_other(self, before: Any) -> bool:
        """Return whether the field's value differs from the one before. A box that is not ticked is no, or nothing."""
        return bool(self.value) != bool(before) if self.kind == "switch" else differ(before, self.value)

    def read(self, sent: QueryDict) -> Any:
        """Return the input in the API's form: numbers as numbers, nothing as "", [] or null."""
        if self.kind == "switch":
            return self.name in sent
        if self.kind in SEVERAL:
            return self._several(sent.getlist(self.name))
        text = sent.get(self.name, "").replace("\r\n", "\n")  # as browsers write the lines of a textarea
        if self.kind != "password":
            text = text.strip()
        if self.kind == "number":
            return read_number(text)
        if self.kind == "search":
            return self._option(text)
        if self.kind in ("date", "datetime"):
            return self._dated(text)
        return typed_like(self.held, text) if self.any_type else text

    def _several(self, texts: list[str]) -> list[Any]:
        """Return the values of the texts: first those that the record has, as it has them and in its order."""
        values = self.held if isinstance(self.held, list) else []
        kept = {option_text(value): value for value in values}
        held = [value for value in values if option_text(value) in texts]
        return [*held, *(text for text in dict.fromkeys(texts) if text not in kept)]

    def _dated(self, text: str) -> str | None:
        try:
            return (read_local(text, zone_of(self.zone), self.held) if "T" in text else text) or None
        except BadMoment as error:
            self.error = str(error)
            return text


def _plain(text: str) -> str:
    return text.replace("_", " ").casefold()


def is_nothing(value: Any) -> bool:
    """Return whether a field holds nothing, in any of its forms; 0 and false are something."""
    return value is None or value in ("", [])


def differ(left: Any, other: Any) -> bool:
    """Return whether two values of a field differ. Nothing is the same in each of its forms; lists have no order."""
    if isinstance(left, list) and isinstance(other, list):
        return sorted(map(option_text, left)) != sorted(map(option_text, other))
    if is_nothing(left) or is_nothing(other):
        return is_nothing(left) != is_nothing(other)
    return bool(left != other or isinstance(left, bool) != isinstance(other, bool))


def name_below(prefix: str) -> Callable[[str], str]:
    """Return a function for `Form.refuse` if the form is one item of a list in the body, at fields.2. for example.

    Errors at other items stay above the form.
    """
    return lambda path: path.removeprefix(prefix) if path.startswith(prefix) else ""


class Form:
    """A form on a page. `fill` reads the input, `values` has it for the API's body."""

    def __init__(self, fields: Iterable[Field], values: Values | None = None) -> None:
        self.fields = list(fields)
        self.opened = ""
        """Values of the fields when the form was opened, as JSON (core.web.conflicts)."""
        self.trouble: list[str] = []
        """Errors that belong to no single field."""
        for form_field in self.fields:
            if values is not None and form_field.name in values:
                form_field.value = form_field.held = values[form_field.name]

    def fill(self, sent: QueryDict, rendered: Collection[str] | None = None) -> Form:
        """Read the browser's input. Fields that are missing in it stay as they are.

        `rendered` has the names of the fields that the browser was shown, if that is known.
        """
        for form_field in self.fields:
            silent = (
                form_field.kind in SEVERAL or form_field.kind == "switch"
            )  # browsers send nothing of what is not ticked
            if form_field.name in sent or (silent and (rendered is None or form_field.name in rendered)):
                form_field.fill_from(sent)
        return self

    def name_chosen(self, **records: Iterable[Values | None]) -> None:
        """Add the records of choices, by the field's name, as options, where the options do not have them.

        Options are the first records of a list, which may not have those that are chosen.
        """
        for form_field in self.fields:
            offered = {option.value for option in form_field.options}
            chosen = [record for record in records.get(form_field.name, ()) if record and record["_id"] not in offered]
            form_field.options = [
                *form_field.options,
                *(Option(record["_id"], record["name"] or "") for record in chosen),
            ]

    @property
    def values(self) -> JsonObject:
        return {form_field.name: form_field.value for form_field in self.fields}

    @property
    def wrong(self) -> list[Field]:
        """The fields that were refused, for the summary above the form."""
        return [form_field for form_field in self.fields if form_field.error]

    @property
    def is_wrong(self) -> bool:
        return bool(self.trouble or self.wrong)

    def changed(self, before: Values) -> JsonObject:
        """Return the values that differ from the record's, so that a form overwrites nothing that it did not touch."""
        return {
            form_field.name: form_field.value
            for form_field in self.fields
            if form_field.is_other(before.get(form_field.name))
        }

    def refuse(self, answer: Answer, name_of: Callable[[str], str] = str) -> None:
        """Put the API's refusal at the fields that it names, and what belongs to no field above the form.

        `name_of` returns the form's name of a path in the body, where they differ; an error at no field of the form
        keeps its path.
        """
        if answer.code == PERMISSION:
            self.trouble.append(NOT_ALLOWED)
            self.ask_again()
            return
        texts: dict[str, list[str]] = {}
        rest: list[str] = []
        for error in answer.errors:
            whole = error.get("code") == WHOLE_BODY
            form_field = None if whole else self.field_at(name_of(error["field"]))
            if form_field is not None:
                text = error["message"].removeprefix(f"{form_field.label}: ")
                texts.setdefault(form_field.name, []).append(sentence(text))
            else:
                rest.append(sentence(error["message"] if whole else f"{error['field']}: {error['message']}"))
        if not answer.errors and answer.warning:
            rest.append(sentence(answer.warning))
        for form_field in self.fields:
            if form_field.name in texts:
                form_field.error = " ".join(texts[form_field.name])
        if answer.message and not self.wrong:
            self.trouble.append(answer.message)
        self.trouble += rest
        self.ask_again()

    def field_at(self, path: str) -> Field | None:
        """Return the field of a path in the body: of allowedIps.0 the form may have the first part, or the last."""
        by_name = {form_field.name: form_field for form_field in self.fields}
        names = (path, *reversed(path.split(".")))
        return next((by_name[name] for name in names if name in by_name), None)

    def ask_again(self) -> None:
        """Mark typed secrets as lost, because browsers do not get them back."""
        for form_field in self.fields:
            if form_field.kind == "password" and form_field.value and not form_field.error:
                form_field.error = LOST
