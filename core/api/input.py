"""Inputs: serializers that name the field which they refuse."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django.core.validators import BaseValidator
from rest_framework import serializers
from rest_framework.fields import empty

from core.api.output import to_snake_case
from core.errors import WHOLE_BODY, ApiError, FieldError, InvalidFormat, ValidationFailed, shorten
from core.ids import is_id
from core.internals.rest_framework import declare_source, declared_fields, declared_source
from core.text.folding import shows_nothing, trim_invisible
from core.text.hosts import is_host
from core.text.links import holds_link
from core.text.redaction import HIDDEN, SECRET, UNNAMED
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

FORMAT_CODES = {
    "invalid",
    "id",
    "not_a_list",
    "not_a_dict",
    "date",
    "datetime",
    "make_aware",
    "overflow",
    "max_string_length",
}
MAX_CHOICES = 50
"""Maximum number of choices that an error names."""
MAX_ERRORS = 20
"""Maximum number of errors that an answer names."""
LIMITS: Mapping[str, str] = {
    "max_length": gettext_lazy("enter at most %(limit_value)s characters"),
    "min_length": gettext_lazy("enter at least %(limit_value)s characters"),
    "max_value": gettext_lazy("enter a number of at most %(limit_value)s"),
    "min_value": gettext_lazy("enter a number of at least %(limit_value)s"),
}
"""Code of a validator of a limit -> its text, for people as for programs."""
LIST_LIMITS: Mapping[str, str] = {
    "max_length": gettext_lazy("choose at most %(limit_value)s"),
    "min_length": gettext_lazy("choose at least %(limit_value)s"),
}
"""The same of the limits of lists."""


def id_of(value: Any) -> Any:
    """Return the _id of a nested record, as answers show references; any other value as it is."""
    return value["_id"] if isinstance(value, dict) and is_id(value.get("_id")) else value


class ObjectIdInput(serializers.CharField):
    """An ObjectId, or the nested record that an answer shows. The service checks whether the company has it."""

    def to_internal_value(self, data: Any) -> str:
        data = id_of(data)
        if not is_id(data):
            raise serializers.ValidationError("must be 24 hex characters", code="id")
        return data


class TextInput(serializers.CharField):
    """Text. Other types are not converted. Trimmed text has no invisible characters at its ends."""

    def run_validation(self, data: Any = empty) -> Any:
        is_empty = self.trim_whitespace and isinstance(data, str) and shows_nothing(data)
        return super().run_validation("" if is_empty else data)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("must be text", code="invalid")
        text = super().to_internal_value(data)
        return trim_invisible(text) if self.trim_whitespace else text


class LineInput(TextInput):
    """Text on one line, without control characters."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in data):
            raise serializers.ValidationError("enter one line of text", code="invalid")
        return text


class HostInput(LineInput):
    """Name or IP address of a server, without scheme, port or path."""

    def to_internal_value(self, data: Any) -> str:
        host = super().to_internal_value(data)
        if not is_host(host):
            raise serializers.ValidationError(
                "enter a server name, such as mail.example.com, or an IP address", code="invalid"
            )
        return host


class NameInput(LineInput):
    """A name, which may go out in mails to people who have not asked for them: one line that holds no address."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if holds_link(text):
            raise serializers.ValidationError("enter a name without web or email addresses", code="link")
        return text


class BooleanInput(serializers.BooleanField):
    """true or false. Texts are not converted."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false", code="invalid")
        return data


class IntegerInput(serializers.IntegerField):
    """A whole number in the range of PostgreSQL's integer."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_value", 2**31 - 1)
        options.setdefault("min_value", -(2**31))
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("enter a whole number", code="invalid")
        return super().to_internal_value(data)


class NumberInput(serializers.FloatField):
    """A number. Texts and booleans are not converted."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("must be a number", code="invalid")
        return super().to_internal_value(data)


