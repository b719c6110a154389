"""The base of nested settings: a shape with defaults, of which only changed values are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from accounts.settings.models import CompanySettings
from core.api.input import Input
from core.internals.rest_framework import declared_fields
from core.tenancy import unscoped
from core.types import JsonObject, Values


class Shape(Input):
    """A nested setting. Every key has a default, and keeps its name, since the setting is stored as it is written."""

    def __init_subclass__(cls, **options: Any) -> None:
        super(Input, cls).__init_subclass__(**options)

    @classmethod
    def fill(cls, stored: Values) -> JsonObject:
        """Return the whole setting: stored values, and defaults for the rest, without keys that the shape has lost."""
        filled: JsonObject = {}
        for name, field in declared_fields(cls).items():
            if isinstance(field, Shape):
                filled[name] = field.fill(stored.get(name) or {})
            else:
                filled[name] = stored[name] if name in stored else _default(field)
        return filled


def _default(field: serializers.Field[Any, Any, Any, Any]) -> Any:
    return field.default() if callable(field.default) else field.default


def merge(stored: Values, changes: Values) -> JsonObject:
    """Return the stored object, overwritten by the given one key by key at every depth."""
    merged = dict(stored)
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else value
    return merged


def read_stored_setting(company_id: str, field: str) -> JsonObject:
    """Return the stored values of a company's nested setting."""
    with unscoped(reason="settings: those of the company that is asked for"):
        return CompanySettings.objects.filter(company_id=company_id).values_list(field, flat=True).first() or {}
