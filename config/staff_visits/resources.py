"""The resources that a visit shows, from the protected routes: every list, its records, and the lists below those."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from config.admin import TITLES
from core.api.endpoint import Endpoint
from core.api.routers import Operation

WITHOUT_RECORDS = frozenset({"api"})
"""Modules whose records are not shown: GET /api/:id answers the whole key."""


@dataclass(frozen=True)
class Resource:
    """A list of the protected API. `record` reads one of its records; `below` are the lists of such a record."""

    route: Operation
    title: str
    record: Operation | None = None
    below: tuple[Resource, ...] = ()

    @property
    def app(self) -> str:
        """The label of the view's app."""
        return self.route.view.__module__.partition(".")[0]

    @property
    def endpoint(self) -> Endpoint:
        return self.route.endpoint


def find_resources(operations: Iterable[Operation]) -> list[Resource]:
    """Return the lists without path parameters, sorted by app and path."""
    readable = [one for one in operations if one.method == "GET"]
    # The feed of events has no pages to leaf through.
    lists = [one for one in readable if one.endpoint.many and not one.endpoint.beside]
    found = [_resource(one, readable, lists) for one in lists if not one.parameters]
    apps = list(TITLES)
    return sorted(found, key=lambda resource: (apps.index(resource.app), resource.route.path))


def _resource(route: Operation, readable: list[Operation], lists: list[Operation]) -> Resource:
    records = (one for one in readable if _is_record(one, route))
    record = None if route.modules[0] in WITHOUT_RECORDS else next(records, None)
    below = [
        one for one in lists if record is not None and re.fullmatch(re.escape(record.path) + r"/[^<>/]+", one.path)
    ]
    return Resource(route, title_of(route), record, tuple(Resource(one, title_of(one)) for one in below))


def _is_record(route: Operation, of: Operation) -> bool:
    """Return whether the operation answers with one record of the list, as JSON."""
    endpoint = route.endpoint
    single = not endpoint.many and not endpoint.raw and endpoint.output is not None
    return single and re.fullmatch(re.escape(of.path) + r"/<str:\w+>", route.path) is not None


def title_of(route: Operation) -> str:
    """Return the title of a list: its summary without "List", or the end of its path for other summaries."""
    found = re.match(r"List (?:the |an? )?(.+)", route.endpoint.summary)
    text = found[1] if found else route.path.rpartition("/")[2].replace("-", " ")
    return text[:1].upper() + text[1:]
