"""The search in the menu: pages by their names, and records of the searchable kinds."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db import OperationalError, connection, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.dataclasses import SearchResult

from core.backoffice.columns import capitalize_lazily
from core.backoffice.panels import list_address
from core.ids import is_id
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

EACH = 4
"""The most records of a kind."""
SECONDS, IN_ALL = 1, 3.0
"""Time limits of the search for one kind and in total, in seconds: a table of millions is searched as far as that
goes."""
MAX_SEARCH_LENGTH = 200


def find(
    request: HttpRequest, pages: list[JsonObject], page_of: Callable[[type[Model]], ModelAdmin[Any]]
) -> list[SearchResult]:
    """Return the lists and records that the term names and the user may see. `page_of` returns a model's admin page."""
    term = request.GET.get("s", "").strip()[:MAX_SEARCH_LENGTH]
    if not term:
        return []
    kinds = [(page_of(model["model"]), model) for app in pages for model in app["models"] if model["admin_url"]]
    results = [
        SearchResult(title=_name(model), description="list", link=model["admin_url"], icon=getattr(page, "icon", "tag"))
        for page, model in kinds
        if term.lower() in model["name"].lower()
    ]
    deadline = monotonic() + IN_ALL
    for page, model in kinds:
        if getattr(page, "finds", False):
            records = _records(request, page, term) if monotonic() < deadline else None
            results += [_fallback(page, _name(model), term)] if records is None else records
    return results


def _fallback(page: ModelAdmin[Any], kind: str, term: str) -> SearchResult:
    """Return the way to look further, where the time here did not suffice."""
    link = list_address(page.model, q=term)
    return SearchResult(
        title=_("Search %(records)s") % {"records": kind},
        description=_("Too many records to search here"),
        link=link,
        icon="search",
    )


def _name(model: JsonObject) -> str:
    return capitalize_lazily(str(model["name"]))


def _records(request: HttpRequest, page: ModelAdmin[Any], term: str) -> list[SearchResult] | None:
    """Return the first records of a kind, or None if the search takes too long."""
    related = page.get_list_select_related(request)
    rows = page.get_queryset(request)
    rows = rows.select_related(*related) if isinstance(related, tuple | list) else rows
    matches = rows.filter(pk=term) if is_id(term) else page.get_search_results(request, rows, term)[0]
    records = rows_in_time(matches.order_by("-pk")[:EACH])
    if records is None:
        return None
    return [
        SearchResult(
            title=str(record),
            description=" · ".join([str(page.opts.verbose_name), *_company(record)]),
            link=f"{list_address(page.model)}{record.pk}/change/",
            icon=getattr(page, "icon", "tag"),
        )
        for record in records
    ]


def rows_in_time(rows: QuerySet[Any]) -> list[Any] | None:
    """Read the rows, or return None if that takes longer than SECONDS."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{SECONDS}s"])
            records = list(rows)
            with connection.cursor() as cursor:  # for what comes next in a transaction around this one
                cursor.execute("SET LOCAL statement_timeout = DEFAULT")
    except OperationalError:
        return None
    return records


def _company(record: Any) -> list[str]:
    company = record._state.fields_cache.get("company")
    return [str(company)] if company is not None else []
