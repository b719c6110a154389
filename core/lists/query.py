"""The standard list contract (interface section 4.1): parses query parameters into a ListQuery."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db.models import Q

from core.errors import InvalidFormat, shorten
from core.ids import is_id
from core.lists import tree
from core.lists.cursor import Cursor, decode
from core.lists.fields import FieldSet
from core.lists.keyset import SortKey
from core.lists.parameters import IGNORED, refuse_unknown
from core.lists.prefilter import prefilter_scope
from core.lists.search import check_visible, search_in
from core.lists.values import clean_text, refuse
from core.types import Values

MAX_SIZE = 100_000
MAX_PAGE = 2**31 - 1
MAX_SORTS = 5
MAX_SEARCH = 500
MAX_SEARCH_FIELDS = 20
MAX_IDS = 100_000
PARAMETERS = frozenset(
    {
        "p",
        "n",
        "cursorPagination",
        "cursor",
        "sortBy",
        "sortOrder",
        "searchBy",
        "searchValue",
        "filters",
        "advancedFilters",
        "ids",
        "nids",
    }
)
LISTED = frozenset({"ids", "nids", "searchBy", "sortBy", "sortOrder"})
"""Parameters with several values: separated by commas, sent repeatedly, as ids[]=… or ids[0]=…, or as a JSON array."""
FILTERS = ("filters", "advancedFilters", "ids", "nids")
"""Parameters that select records. They are never empty: an empty one would mean all records."""
# Bounded: Python refuses numbers of more than 4,300 digits with an error of its own.
_NUMBER = re.compile(r"[0-9]{1,1000}", re.ASCII)
_INDEXED = re.compile(r"(\w+)\[\d{0,6}\]", re.ASCII)


@dataclass(frozen=True)
class Conditions:
    """The conditions of a list request, by the parameters that they come from: a filter backend applies each."""

    search: Q = field(default_factory=Q)
    """The condition of searchBy and searchValue."""
    filters: Q = field(default_factory=Q)
    """The condition of filters and advancedFilters."""
    ids: Q = field(default_factory=Q)
    """The condition of ids and nids."""

    @property
    def where(self) -> Q:
        """All conditions as one."""
        return _all_of([self.search, self.filters, self.ids])


@dataclass(frozen=True)
class ListQuery:
    """A validated list request: which records (`conditions`), in which order, and which part of them.

    `page` is None in cursor mode, `size` is None for the whole set. `without_prefilter` makes `where` without
    prefilters (core.lists.prefilter), if it has any. `searched` says whether it has a searchValue.
    """

    conditions: Conditions
    sort: tuple[SortKey, ...]
    fingerprint: str
    page: int | None = None
    size: int | None = None
    cursor: Cursor | None = None
    without_prefilter: Callable[[], Q] | None = None
    searched: bool = False

    @property
    def where(self) -> Q:
        """All conditions as one."""
        return self.conditions.where

    @property
    def paginated(self) -> bool:
        return self.size is not None

    @property
    def sort_names(self) -> tuple[tuple[str, str], ...]:
        return tuple((key.field.name, key.order) for key in self.sort)

    @classmethod
    def parse(
        cls,
        params: Values,
        fields: FieldSet,
        *,
        extra: Iterable[str] = (),
        now: datetime | None = None,
        strict: bool = False,
    ) -> ListQuery:
        """Parse a request's parameters. Raises a 400 that names the parameter for anything malformed or unknown.

        `extra` are the parameters that the endpoint itself reads. A cursor is valid only with the same values of them.
        `strict` also refuses filters and searches that all records meet, as bulk operations do.
        """
        reader, extra = _Reader(params), sorted(extra)
        # A misspelled filter must not be left out, since the caller would act on other records than they
        # meant.
        refuse_unknown(reader.values, PARAMETERS.union(extra))
        reader.refuse_repeated()
        cursor_text = reader.text("cursor")
        cursor = decode(cursor_text) if cursor_text else None
        cursor_mode = reader.boolean("cursorPagination") or cursor is not None
        page, size = reader.number("p"), reader.number("n")
        if cursor_mode and size is None:
            raise refuse("n", "cursor pagination needs a page size, for example n=100")
        if page is not None and page > MAX_PAGE:
            raise refuse("p", f"at most {MAX_PAGE} is allowed")
        paginated = cursor_mode or (page is not None and size is not None)
        sort = _sort(reader, fields, cursor)
        now = now or datetime.now(UTC)
        with prefilter_scope() as prefilters:
            conditions, content = _conditions(reader, fields, now, strict=strict)
        content += [[name, str(reader.last(name))] for name in extra if name in reader.values]
        fingerprint = _fingerprint([[key.field.name, key.order] for key in sort], content)
        if cursor is not None and (
            # A position in one list says nothing in another.
            cursor.fingerprint != fingerprint or cursor.sort != tuple((k.field.name, k.order) for k in sort)
        ):
            raise refuse(
                "cursor",
                "belongs to another query; repeat the search, filters, ids and sort of the request that it came from",
            )
        return cls(
            conditions=conditions,
            sort=sort,
            fingerprint=fingerprint,
            page=page if paginated and not cursor_mode else None,
            size=min(size, MAX_SIZE) if paginated and size is not None else None,
            cursor=cursor,
            without_prefilter=partial(_without_prefilter, reader, fields, now) if prefilters.used else None,
            searched=bool(reader.text("searchValue")),
        )


def read_parameters(params: Values) -> dict[str, list[Any]]:
    """Return parameter -> its values, from a query string or from an object. `ids[]` and `ids[0]` are ids."""
    getlist = getattr(params, "getlist", None)
    parameters: dict[str, list[Any]] = {}
    for name, value in params.items():
        indexed = _INDEXED.fullmatch(name)
        base = indexed[1] if indexed and indexed[1] in LISTED else name
        if base not in IGNORED:
            parameters.setdefault(base, []).extend(getlist(name) if getlist else [value])
    return parameters


def refuse_empty(values: Mapping[str, list[Any]], names: Iterable[str] = FILTERS) -> None:
    """Refuse parameters that are there without a value."""
    for name in names:
        nothing: tuple[Any, ...] = (None, "", [], "null") if name in FILTERS else (None, "", [])
        if any(value in nothing for value in values.get(name, ())):
            raise refuse(name, "is empty; leave it out to have no such filter")


class _Reader:
    """Reads parameters. An empty one that is no filter counts as not sent, unless it is a number or a boolean."""

    def __init__(self, params: Values) -> None:
        self.values = read_parameters(params)
        refuse_empty(self.values)

    def refuse_repeated(self) -> None:
        """Refuse a parameter that is sent twice and takes one value, since the other one would be lost."""
        for name, values in self.values.items():
            if len(values) > 1 and name not in LISTED:
                raise refuse(name, "is there twice; send it once")

    def last(self, name: str) -> Any:
        """Return the last value of the parameter, or None if it wasn't sent."""
        return self.values[name][-1] if self.values.get(name) else None

    def text(self, name: str) -> str:
        value = self.last(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise refuse(name, "needs to be a text")
        return value

    def json(self, name: str) -> Any:
        """Parse the parameter's JSON, or return the object if the parameters come from a body. None: it wasn't sent."""
        value = self.last(name)
        if not isinstance(value, str):
            return value
        parsed = tree.load_json(value, name)
        if parsed is None:
            raise refuse(name, "is null; leave it out to have no such filter")
        return parsed

    def list(self, name: str) -> list[str]:
        """Return the values of all occurrences of the parameter."""
        return split_values(self.values.get(name, ()), name)

    def number(self, name: str) -> int | None:
        if name not in self.values:
            return None
        text = str(self.last(name)).strip()
        if not _NUMBER.fullmatch(text) or int(text) < 1:
            raise refuse(name, f"needs to be a whole number from 1 on, got {shorten(text, 40)!r}")
        return int(text)

    def boolean(self, name: str) -> bool:
        if name not in self.values:
            return False
        text = str(self.last(name)).strip().lower()
        if text not in ("true", "false"):
            raise refuse(name, f"needs to be true or false, got {shorten(text, 40)!r}")
        return text == "true"


def split_values(values: Iterable[Any], name: str) -> list[str]:
    """Split the occurrences of a parameter of LISTED: texts with commas, and arrays, as JSON or from a body."""
    parts: list[str] = []
    for value in values:
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = tree.load_json(value, name)
        if isinstance(value, list | tuple):
            texts = value
        else:
            texts = [] if value == "" else [value]
        if not all(isinstance(text, str) and text for text in texts) or value in ([], ()):
            raise refuse(name, "needs texts separated by commas, or an array of texts")
        parts += [part.strip() for text in texts for part in text.split(",")]
    return parts


def _sort(reader: _Reader, fields: FieldSet, cursor: Cursor | None) -> tuple[SortKey, ...]:
    names, orders = reader.list("sortBy"), [order.lower() for order in reader.list("sortOrder")]
    # The cursor holds its sort, so that a client may pass it alone.
    if not names and not orders and cursor is not None:
        names, orders = [name for name, _ in cursor.sort], [order for _, order in cursor.sort]
    default = "desc" if names else fields.default_order
    names = names or list(fields.default_sort)
    if len(names) > MAX_SORTS:
        raise refuse("sortBy", f"has {len(names)} fields, at most {MAX_SORTS} are allowed")
    if len(orders) > len(names):
        raise refuse("sortOrder", f"has {len(orders)} orders for {len(names)} fields of sortBy")
    wrong = next((order for order in orders if order not in ("asc", "desc")), None)
    if wrong is not None:
        raise refuse("sortOrder", f"each order is asc or desc, not {shorten(wrong, 40)!r}")
    # The second would have no effect, and break the comparison with the cursor.
    if len(set(names)) < len(names):
        raise refuse("sortBy", "names a field twice")
    orders += [default] * (len(names) - len(orders))
    sortable_fields = [fields.sortable(name, "sortBy") for name in names]
    if tuple(names) == fields.default_sort:
        sortable_fields = [fields.default_keys[name] for name in names]
    return tuple(SortKey(field, order == "desc") for field, order in zip(sortable_fields, orders, strict=True))


def _conditions(
    reader: _Reader, fields: FieldSet, now: datetime, *, strict: bool = False
) -> tuple[Conditions, list[Any]]:
    """Return the conditions, and their sources for the fingerprint."""
    search_by, search = reader.list("searchBy"), reader.text("searchValue")
    filters, advanced = reader.json("filters"), reader.json("advancedFilters")
    ids, nids = read_ids(reader.list("ids"), "ids"), read_ids(reader.list("nids"), "nids")
    # A bulk operation would otherwise act on all records.
    if strict and search_by and not search:
        raise refuse("searchValue", "is missing beside searchBy; leave both out to act on all")
    conditions = Conditions(
        search=_search(search_by, search, fields),
        filters=_filters({"filters": filters, "advancedFilters": advanced}, fields, now, strict=strict),
        ids=_all_of([Q(pk__in=ids) if ids else Q(), ~Q(pk__in=nids) if nids else Q()]),
    )
    return conditions, [
        sorted(search_by) if search else [],
        search,
        filters,
        advanced,
        sorted(ids),
        sorted(nids),
    ]


def _filters(trees: Values, fields: FieldSet, now: datetime, *, strict: bool) -> Q:
    """Return the conditions of filters and advancedFilters."""
    parts: list[Q] = []
    for name, given_tree in trees.items():
        if given_tree is None:
            continue
        node = filters_tree(given_tree) if name == "filters" else tree.parse(given_tree)
        part = tree.compile(node, fields, now=now, parameter=name)
        if strict and not part:
            raise refuse(name, "has no condition; leave it out to act on all")
        parts.append(part)
    return _all_of(parts)


def _all_of(parts: Iterable[Q]) -> Q:
    """Return the condition that all parts are met."""
    return Q(*(part for part in parts if part))


def _without_prefilter(reader: _Reader, fields: FieldSet, now: datetime) -> Q:
    with prefilter_scope(wanted=False):
        return _conditions(reader, fields, now)[0].where


def _search(names: list[str], text: str, fields: FieldSet) -> Q:
    if len(names) > MAX_SEARCH_FIELDS:
        raise refuse("searchBy", f"has {len(names)} fields, at most {MAX_SEARCH_FIELDS} are allowed")
    columns = [fields.searchable(name, "searchBy") for name in dict.fromkeys(names)]
    if not text:
        return Q()
    # PostgreSQL refuses such texts with an error of its own.
    clean_text(text, "searchValue", MAX_SEARCH)
    check_visible(text, "searchValue")
    columns = columns or [fields.searchable(name, "searchBy") for name in fields.default_search]
    if not columns:
        raise refuse("searchBy", "this list has no fields that are searched by default; name them")
    return search_in(columns, text)


def filters_tree(filters: Any) -> tree.Group:
    """Convert the parameter `filters`, an object of fields and values (equals) or arrays (any of), to a tree."""
    if not isinstance(filters, Mapping):
        raise refuse(
            "filters",
            'needs a JSON object of fields and values, such as {"category": "65a1…", "tags": ["65b2…", "65b3…"]}',
        )
    if len(filters) > tree.MAX_CONDITIONS:
        raise refuse("filters", f"has {len(filters)} fields, at most {tree.MAX_CONDITIONS} are allowed")
    conditions = (
        tree.Condition(name, "in" if isinstance(value, list) else "equals", value) for name, value in filters.items()
    )
    return tree.Group("and", tuple(conditions))


def names_field(params: Values, name: str) -> bool:
    """Return whether `filters` or `advancedFilters` name the field. Raises a 400 for malformed ones."""
    reader = _Reader(params)
    filters, advanced = reader.json("filters"), reader.json("advancedFilters")
    trees = [] if filters is None else [filters_tree(filters)]
    trees += [] if advanced is None else [tree.parse(advanced)]
    return any(_names(node, name) for node in trees)


def _names(node: tree.Group | tree.Condition, name: str) -> bool:
    if isinstance(node, tree.Condition):
        return node.field == name
    return any(_names(part, name) for part in node.conditions)


def read_ids(values: Any, field: str) -> list[str]:
    """Return the ids of a request without duplicates, in order. Raises InvalidFormat for a malformed one."""
    if not isinstance(values, list | tuple):
        raise refuse(field, "needs to be an array of ids")
    if len(values) > MAX_IDS:
        raise refuse(field, f"has {len(values)} ids, at most {MAX_IDS} are allowed")
    for value in values:
        if not is_id(value):
            raise InvalidFormat(field, value, "needs ids of 24 hex characters", field=field)
    return list(dict.fromkeys(values))


def _fingerprint(sort: list[list[str]], content: list[Any]) -> str:
    # Objects in another order of keys are the same query.
    raw = json.dumps([sort, content], sort_keys=True, default=str)
    return hashlib.sha256(raw.encode()).hexdigest()[:16]
