"""What a visit can look at, from the protected routes themselves: every list, and the records and lists below its records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.api.endpoint import Endpoint
from core.api.router import Route
from core.api.views import ApiView

PARAMETER = re.compile(r"<str:(\w+)>")
WITHOUT_RECORDS = frozenset({"api"})
"""Modules whose single records are not shown: GET /api/:id answers the whole key."""


@dataclass(frozen=True)
class Resource:
    """A list of the protected API; `record` is the route of its single records, `below` are the lists that belong to one of them."""

    route: Route
    title: str
    record: Route | None = None
    below: tuple[Resource, ...] = ()

    @property
    def app(self) -> str:
        """The label of the app that answers."""
        return self.route.view.__module__.partition(".")[0]

    @property
    def endpoint(self) -> Endpoint:
        return declared(self.route.view)


def declared(view: type[ApiView]) -> Endpoint:
    """What the view's GET declares."""
    return view.get.endpoint  # type: ignore[attr-defined, no-any-return]


def parameters(route: Route) -> list[str]:
    """The names of the path's parameters, in order."""
    return PARAMETER.findall(route.path)


def fill(route: Route, *ids: str) -> str:
    """The route's path with its parameters filled in."""
    values = iter(ids)
    return PARAMETER.sub(lambda _: next(values), route.path)


def find_resources(routes: Iterable[Route]) -> list[Resource]:
    """The lists that need no parameter, app by app, by their paths."""
    readable = [route for route in routes if hasattr(route.view, "get")]
    lists = [route for route in readable if declared(route.view).many]
    found = [_resource(route, readable, lists) for route in lists if not parameters(route)]
    apps = list(dict.fromkeys(resource.app for resource in found))
    return sorted(found, key=lambda resource: (apps.index(resource.app), resource.route.path))


def _resource(route: Route, readable: list[Route], lists: list[Route]) -> Resource:
    record = None if route.view.module in WITHOUT_RECORDS else next((one for one in readable if _is_record(one, route)), None)
    below = [one for one in lists if record is not None and re.fullmatch(re.escape(record.path) + r"/[^<>/]+", one.path)]
    return Resource(route, title_of(route), record, tuple(Resource(one, title_of(one)) for one in below))


def _is_record(route: Route, of: Route) -> bool:
    """Whether the route answers one record of the list, as JSON."""
    endpoint = declared(route.view)
    single = not endpoint.many and not endpoint.raw and endpoint.output is not None
    return single and re.fullmatch(re.escape(of.path) + r"/<str:\w+>", route.path) is not None


def title_of(route: Route) -> str:
    """What the list is called: its endpoint's summary without the verb, or the end of its path where that does more than list."""
    found = re.match(r"List (?:the |an? )?(.+)", declared(route.view).summary)
    text = found[1] if found else route.path.rpartition("/")[2].replace("-", " ")
    return text[:1].upper() + text[1:]
