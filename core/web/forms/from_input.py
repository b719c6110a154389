"""Forms generated from the inputs of the API."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rest_framework import serializers

from core.api.addresses import EmailInput, PhoneInput, WebAddressInput
from core.api.input import ObjectIdInput
from core.web.forms.fields import Field, Option
from core.web.forms.fieldsets import Fieldset
from core.web.forms.form import Form

LONG_TEXT = 1000
"""Texts that may be longer than this are typed in several lines."""
INPUT_KINDS: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], str], ...] = (
    (serializers.BooleanField, "switch"),
    (EmailInput, "email"),
    (WebAddressInput, "url"),
    (PhoneInput, "tel"),
    (ObjectIdInput, "select"),
    (serializers.ChoiceField, "select"),
    (serializers.IntegerField, "number"),
    (serializers.FloatField, "number"),
    (serializers.DecimalField, "number"),
    (serializers.DateTimeField, "datetime"),
    (serializers.DateField, "date"),
    (serializers.TimeField, "time"),
    (serializers.ListField, "checks"),
)
"""Type of an input's field -> kind of the form's field, the first that fits; all others are texts."""


def kind_of(field: serializers.Field[Any, Any, Any, Any]) -> str:
    """Return the kind of a form's field for a field of an input."""
    kind = next((kind for field_type, kind in INPUT_KINDS if isinstance(field, field_type)), "text")
    is_long = kind == "text" and (getattr(field, "max_length", None) or 0) > LONG_TEXT
    return "textarea" if is_long else kind


def form_from_input(
    input_class: type[serializers.Serializer[Any]],
    labels: Mapping[str, str],
    *,
    kinds: Mapping[str, str] | None = None,
    help_texts: Mapping[str, str] | None = None,
    placeholders: Mapping[str, str] | None = None,
    autocomplete: Mapping[str, str] | None = None,
    options: Mapping[str, Iterable[Option]] | None = None,
    initial: Mapping[str, Any] | None = None,
    required: Collection[str] | None = None,
    focus: str = "",
    fieldsets: Sequence[Fieldset] = (),
) -> type[Form]:
    """Make a form for an input of the API, as Django's `modelform_factory` does for a model.

    `labels` has the names of the fields in their order. Kinds and the marks of required fields are the input's unless
    they are given; `focus` is the field that has the focus in the form of a new record. Raises TypeError for a name
    that the input does not have.
    """
    input_fields = input_class().get_fields()
    unknown = [name for name in labels if name not in input_fields]
    if unknown:
        raise TypeError(f"{input_class.__name__} has no {', '.join(unknown)}")
    fields = {}
    for name, label in labels.items():
        source = input_fields[name]
        is_needed = source.required and not getattr(source, "allow_blank", False)
        fields[name] = Field(
            name,
            label,
            (kinds or {}).get(name) or kind_of(source),
            required=is_needed if required is None else name in required,
            help_text=(help_texts or {}).get(name, ""),
            placeholder=(placeholders or {}).get(name, ""),
            autocomplete=(autocomplete or {}).get(name, "off"),
            options=(options or {}).get(name, ()),
            initial=(initial or {}).get(name, ""),
        )
    return type(f"{input_class.__name__}Form", (Form,), {**fields, "focus": focus, "fieldsets": fieldsets})
