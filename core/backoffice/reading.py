"""The staff member who reads a page, so that its links lead to readable pages only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

_request: ContextVar[HttpRequest | None] = ContextVar("back_office_request", default=None)


@contextmanager
def use_request(request: HttpRequest) -> Iterator[None]:
    """Make links for the user of the request."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


def may_open(model: type[models.Model]) -> bool:
    """Return whether the model has pages that the reader may open. Without a reader, all pages open."""
    if not admin.site.is_registered(model):
        return False
    request = _request.get()
    return request is None or admin.site.get_model_admin(model).has_view_permission(request)
