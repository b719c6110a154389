"""Lists of contacts and leads: pages against their bare queries, deep pages, custom fields, sorts and searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from benchmarks import raw
from benchmarks.data.lead_population import REGIONS
from benchmarks.data.population import CITIES, Population, Tenant
from benchmarks.report import Result
from benchmarks.timing import interleaved, ms
from benchmarks.web import Caller, Web, serve
from core.types import JsonObject

SIZE = 100
ROUNDS = 200
DEEP_PAGES, DEEP_SIZE = 4, 100_000
FAR = 4000
"""A page by number so deep that everything before it must be skipped."""

Query = JsonObject


@dataclass(frozen=True)
class Listed:
    """A list to measure: a custom filter and sort, and a system filter that matches as many records."""

    path: str
    count: Callable[[Tenant], int]
    custom: Query
    system: Callable[[Caller], Query]
    one_in: int
    sorts: tuple[str, ...]


def _of_category(caller: Caller) -> Query:
    category = caller.json("GET", "/contact-category", {"p": "1", "n": "1"})["data"][0]["_id"]
    return {"filters": _json({"category": category}), "sortBy": "name", "sortOrder": "asc"}


def _of_member(caller: Caller) -> Query:
    found = caller.json("GET", "/lead", {"p": "1", "n": "100"})["data"]
    member = next(lead["teamMember"]["_id"] for lead in found if lead["teamMember"])
    return {"filters": _json({"teamMember": member}), "sortBy": "value", "sortOrder": "asc"}


CONTACTS = Listed(
    "/contact",
    lambda tenant: tenant.contacts,
    {"filters": '{"city":"City 7"}', "sortBy": "score", "sortOrder": "asc"},
    _of_category,
    CITIES,
    ("name", "email", "contactNumber", "number", "category.name"),
)
LEADS = Listed(
    "/lead",
    lambda tenant: tenant.leads,
    {"filters": '{"region":"Region 7"}', "sortBy": "seats", "sortOrder": "asc"},
    _of_member,
    REGIONS,
    (
        *(
            "contact.name",
            "contact.email",
            "contact.contactNumber",
            "productServices.name",
            "team.name",
            "teamMember.name",
        ),
        *(
            "teamMember.email",
            "createdBy.name",
            "updatedBy.name",
            "importId",
            "importId.file.name",
            "status",
            "source",
            "value",
            "seats",
        ),
    ),
)


def page(population: Population, listed: Listed = CONTACTS) -> list[Result]:
    """Measure the first page with its count, and without it, as cursor mode reads later pages."""
    tenant = population.big
    first: Query = {"p": "1", "n": str(SIZE)}
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        start = caller.json("GET", listed.path, {"cursorPagination": "true", "n": str(SIZE)})
        assert start["totalCount"] == listed.count(tenant), start["totalCount"]
        assert len(start["data"]) == SIZE
        second = {"cursor": start["nextCursor"], "n": str(SIZE)}
        return [
            _against_raw(web, tenant, listed, first, f"GET {listed.path}, n=100, first page with its count", aim=2.0),
            _against_raw(web, tenant, listed, second, "the same by cursor, so without a count", aim=3.0),
        ]


def _against_raw(web: Web, tenant: Tenant, listed: Listed, query: Query, what: str, aim: float | None = None) -> Result:
    caller = web.caller(tenant.key)
    statements = raw.own_queries(listed.path, tenant.key, query)
    with raw.session(tenant.company_id) as session:
        ours, theirs = interleaved(
            [partial(caller.read, "GET", listed.path, query), partial(raw.answer, session, statements)],
            ROUNDS,
        )
    figures = (
        f"web {ms(ours)}, psycopg and orjson {ms(theirs)} ({len(statements)} statements), of {listed.count(tenant):,}"
    )
    return Result(what, figures, ours / theirs, aim)


def deep(population: Population, listed: Listed = CONTACTS) -> list[Result]:
    """Compare a deep page with the first one, both by cursor."""
    tenant = population.big
    size = min(DEEP_SIZE, int(DEEP_SIZE * population.scale))
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        first = caller.json("GET", listed.path, {"cursorPagination": "true", "n": "1"})["nextCursor"]
        cursor = _cursor_at(caller, listed, size)
        sides = [
            {"cursor": first, "n": str(SIZE)},
            {"cursor": cursor, "n": str(SIZE)},
            {"cursorPagination": "true", "n": str(SIZE)},
        ]
        near, far, counted = interleaved([partial(caller.read, "GET", listed.path, side) for side in sides], ROUNDS)
    depth = DEEP_PAGES * size
    figures = (
        f"after 1 row {ms(near)}, after {depth:,} rows {ms(far)};"
        f" neither counts (first page with its count: {ms(counted)})"
    )
    return [Result(f"GET {listed.path} at depth {depth:,} by cursor", figures, far / near, 1.1)]


def _cursor_at(caller: Caller, listed: Listed, size: int) -> str:
    """Return the cursor after DEEP_PAGES pages of `size` rows."""
    query = {"cursorPagination": "true", "n": str(size)}
    for _ in range(DEEP_PAGES):
        found = caller.json("GET", listed.path, query)
        assert len(found["data"]) == size
        query = {"cursor": found["nextCursor"], "n": str(size)}
    return query["cursor"]


def custom(population: Population, listed: Listed = CONTACTS) -> list[Result]:
    """Compare a filter and a sort by custom fields with ones by system fields that match as many records."""
    with serve(raw.log_file()) as web:
        caller = web.caller(population.big.key)
        system = listed.system(caller)
        results = []
        for what, part, aim in (
            (f"GET {listed.path} filtered by one custom field, sorted by another", {"p": "1", "n": str(SIZE)}, 2.0),
            ("the same by cursor, so without a count", None, None),
        ):
            queries = [{**query, **(part or _second(caller, listed, query))} for query in (listed.custom, system)]
            ours, theirs = interleaved(
                [partial(caller.read, "GET", listed.path, query) for query in queries], ROUNDS // 3
            )
            found = [caller.json("GET", listed.path, query)["totalCount"] for query in queries]
            figures = (
                f"custom {ms(ours)} (of {found[0]:,} found), system {ms(theirs)} (of {found[1]:,});"
                f" 1 in {listed.one_in} matches"
            )
            results.append(Result(what, figures, ours / theirs, aim))
    return results


def sorts(population: Population, listed: Listed = CONTACTS) -> list[Result]:
    """Compare each sort's second page by cursor with the default sort's, and measure a deep page by number."""
    with serve(raw.log_file()) as web:
        caller = web.caller(population.big.key)
        plain = partial(caller.read, "GET", listed.path, _second(caller, listed, {}))
        results = []
        for name in listed.sorts:
            query = {"sortBy": name, "sortOrder": "asc"}
            ours, theirs = interleaved(
                [partial(caller.read, "GET", listed.path, _second(caller, listed, query)), plain],
                ROUNDS // 5,
                warm_up=3,
            )
            figures = f"{ms(ours)}, by default {ms(theirs)}, of {listed.count(population.big):,}"
            results.append(Result(f"GET {listed.path} sorted by {name}", figures, ours / theirs, 2.0))
        number = str(max(1, int(FAR * population.scale)))
        for name in (listed.sorts[0], listed.custom["sortBy"]):
            far = {"p": number, "n": str(SIZE), "sortBy": name, "sortOrder": "asc"}
            ours, theirs = interleaved(
                [partial(caller.read, "GET", listed.path, query) for query in (far, {**far, "p": "1"})], 3, warm_up=1
            )
            figures = f"{ms(ours)}, page 1 {ms(theirs)}, both with their counts"
            results.append(
                Result(f"GET {listed.path} sorted by {name}, page {number} by number", figures, ours / theirs)
            )
    return results


def search(population: Population, listed: Listed = CONTACTS) -> list[Result]:
    """Compare the first page of a search with that of the whole list, both with their counts."""
    with serve(raw.log_file()) as web:
        caller = web.caller(population.big.key)
        first: Query = {"p": "1", "n": str(SIZE)}
        some = caller.json("GET", listed.path, {**first, "p": str(max(1, listed.count(population.big) // SIZE // 2))})[
            "data"
        ][0]
        one = (some.get("contact") or some)["email"]
        results = []
        for what, text, aim in (
            ("one address", one, None),
            ("part of a number", one.split("@")[0][-5:], None),
            ("what nobody has", "xqzwv", None),
            ("a last name of 1 in 13", "eriksen", 2.0),
            ("what all have", "example.com", 2.0),
        ):
            query = {**first, "searchValue": text}
            ours, theirs = interleaved(
                [partial(caller.read, "GET", listed.path, asked) for asked in (query, first)], 10, warm_up=2
            )
            found = caller.json("GET", listed.path, query)["totalCount"]
            figures = (
                f"{ms(ours)} ({found:,} found), the whole list's first page {ms(theirs)},"
                f" of {listed.count(population.big):,}"
            )
            results.append(Result(f"GET {listed.path} searched for {what}", figures, ours / theirs, aim))
    return results


def _second(caller: Caller, listed: Listed, query: Query) -> Query:
    cursor = caller.json("GET", listed.path, {**query, "cursorPagination": "true", "n": str(SIZE)})["nextCursor"]
    return {"cursor": cursor, "n": str(SIZE)}


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
