"""The search over several kinds: one statement, whose cost does not grow with the number of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connections
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.lookups import StartsWith

from core.access import Actor
from core.global_search.kinds import Kind
from core.lists.fields import expression_column
from core.lists.keyset import AnyOf
from core.lists.prefilter import prefilter_scope
from core.lists.search import search_in
from core.text.folding import Folded, fold

NEWEST = 500
"""The records of each kind that are looked through without an index."""
CANDIDATES = 200
"""The older records that the index may give; the best of them are shown."""


@dataclass(frozen=True)
class SearchHit:
    """A record that matches."""

    kind: str
    id: str
    title: str
    text: str


def search(kinds: Sequence[Kind], actor: Actor, text: str, size: int) -> list[SearchHit]:
    """Return up to `size` records of each kind that match the text, those whose title begins with it first.

    Frequent matches come from the newest records without the index: each kind is a `newest UNION ALL older` with a
    limit, at which PostgreSQL stops. The index serves rare matches. A text without trigrams is searched in the newest
    records only.
    """
    if not kinds or not text:
        return []
    pieces: list[str] = []
    values: list[Any] = []
    connection = connections["default"]
    for kind in kinds:
        parts = []
        params: list[Any] = [kind.name]
        for queryset in _parts(kind, actor, text, size):
            sql, arguments = queryset.query.get_compiler(connection=connection).as_sql()
            parts.append(f"({sql})")
            params += arguments
        union = f"{' UNION ALL '.join(parts)} LIMIT {size}" if len(parts) > 1 else parts[0]
        pieces.append(f"SELECT %s::text, found.* FROM ({union}) AS found (id, title, text)")  # noqa: S608
        values += params
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(pieces), values)
        return [SearchHit(kind, id, title or "", text or "") for kind, id, title, text in cursor.fetchall()]


def _parts(kind: Kind, actor: Actor, text: str, size: int) -> list[QuerySet[Any]]:
    """Return the matches among the newest records, and those of the index among the older ones if there is one."""
    rows = kind.rows(actor)
    newest = ArraySubquery(rows.order_by("-created_at").values("pk")[:NEWEST])
    with prefilter_scope(wanted=False) as state:
        compared = search_in(kind.fields, text)
    parts = [rows.filter(AnyOf("pk", newest), compared)]
    if state.used:
        matches = rows.filter(search_in(kind.fields, text)).order_by().values("pk")[:CANDIDATES]
        parts.append(rows.filter(~Q(AnyOf("pk", newest)), pk__in=matches))
    begins = reduce(or_, (Q(StartsWith(Folded(F(path), fold(text)), fold(text))) for path in _paths(kind)))
    first = Case(When(begins, then=Value(0)), default=Value(1), output_field=IntegerField())
    columns = {"found_title": expression_column(kind.title), "found_text": expression_column(kind.text)}
    return [
        part.annotate(**columns).order_by(first, "-created_at").values_list("pk", *columns)[:size] for part in parts
    ]


def _paths(kind: Kind) -> list[str]:
    """Return the columns that the kind is searched by."""
    return [field.expression for field in kind.fields if isinstance(field.expression, str)]