class ObjectInput(serializers.DictField):
    """A free-form JSON object with unchanged keys."""

    def to_internal_value(self, data: Any) -> JsonObject:
        if not isinstance(data, dict):
            raise serializers.ValidationError("must be an object", code="not_a_dict")
        return data


class IdList(serializers.ListField):
    """Ids, or nested records as answers show them, without duplicates, in their order."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", 100_000)
        super().__init__(child=ObjectIdInput(), **options)

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list):
            raise serializers.ValidationError("must be an array of ids", code="not_a_list")
        data = [id_of(item) for item in data]
        for item in data:
            if not is_id(item):
                raise InvalidFormat(self.field_name or "ids", item, "each item must be 24 hex characters")
        return list(dict.fromkeys(data))


class Input(serializers.Serializer[Any]):
    """A body: camelCase names become snake_case, an unknown key is an error."""

    named_by: ClassVar[tuple[str, ...]] = ()
    """References of a nested item. One of them is enough to identify the item, although responses show more fields."""
    orders: ClassVar[Values] = {}
    """Values that order an action. They are kept even if the record has the same value. Key -> value."""
    stops: ClassVar[Sequence[str]] = ()
    """Values of `status` that stop work, which moves `updatedAt`. A body that changes nothing else may have an old one.
    """
    never: ClassVar[frozenset[str]] = frozenset()
    """Keys that a body may have only if it repeats the record with its _id: money, and the status of paid things."""
    conceals: ClassVar[frozenset[str]] = frozenset()
    """Keys whose values errors leave out, in addition to those that are secret by name."""
    together: ClassVar[Sequence[str]] = ()
    """Keys whose values depend on each other: if one changes, the others are no mere repetition."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, field in declared_fields(cls).items():
            if to_snake_case(name) != name and declared_source(field) is None:
                declare_source(field, to_snake_case(name))

    def get_fields(self) -> JsonObject:
        fields: JsonObject = super().get_fields()
        for field in fields.values():
            _reword(field)
        return fields

    def to_internal_value(self, data: Any) -> JsonObject:
        if isinstance(data, dict):
            unknown = [key for key in data if key not in self.fields]
            if unknown:
                names = ", ".join(sorted(self.fields)) or "none"
                raise serializers.ValidationError(
                    {
                        shorten(key): serializers.ErrorDetail(
                            f"unknown key; this endpoint knows {names}", code="unknown"
                        )
                        for key in unknown[:5]
                    }
                )
        values: JsonObject = super().to_internal_value(data)
        return values


def _reword(field: serializers.Field[Any, Any, Any, Any]) -> None:
    """Name the choices in a field's errors, and types by their names in JSON; write limits in plain words."""
    messages = field.error_messages
    _reword_limits(field)
    if isinstance(field, serializers.ChoiceField):
        messages["invalid_choice"] = f"needs to be one of {_choices_text(field.choices)}".replace("{", "{{").replace(
            "}", "}}"
        )
        messages["not_a_list"] = "needs to be an array"
    elif isinstance(field, serializers.ListField | serializers.ListSerializer):
        messages["not_a_list"] = "needs to be an array"
    elif isinstance(field, serializers.DictField):
        messages["not_a_dict"] = "needs to be an object"
    elif isinstance(field, serializers.BaseSerializer):
        messages["invalid"] = "needs to be an object"
    child = getattr(field, "child", None)
    if child is not None:
        _reword(child)


def _reword_limits(field: serializers.Field[Any, Any, Any, Any]) -> None:
    limits = LIST_LIMITS if isinstance(field, serializers.ListField | serializers.ListSerializer) else LIMITS
    for validator in field.validators:
        if isinstance(validator, BaseValidator) and validator.code in limits:
            validator.message = limits[validator.code]


def _choices_text(choices: Iterable[Any]) -> str:
    """Return the choices of an enum, the first ones of very many."""
    names = [str(choice) for choice in choices]
    more = f" … ({len(names)} in all)" if len(names) > MAX_CHOICES else ""
    return ", ".join(names[:MAX_CHOICES]) + more


