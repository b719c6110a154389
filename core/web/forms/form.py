"""Forms of pages: Django's, with the API's refusals at their fields.

A page declares a `Form` class, lets `form_from_input` make one from an input of the API, or gives the fields of a form
that depends on its company.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, cast

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.renderers import TemplatesSetting
from django.utils.translation import gettext as _

from core.errors import GONE, PERMISSION, WHOLE_BODY
from core.text.json import dumps
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import NOT_ALLOWED, Answer
from core.web.forms.conflicts import CLASH, changed_values, read_opened
from core.web.forms.fields import BoundField, Field, Option
from core.web.forms.fieldsets import Fieldset, Section, sections_of
from core.web.words.cures import remedy_key, remedy_text
from core.web.words.problems import named_problem, problem_text, to_sentence

LOST = gettext_lazy("Enter this value again.")
"""Error at a secret of a refused form: no page sends secrets back to the browser."""


def name_below(prefix: str) -> Callable[[str], str]:
    """Return a function for `Form.refuse` if the form is one item of a list in the body, at fields.2. for example.

    Errors at other items stay above the form.
    """
    return lambda path: path.removeprefix(prefix) if path.startswith(prefix) else ""


class Form(forms.Form):
    """A form on a page.

    `initial` has the record's values: they stay to the last character unless a person edits their fields. `fields` are
    added to those that the class declares.
    """

    default_renderer = TemplatesSetting
    focus: ClassVar[str] = ""
    """The name of the field that has the focus in the form of a new record."""
    fieldsets: Sequence[Fieldset] = ()
    """The sections of a form with many fields."""
    template_name = "web/fields.html"
    fields: dict[str, Field]  # type: ignore[assignment]

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        fields: Iterable[Field] = (),
        initial: Values | None = None,
        fieldsets: Sequence[Fieldset] = (),
    ) -> None:
        super().__init__(data, auto_id="f-%s", initial=dict(initial or {}))
        self.cleaned_data: JsonObject = {}
        if fieldsets:
            self.fieldsets = fieldsets
        self._opened = ""
        self.remedy = ""
        self.refusal_title = ""
        for name, declared in self.fields.items():
            declared.name = name
        for field in [*self.fields.values(), *fields]:
            self.insert(field)
        if self.focus and not self.initial:
            self.fields[self.focus].autofocus = True

    def insert(self, field: Field, before: str = "") -> None:
        """Add a field, at the end or before another one."""
        if field.name in self.initial:
            field.set_initial(self.initial[field.name])
        self.fields[field.name] = field
        if before:
            names = [name for name in self.fields if name != field.name]
            names.insert(names.index(before), field.name)
            self.order_fields(names)

    def drop(self, *names: str) -> None:
        """Take fields out of the form, which need not have them."""
        for name in names:
            self.fields.pop(name, None)

    @property
    def opened(self) -> str:
        """The initial values of the fields as JSON, which the form sends back; empty for a new record's form.

        They say what others have changed since the form was opened. Secrets are never among them.
        """
        return self._opened or (dumps(self._current()).decode() if self.initial else "")

    def _current(self) -> JsonObject:
        """Return the record's values that the fields show."""
        fields = {name: field for name, field in self.fields.items() if field.kind != "password"}
        return {name: self.get_initial_for_field(field, name) for name, field in fields.items()}

    def bind(self, data: Mapping[str, Any], changed_by: str = "") -> Self:
        """Bind a form that a page has made to a browser's input. Fields that are missing in it stay as they are.

        A form with a record's values keeps what others have changed since it was opened (core.web.forms.conflicts).
        `changed_by` changed the record last.
        """
        opened = read_opened(data)
        current = self._current() if self.initial else {}
        others = changed_values(opened, current)
        self._opened = dumps(current or opened).decode() if current or opened else ""
        for name, field in self.fields.items():
            field.widget.rendered = not opened or name in opened
            if name in others:
                self.initial[name] = opened[name]
                field.set_initial(opened[name])
            self[name].reset()
        self.data = data
        self.is_bound = True
        self.full_clean()
        self._merge(opened, current, others)
        if any(field.clash for field in self):
            self.add_error(None, CLASH % {"member": changed_by or _("Someone")})
        return self

    def is_valid(self) -> bool:
        """Return whether all fields can be read and hold what they must. Errors stand at their fields."""
        for field in self:
            field.validate()
        is_valid: bool = super().is_valid()
        if not is_valid:
            self.ask_again()
        return is_valid

    def _merge(self, opened: Values, current: Values, others: Values) -> None:
        """Take over the values of others in untouched fields, and mark fields that both have changed."""
        for field in self:
            if self.data.get(f"choose-{field.name}") == "theirs" and field.name in current:
                field.replace(current[field.name])
            elif field.name in others:
                field.merge(opened[field.name], others[field.name])

    def __getitem__(self, name: str) -> BoundField:
        return cast("BoundField", super().__getitem__(name))

    def __iter__(self) -> Iterator[BoundField]:
        return (self[name] for name in self.fields)

    @property
    def sections(self) -> list[Section]:
        """The fields in their sections; a form without fieldsets is one section without a heading."""
        return sections_of({name: self[name] for name in self.fields}, self.fieldsets)

    @property
    def values(self) -> JsonObject:
        """The values of all fields, those that could not be read as they were typed."""
        return {field.name: field.value() for field in self}

    @property
    def refused_fields(self) -> list[BoundField]:
        """The fields with errors, for the summary above the form."""
        return [field for field in self if field.errors]

    def changed(self, before: Values) -> JsonObject:
        """Return the values that differ from the record's, so that a form overwrites nothing that it did not touch."""
        return {field.name: field.value() for field in self if field.is_other(before.get(field.name))}

    def name_chosen(self, **records: Iterable[Values | None]) -> None:
        """Add the records of choices, by the field's name, as options, where the options do not have them.

        Options are the first records of a list, which may not have those that are chosen.
        """
        for name, candidates in records.items():
            if name not in self.fields:
                continue
            field = self.fields[name]
            offered = {option.value for option in field.options}
            missing = [record for record in candidates if record and record["_id"] not in offered]
            field.options = [*field.options, *(Option(record["_id"], record["name"] or "") for record in missing)]

    def refuse(self, answer: Answer, name_of: Callable[[str], str] = str) -> None:
        """Put the API's refusal at the fields that it names, and what belongs to no field above the form.

        `name_of` returns the form's name of a path in the body, where they differ; an error at no field of the form
        names its field in words.
        """
        if answer.code == PERMISSION:
            self.add_error(None, NOT_ALLOWED)
            self.ask_again()
            return
        self.remedy = remedy_key(answer)
        if text := remedy_text(answer):
            self.add_error(None, text)
            self.ask_again()
            return
        texts: dict[str, list[str]] = {}
        rest: list[str] = []
        for error in answer.errors:
            whole = error.get("code") == WHOLE_BODY
            field = None if whole else self.field_at(name_of(error["field"]))
            if field is not None:
                texts.setdefault(field.name, []).append(problem_text(error, field.kind))
            elif error.get("code") != GONE:  # the message says that it is gone
                rest.append(named_problem(error))
        if not answer.errors and answer.warning:
            rest.append(answer.reason)
        for name, messages in texts.items():
            self[name].replace_error(" ".join(map(str, messages)))
        if answer.message and not self.refused_fields:
            self.add_error(None, to_sentence(answer.message))
        for text in rest:
            self.add_error(None, text)
        self.ask_again()

    def field_at(self, path: str) -> BoundField | None:
        """Return the field of a path in the body: of allowedIps.0 the form may have the first part, or the last."""
        names = (path, *reversed(path.split(".")))
        return next((self[name] for name in names if name in self.fields), None)

    def replace_errors(self, texts: list[str]) -> None:
        """Show these texts above the form, in the place of others."""
        self.errors.pop(NON_FIELD_ERRORS, None)
        self.add_error(None, texts)

    def ask_again(self) -> None:
        """Mark typed secrets as lost, because browsers do not get them back."""
        for field in self:
            if field.kind == "password" and field.value() and not field.errors:
                field.add_error(LOST)


def standalone_field(field: Field) -> BoundField:
    """Return a field that is drawn outside of a form of its own."""
    return Form(fields=[field])[field.name]
