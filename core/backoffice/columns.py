"""Columns of lists and lines of record pages: the attributes that a ModelAdmin names, formatted for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, Protocol

from django.core.exceptions import FieldDoesNotExist, ObjectDoesNotExist
from django.db import models
from django.utils.safestring import SafeString
from unfold.decorators import display

from core.backoffice.panels import render_link
from core.backoffice.values import MAX_ITEMS, NOTHING, Names, display_value, is_empty, state
from core.text.labels.choices import choice_label
from core.text.labels.columns import GLOSSARY
from core.text.labels.providers import provider_name
from core.text.labels.words import name_label
from core.text.translation import gettext_lazy

Column = Callable[[Any], SafeString | str]
BASES = ("core.backoffice.", "core.jobs.progress", "django.", "unfold.")
"""Modules of the bases of ModelAdmins."""
DRESSED = ("label", "header", "dropdown")
"""Attributes of methods that the theme formats itself."""


class Tones(dict[str, str]):
    """Status -> the tone of its badge. Those without one are badges in no tone, and keep their words."""

    def __missing__(self, status: str) -> str:
        return ""


class Shows(Protocol):
    """Attributes of a ModelAdmin that a column uses."""

    opts: Any
    labels: ClassVar[Mapping[str, str]]

    def names_for(self, record: Any) -> Names:
        """Return the links that replace the ids in the record."""


def method_of(page: Shows, name: str) -> Any:
    """Return the method that the ModelAdmin itself shows as a column. Methods of its bases are no columns, because a
    model may have a field called `form`, `lead` or `told`."""
    for base in type(page).__mro__:
        if name in vars(base):
            ours = base.__module__.startswith(BASES)
            return None if ours and name != "progress" else getattr(page, name)
    return None


def field_of(page: Shows, name: str) -> models.Field[Any, Any] | None:
    """Return the model's field of this name, unless the ModelAdmin has a method of that name."""
    if method_of(page, name) is not None:
        return None
    try:
        field = page.opts.get_field(name)
    except FieldDoesNotExist:
        return None
    return field if isinstance(field, models.Field) else None


def label_of(field: models.Field[Any, Any]) -> str:
    """Return the label of a column: its own verbose name, or by the glossary."""
    label = str(field.verbose_name)
    plain = label == field.name.replace("_", " ")
    return name_label(field.name) if plain or field.name in GLOSSARY else capitalize_lazily(label)


def capitalize_lazily(text: str) -> str:
    """Return a text with a capital letter at its beginning; one that has it stays lazy."""
    return text if text[:1].isupper() else text[:1].upper() + text[1:]


def choice_text(record: models.Model, name: str) -> str:
    """Return the words for a record's choice in a field."""
    label = str(getattr(record, f"get_{name}_display")())
    return provider_name(name, str(getattr(record, name))) or choice_label(label)


def display_field(field: models.Field[Any, Any]) -> Any:
    """Return a field whose label and choices are words for people, for a form or a filter."""
    copied = copy(field)
    copied.verbose_name = label_of(field)
    if field.choices:
        copied.choices = [
            (value, provider_name(field.name, str(value)) or choice_label(str(label)))
            for value, label in field.flatchoices
        ]
    return copied


def badge(
    name: str, tones: Tones, description: str = gettext_lazy("status")
) -> Callable[[Any, models.Model], tuple[str, str]]:
    """Return a column of a list, to be assigned in a ModelAdmin: a choice as a badge, in the tone of its value."""

    @display(description=description, ordering=name, label=tones)
    def shown(page: Any, record: models.Model) -> tuple[str, str]:
        return getattr(record, name), choice_text(record, name)

    return shown  # type: ignore[no-any-return]


def make_column(page: Shows, name: str, *, brief: bool = False, linked: bool = True) -> Column | str:
    """Return a callable that shows the field, method or property of this name, or the name where the theme does.

    `brief` is for lists. `linked` makes references links; the first column of a list is a link as a whole.
    """
    method = method_of(page, name)
    if name == "__str__" or (method is not None and any(getattr(method, mark, None) for mark in DRESSED)):
        return name
    field = field_of(page, name)

    def column(record: Any) -> SafeString | str:
        if field is not None:
            return field_shown(page, record, field, brief=brief, linked=linked)
        value = method(record) if callable(method) else getattr(record, name)
        value = value() if callable(value) else value
        if isinstance(value, models.Model):
            return render_link(value) if linked else str(value)
        return display_value(value, name=name, brief=brief, currency=currency_of(record))

    # The help of a field is shown where it is edited, not where it is read. The theme finds it by this name.
    column.__name__ = name if brief else f"shown_{name}"
    source: Any = field if field is not None else method or getattr(page.opts.model, name, None)
    description = label_of(field) if field is not None else getattr(source, "short_description", None)
    label = page.labels.get(name) or (str(description) if description else name_label(name))
    column.short_description = capitalize_lazily(label)  # type: ignore[attr-defined]
    order = name if field is not None else getattr(source, "admin_order_field", None)
    if order is not None:
        column.admin_order_field = order  # type: ignore[attr-defined]
    return column


def field_shown(
    page: Shows, record: Any, field: models.Field[Any, Any], *, brief: bool = False, linked: bool = True
) -> SafeString | str:
    """Return a column's value: a reference by its name, a choice by its label, others by their kind."""
    if field.many_to_many:
        return display_value([str(target) for target in getattr(record, field.name).all()[:MAX_ITEMS]])
    if field.is_relation:
        try:
            related = getattr(record, field.name)
        except ObjectDoesNotExist:
            return NOTHING
        if related is None:
            return NOTHING
        return render_link(related) if linked else str(related)
    value = getattr(record, field.name)
    if field.choices and not is_empty(value):
        label = choice_text(record, field.name)
        return state(str(value), label) if field.name in ("status", "state", "light") else label
    if field.name == "status" and isinstance(value, str) and value:
        return state(value, choice_label(value.replace("_", " ")))
    names = page.names_for(record)
    return display_value(value, name=field.name, brief=brief, currency=currency_of(record), names=names)


def currency_of(record: Any) -> str:
    """Return the code of the currency that the record's amounts are in; empty where it names none."""
    code = getattr(record, "currency_id", None) or getattr(record, "currency", None)
    return code if isinstance(code, str) and len(code) == 3 and code.isalpha() else ""
