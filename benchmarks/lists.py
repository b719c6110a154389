"""GET /contact: a page through the web server against the same queries alone, deep pages, and pages by custom fields."""

from __future__ import annotations

from functools import partial
from typing import Any

import orjson

from benchmarks import raw
from benchmarks.population import CITIES, Population
from benchmarks.report import Result
from benchmarks.timing import interleaved, ms
from benchmarks.web import Caller, Web, serve

SIZE = 100
ROUNDS = 200
DEEP_PAGES, DEEP_SIZE = 4, 100_000
PATH = "/contact"


def page(population: Population) -> list[Result]:
    """The first page with its count, and the same without the count as cursor mode asks for it from the second page on."""
    tenant = population.big
    first: dict[str, Any] = {"p": "1", "n": str(SIZE)}
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        start = caller.json("GET", PATH, {"cursorPagination": "true", "n": str(SIZE)})
        assert start["totalCount"] == tenant.contacts, start["totalCount"]
        assert len(start["data"]) == SIZE
        second = {"cursor": start["nextCursor"], "n": str(SIZE)}
        return [
            _against_raw(web, population, first, "GET /contact, n=100, first page with its count", aim=2.0),
            _against_raw(web, population, second, "the same by cursor, so without a count"),
        ]


def _against_raw(web: Web, population: Population, query: dict[str, Any], what: str, aim: float | None = None) -> Result:
    tenant = population.big
    caller = web.caller(tenant.key)
    statements = raw.own_queries(PATH, tenant.key, query)
    with raw.session(tenant.company_id) as session:
        ours, theirs = interleaved(
            [partial(caller.read, "GET", PATH, query), partial(raw.answer, session, statements)],
            ROUNDS,
        )
    figures = f"web {ms(ours)}, psycopg and orjson {ms(theirs)} ({len(statements)} statements), {tenant.contacts:,} contacts"
    return Result(what, figures, ours / theirs, aim)


def deep(population: Population) -> list[Result]:
    """A page far down against the first one, both by cursor."""
    tenant = population.big
    size = min(DEEP_SIZE, int(DEEP_SIZE * population.scale))
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        first = caller.json("GET", PATH, {"cursorPagination": "true", "n": "1"})["nextCursor"]
        cursor = _cursor_at(caller, size)
        sides = [{"cursor": first, "n": str(SIZE)}, {"cursor": cursor, "n": str(SIZE)}, {"cursorPagination": "true", "n": str(SIZE)}]
        near, far, counted = interleaved([partial(caller.read, "GET", PATH, side) for side in sides], ROUNDS)
    depth = DEEP_PAGES * size
    figures = f"after 1 row {ms(near)}, after {depth:,} rows {ms(far)}; neither counts (first page with its count: {ms(counted)})"
    return [Result(f"the same page at depth {depth:,} by cursor", figures, far / near, 1.1)]


def _cursor_at(caller: Caller, size: int) -> str:
    """The cursor after DEEP_PAGES pages of `size` rows."""
    query = {"cursorPagination": "true", "n": str(size)}
    for _ in range(DEEP_PAGES):
        found = caller.json("GET", PATH, query)
        assert len(found["data"]) == size
        query = {"cursor": found["nextCursor"], "n": str(size)}
    return query["cursor"]


def custom(population: Population) -> list[Result]:
    """Filtered by one custom field and sorted by another, against a filter and a sort by system fields that find as many contacts."""
    tenant = population.big
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        category = caller.json("GET", "/contact-category", {"p": "1", "n": "1"})["data"][0]["_id"]
        system = {"filters": _json({"category": category}), "sortBy": "name", "sortOrder": "asc"}
        own = {"filters": _json({"city": "City 7"}), "sortBy": "score", "sortOrder": "asc"}
        results = []
        for what, part, aim in (
            ("filtered by one custom field, sorted by another", {"p": "1", "n": str(SIZE)}, 2.0),
            ("the same by cursor, so without a count", None, None),
        ):
            queries = [{**query, **(part or _second(caller, query))} for query in (own, system)]
            ours, theirs = interleaved([partial(caller.read, "GET", PATH, query) for query in queries], ROUNDS // 3)
            found = [caller.json("GET", PATH, query)["totalCount"] for query in queries]
            figures = f"custom {ms(ours)} (of {found[0]:,} found), system {ms(theirs)} (of {found[1]:,}); 1 in {CITIES} contacts matches"
            results.append(Result(what, figures, ours / theirs, aim))
    return results


def _second(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    cursor = caller.json("GET", PATH, {**query, "cursorPagination": "true", "n": str(SIZE)})["nextCursor"]
    return {"cursor": cursor, "n": str(SIZE)}


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
