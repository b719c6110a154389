"""The resources that a visit shows, from the protected routes: every list, its records, and the lists below those."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.api.endpoint import Endpoint
from core.api.routers import Operation
from core.text.translation import gettext_lazy as _

WITHOUT_RECORDS = frozenset({"api"})
"""Modules whose records are not shown: GET /api/:id answers the whole key."""

TITLES = {
    "accounts": _("Accounts"),
    "billing": _("Billing"),
    "crm": _("CRM"),
    "outreach": _("Outreach"),
    "workflows": _("Workflows"),
    "core": _("System"),
}
"""The titles of the apps in a visit's menu, in its order."""


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
    readable = [operation for operation in operations if operation.method == "GET"]
    # The feed of events has no pages to leaf through.
    lists = [operation for operation in readable if operation.endpoint.many and not operation.endpoint.envelope_fields]
    resources = [_resource(operation, readable, lists) for operation in lists if not operation.parameters]
    apps = list(TITLES)
    return sorted(resources, key=lambda resource: (apps.index(resource.app), resource.route.path))


def _resource(route: Operation, readable: list[Operation], lists: list[Operation]) -> Resource:
    records = (operation for operation in readable if _is_record(operation, route))
    record = None if route.modules[0] in WITHOUT_RECORDS else next(records, None)
    below = [
        operation
        for operation in lists
        if record is not None and re.fullmatch(re.escape(record.path) + r"/[^<>/]+", operation.path)
    ]
    return Resource(
        route, title_of(route), record, tuple(Resource(operation, title_of(operation)) for operation in below)
    )


def _is_record(route: Operation, of: Operation) -> bool:
    """Return whether the operation answers with one record of the list, as JSON."""
    endpoint = route.endpoint
    single = not endpoint.many and not endpoint.raw and endpoint.output is not None
    return single and re.fullmatch(re.escape(of.path) + r"/<str:\w+>", route.path) is not None


def title_of(route: Operation) -> str:
    """Return the title of a list: its summary without "List", or the end of its path for other summaries."""
    match = re.match(r"List (?:the |an? )?(.+)", route.endpoint.summary)
    text = match[1] if match else route.path.rpartition("/")[2].replace("-", " ")
    return text[:1].upper() + text[1:]
