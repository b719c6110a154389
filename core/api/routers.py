"""The router of a mount, built with its authentication class. Equal registrations make equal operations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.urls import Resolver404, ResolverMatch, URLPattern, URLResolver, path
from django.urls.resolvers import RoutePattern
from rest_framework.authentication import BaseAuthentication
from rest_framework.routers import DynamicRoute, Route, SimpleRouter

from core.api.endpoint import Endpoint
from core.api.listing import Listing
from core.api.routes import Routes
from core.api.viewsets import COLLECTION, DETAIL, ResourceViewSet
from core.types import Values

PARAMETER = re.compile(r"<str:(\w+)>")


@dataclass(frozen=True)
class Operation:
    """An HTTP method of an address. `path` is relative to the mount; its parameters are <str:…>."""

    method: str
    path: str
    view: type[ResourceViewSet]
    action: str
    """The name of the view's method."""

    @property
    def endpoint(self) -> Endpoint:
        return getattr(self.view, self.action).endpoint  # type: ignore[no-any-return]

    @property
    def listing(self) -> Listing | None:
        """The declared list that the operation answers with."""
        return self.endpoint.listing

    @property
    def modules(self) -> tuple[str, ...]:
        """The permission modules that allow it, its own first."""
        return self.view.modules_of(self.endpoint)

    @property
    def parameters(self) -> list[str]:
        """The names of the path's parameters, in order."""
        return PARAMETER.findall(self.path)

    def address(self, *values: str) -> str:
        """Return the path with values for its parameters."""
        texts = iter(values)
        return PARAMETER.sub(lambda _: next(texts), self.path)

    def as_view(self, **initkwargs: Any) -> Any:
        """Return a Django view of this operation only."""
        return self.view.as_view({self.method.lower(): self.action}, **initkwargs)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Address:
    """A path below the mount and its view. `actions` maps lower-case HTTP methods to the view's methods."""

    path: str
    view: type[ResourceViewSet]
    actions: Mapping[str, str]
    initkwargs: Values = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The path with its parameters in braces, since URL names may not contain a colon."""
        return PARAMETER.sub(r"{\1}", self.path)


class Addresses(URLResolver):
    """The URL patterns of a mount. It tries those with the same first segment and as many segments as the address.

    Django alone tries one after the other, which took longer than a page's statement.
    """

    def __init__(self, patterns: Sequence[URLPattern | URLResolver]) -> None:
        super().__init__(RoutePattern(""), patterns)
        self._alike: dict[tuple[str, int], list[URLPattern | URLResolver]] = {}
        for pattern in patterns:
            route = str(pattern.pattern)
            if isinstance(pattern, URLResolver) or route.startswith("<") or "<" in PARAMETER.sub("", route):
                raise ImproperlyConfigured(f"{route} isn't a whole address, or begins with a parameter")
            self._alike.setdefault(_outline(route), []).append(pattern)

    def resolve(self, path: str) -> ResolverMatch:
        """Resolve an address, with or without a slash at its end. Fixed segments may be written in any case.

        They precede parameters in any case too: /contact/Import is no contact's address.
        """
        path = path.removesuffix("/")
        for pattern in self._alike.get(_outline(path), ()):
            if match := pattern.resolve(_written_as(str(pattern.pattern), path)):
                return match
        raise Resolver404({"tried": [], "path": path})


def _outline(path: str) -> tuple[str, int]:
    return path.partition("/")[0].lower(), path.count("/")


def _written_as(route: str, path: str) -> str:
    """Return the path with its fixed segments in the case of the route's."""
    pairs = zip(route.split("/"), path.split("/"), strict=True)
    return "/".join(fixed if fixed.lower() == segment.lower() else segment for fixed, segment in pairs)


class ResourceRouter(SimpleRouter):
    """Routes ViewSets with one authentication class (None: no authentication), without trailing slashes.

    A prefix is a path of one or more segments, which may be parameters:
    `router.register("contact/import/<str:id>/errors", ContactImportErrorViewSet)`.
    """

    routes = [
        Route("{prefix}", COLLECTION, "", detail=False, initkwargs={}),
        DynamicRoute("{prefix}/{url_path}", "", detail=False, initkwargs={}),
        Route("{prefix}/{lookup}", DETAIL, "", detail=True, initkwargs={}),
        DynamicRoute("{prefix}/{lookup}/{url_path}", "", detail=True, initkwargs={}),
    ]

    def __init__(
        self, mount: str, authentication: type[BaseAuthentication] | None, routes: Routes | None = None
    ) -> None:
        """Make the router of a conf that is included at `mount`, such as api/protected. URL names begin with it.

        `routes` are registered at once.
        """
        super().__init__(trailing_slash=False, use_regex_path=False)
        self.mount = mount
        self.authentication = [authentication] if authentication else []
        for prefix, viewset in routes.viewsets() if routes else ():
            self.register(prefix, viewset)

    def register(  # type: ignore[override]
        self, prefix: str, viewset: type[ResourceViewSet], basename: str | None = None
    ) -> None:
        if viewset.abstract:
            raise ImproperlyConfigured(f"{viewset.__name__} is abstract")
        super().register(prefix, viewset, basename or prefix)

    def is_already_registered(self, new_basename: str) -> bool:
        """Return False: `addresses` refuses two registrations of one address."""
        return False

    def get_routes(self, viewset: Any) -> list[Route]:
        standard = {"{prefix}": viewset.collection_actions, "{prefix}/{lookup}": viewset.detail_actions}
        routes: list[Any] = super().get_routes(viewset)
        return [route._replace(mapping=standard.get(route.url, route.mapping)) for route in routes]

    def addresses(self) -> list[Address]:
        """Return the addresses. A fixed segment precedes a parameter, in any order of registration.

        Raises ImproperlyConfigured if two registrations have one address.
        """
        routes: list[Address] = []
        for prefix, viewset, _ in self.registry:
            routes += self._addresses_of(prefix, viewset)
        first: dict[str, Address] = {}
        for address in routes:
            other = first.setdefault(PARAMETER.sub("<>", address.path), address)
            if other is not address:
                names = f"{address.view.__name__} and to {other.view.__name__}"
                raise ImproperlyConfigured(f"{address.path} leads to {names}")
        return sorted(routes, key=lambda address: [segment.startswith("<") for segment in address.path.split("/")])

    def _addresses_of(self, prefix: str, viewset: Any) -> list[Address]:
        lookup = self.get_lookup_regex(viewset)
        routes = [(route, self.get_method_map(viewset, route.mapping)) for route in self.get_routes(viewset)]
        return [
            Address(route.url.format(prefix=prefix, lookup=lookup), viewset, actions, route.initkwargs)
            for route, actions in routes
            if actions
        ]

    def operations(self) -> list[Operation]:
        """Return every operation of the conf, in the order of its addresses."""
        return [
            Operation(method.upper(), address.path, address.view, action)
            for address in self.addresses()
            for method, action in address.actions.items()
        ]

    def get_urls(self) -> list[URLPattern | URLResolver]:
        names = self.mount.replace("/", ".")
        return [
            path(
                address.path,
                address.view.as_view(
                    dict(address.actions), **address.initkwargs, authentication_classes=self.authentication
                ),
                name=f"{names}.{address.name}",
            )
            for address in self.addresses()
        ]
