"""Panels below a record's page. An app can add panels to the pages of the apps below it, which don't know it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.backoffice.reading import may_open
from core.backoffice.values import display_value
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

Render = Callable[[Any], SafeString]

ROWS = 10
"""The rows of a panel. Its link leads to the rest."""


@dataclass(frozen=True)
class Panel:
    """A titled part of a record's page, for staff with the permission. `render(record)` returns its HTML."""

    title: str
    render: Render
    permission: str = ""


_panels: dict[type[models.Model], list[Panel]] = {}


def register_panel(model: type[models.Model], title: str, *, permission: str = "") -> Callable[[Render], Render]:
    """Register the decorated function as a panel on the pages of the model's records."""

    def register(render: Render) -> Render:
        _panels.setdefault(model, []).append(Panel(title, render, permission))
        return render

    return register


def panels_of(record: models.Model, request: HttpRequest) -> list[JsonObject]:
    """Render the panels of a record that the request's user may see."""
    return [
        {"title": entry.title, "html": entry.render(record)}
        for entry in _panels.get(type(record), [])
        if not entry.permission or request.user.has_perm(entry.permission)
    ]


def render_table(
    headers: Sequence[str], rows: Iterable[Sequence[Any]], *, more: str = "", empty: str = _("Nothing here yet.")
) -> SafeString:
    """Render a table. `more` is the address of the whole list."""
    cells = [[display_value(value, brief=True) for value in row] for row in rows]
    return render_to_string("admin/panel_table.html", {"headers": headers, "rows": cells, "more": more, "empty": empty})


def render_figures(pairs: Iterable[tuple[str, Any]]) -> SafeString:
    """Render figures side by side."""
    return render_to_string(
        "admin/panel_facts.html", {"pairs": [(name, display_value(value, brief=True)) for name, value in pairs]}
    )


def render_link(record: models.Model | None, text: str = "") -> SafeString | str:
    """Render a link to a record's page, its text where the reader has no such page, or a dash for None."""
    if record is None:
        return "–"
    if not may_open(type(record)):
        return text or str(record)
    meta = record._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=(record.pk,))
    return format_html('<a class="backoffice-link" href="{}">{}</a>', address, text or str(record))


def list_address(model: type[models.Model], **query: str) -> str:
    """Return the address of a model's filtered list; empty where the reader has no such list."""
    if not may_open(model):
        return ""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", query=query or None)
