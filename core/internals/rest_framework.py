"""Private parts of djangorestframework 3.18.3: declarations of serializers, which it copies for each instance."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.http import HttpRequest
from rest_framework import serializers
from rest_framework.request import Request

AnyField: TypeAlias = "serializers.Field[Any, Any, Any, Any]"


def declared_fields(serializer: type[serializers.BaseSerializer[Any]]) -> dict[str, AnyField]:
    """Return the declared fields of a serializer class, by name. `get_fields()` copies all of them at each call."""
    return serializer._declared_fields  # type: ignore[attr-defined, no-any-return]


def declared_source(field: AnyField) -> str | None:
    """Return the declared `source` of a field. DRF sets field.source only when it binds the field."""
    return field._kwargs.get("source")  # type: ignore[attr-defined, no-any-return]


def declare_source(field: AnyField, source: str) -> None:
    """Set the `source` of a declared field, which the copies of each instance get."""
    field._kwargs["source"] = source  # type: ignore[attr-defined]


def http_request(request: Request) -> HttpRequest:
    """Return Django's request, to which DRF's passes on the attributes that it lacks."""
    return request._request