def _as_in_form() -> serializers.JSONField:
    return serializers.JSONField(required=False, allow_null=True, help_text="as in formData; null empties a value")


class FormInput(Input):
    """A body with formData, whose system values are taken at the top as well, as answers show them.

    Subclasses declare `formData`.
    """

    system: ClassVar[Iterable[str]] = ()
    """Keys of formData that are taken at the top too."""
    beside: ClassVar[Iterable[str]] = ()
    """Own fields that are taken in formData too."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in cls.system:
            declared_fields(cls).setdefault(name, _as_in_form())

    def duplicated_names(self, data: JsonObject) -> list[str]:
        """Return the names that have a value at the top and in formData."""
        form = data.get("formData")
        if not isinstance(form, dict):
            return []
        return [name for name in (*self.system, *self.beside) if name in data and name in form]

    def to_internal_value(self, data: Any) -> JsonObject:
        form = data.get("formData", {}) if isinstance(data, dict) else None
        if not isinstance(form, dict):
            return super().to_internal_value(data)
        for name in self.duplicated_names(data):
            if data[name] != form[name]:
                detail = serializers.ErrorDetail(f"differs from formData.{name}; send one of them", code="conflict")
                raise serializers.ValidationError({name: detail})
        values = {name: form[name] for name in self.beside if name in form and name in self.fields}
        form = {name: value for name, value in form.items() if name not in values}
        form |= {name: data[name] for name in self.system if name in data}
        top = {name: value for name, value in data.items() if name not in self.system}
        return super().to_internal_value({**top, **values, "formData": form})


def read(schema: type[Input], body: Any) -> JsonObject:
    """Validate the body. Returns snake_case values; raises InvalidFormat or ValidationFailed."""
    if not isinstance(body, dict):
        rule = "the body must be a JSON object"
        raise ValidationFailed(rule, errors=[FieldError(field="body", message=rule, code=WHOLE_BODY)])
    serializer = schema(data=body)
    if not serializer.is_valid():
        raise explain(serializer.errors, body, schema.conceals)
    values: JsonObject = serializer.validated_data
    return values


def explain(errors: Any, body: Any, conceals: Container[str] = ()) -> ApiError:
    """Return the first error as the contract's schema-level error, with all errors in its warning.

    Values of `conceals`, and those that are secret by their name, are not repeated.
    """
    problems = list(_walk(errors, body, ""))[:MAX_ERRORS]
    path, value, error = problems[0]
    everything = "; ".join(f"{path}: {error}" if path else str(error) for path, _, error in problems)
    fields = [
        FieldError(field=path or "body", message=str(error), code=str(error.code) if path else WHOLE_BODY)
        for path, _, error in problems
    ]
    if error.code in FORMAT_CODES:
        # The message goes to logs and screens of others: a password in a list is a password still.
        hidden = SECRET.match(path) or any(name in conceals or UNNAMED.match(name) for name in path.split("."))
        return InvalidFormat(path or "body", HIDDEN if hidden else value, everything, errors=fields)
    return ValidationFailed(everything, everything, errors=fields)


def _walk(errors: Any, value: Any, path: str) -> Any:
    if isinstance(errors, dict):
        for key, inner in errors.items():
            below = path if key == "non_field_errors" else f"{path}.{key}".lstrip(".")
            child = value
            if isinstance(value, dict):
                child = value.get(key)
            elif isinstance(value, list) and str(key).isdigit() and int(key) < len(value):
                child = value[int(key)]
            yield from _walk(inner, child, below)
    elif isinstance(errors, list):
        for position, inner in enumerate(errors):
            if isinstance(inner, dict):
                child = value[position] if isinstance(value, list) and position < len(value) else None
                yield from _walk(inner, child, f"{path}.{position}".lstrip("."))
            else:
                yield path, value, inner
    else:
        yield path, value, errors
