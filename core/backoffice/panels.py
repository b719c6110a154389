"""Tables below a record's page. An app adds panels to the pages of the apps below it, which don't know it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

ROWS = 10
"""Rows of a panel; the rest is behind its link."""


@dataclass(frozen=True)
class Panel:
    """A titled piece of a record's page, shown to staff who have the permission; `render(record)` gives its HTML."""

    title: str
    render: Callable[[Any], SafeString]
    permission: str = ""


_panels: dict[type[models.Model], list[Panel]] = {}


def panel(
    model: type[models.Model], title: str, *, permission: str = ""
) -> Callable[[Callable[[Any], SafeString]], Callable]:
    """Put what the decorated function renders on the pages of the model's records."""

    def register(render: Callable[[Any], SafeString]) -> Callable[[Any], SafeString]:
        _panels.setdefault(model, []).append(Panel(title, render, permission))
        return render

    return register


def panels_of(record: models.Model, request: HttpRequest) -> list[dict[str, Any]]:
    """The rendered panels of a record that the request's user may see."""
    return [
        {"title": one.title, "html": one.render(record)}
        for one in _panels.get(type(record), [])
        if not one.permission or request.user.has_perm(one.permission)
    ]


def table(
    headers: Sequence[str], rows: Iterable[Sequence[Any]], *, more: str = "", empty: str = "Nothing here yet."
) -> SafeString:
    """A table; `more` is the address of the whole list."""
    return render_to_string(
        "admin/panel_table.html", {"headers": headers, "rows": list(rows), "more": more, "empty": empty}
    )


def facts(pairs: Iterable[tuple[str, Any]]) -> SafeString:
    """Figures side by side."""
    return render_to_string("admin/panel_facts.html", {"pairs": list(pairs)})


def link(record: models.Model | None, text: str = "") -> SafeString | str:
    """A link to a record's page, or its text where records of the kind have none; a dash for none."""
    if record is None:
        return "–"
    if not admin.site.is_registered(type(record)):
        return text or str(record)
    meta = record._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=(record.pk,))
    return format_html('<a class="backoffice-link" href="{}">{}</a>', address, text or str(record))


def list_address(model: type[models.Model], **query: str) -> str:
    """The address of a model's list, filtered; empty for a model without."""
    if not admin.site.is_registered(model):
        return ""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", query=query or None)
