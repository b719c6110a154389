"""Private parts of django 5.2.19, which has no public way to do this."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase


def referrers(model: type[Model]) -> set[type[Model]]:
    """Return the models with a foreign key to the model."""
    fields = model._meta.get_fields(include_hidden=True)
    return {
        field.related_model
        for field in fields
        if field.related_model and field.auto_created and not field.concrete and (field.one_to_many or field.one_to_one)
    }


def raw_delete(queryset: QuerySet[Any], *, cleared: Collection[type[Model]] = ()) -> int:
    """Delete the rows and return their number, without collecting related objects and without signals.

    `cleared` names the models whose references to the rows the caller has removed or ruled out. Raises
    ImproperlyConfigured if others have a foreign key to the rows: use Django's delete() there.
    """
    forgotten = referrers(queryset.model).difference(cleared)
    if forgotten:
        names = ", ".join(sorted(model._meta.label for model in forgotten))
        raise ImproperlyConfigured(f"raw_delete of {queryset.model._meta.label} leaves references of {names}")
    return queryset._raw_delete("default") or 0


def on_close(response: HttpResponseBase, callback: Callable[[], None]) -> None:
    """Call back when the server closes the response: after its last byte, or when the caller has gone."""
    response._resource_closers.append(callback)  # type: ignore[attr-defined]


def mark_logged(response: HttpResponseBase) -> None:
    """Keep Django from logging the response's error again."""
    response._has_been_logged = True  # type: ignore[attr-defined]


def set_body(request: HttpRequest, body: bytes) -> None:
    """Give a request that comes from no server its body."""
    request._body = body
    request._read_started = True  # type: ignore[attr-defined]


def set_stream(request: HttpRequest, stream: Any) -> None:
    """Give a request a body that is read from a stream, instead of the body that it has."""
    request._stream = stream
    request._read_started = False  # type: ignore[attr-defined]
    del request._body


class ValidatedFields:
    """A mixin of model forms that also validates fields which the form does not show."""

    validated: ClassVar[frozenset[str]]

    def _get_validation_exclusions(self) -> set[str]:
        excluded: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return excluded - self.validated


def prepare_cursor(database: Any, cursor: Any) -> Any:
    """Wrap a cursor as the database connection wraps its own, for logs and errors."""
    return database._prepare_cursor(cursor)
