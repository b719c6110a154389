"""The declaration of a list, which GET, exports, staff visits, bulk selections and pages read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.output import Output
from core.lists import FieldSet
from core.tenancy import unscoped
from core.types import Values


@dataclass(frozen=True)
class ListRequest:
    """A request for a list: query parameters, path parameters and the actor. An export has query parameters only."""

    params: Values = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    caller: Actor | None = None

    @property
    def actor(self) -> Actor:
        """The actor. A list that depends on the actor cannot be exported."""
        if self.caller is None:
            raise ImproperlyConfigured("the list depends on its actor, and there is none")
        return self.caller


@dataclass(frozen=True, eq=False)
class Within:
    """The record that contains the page, in its field `name`; data is that record.

    `record` returns it, from a ListRequest if it takes one.
    """

    output: type[Output]
    name: str
    record: Callable[..., Values]
    read: Callable[[ListRequest], Values] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", from_request(self.record))


@dataclass(frozen=True, eq=False)
class Listing:
    """A list of the API. `queryset` returns its rows inside the company's scope, from a ListRequest if it takes one."""

    summary: str
    queryset: Callable[..., QuerySet[Any]]
    fields: FieldSet
    output: type[Output]
    description: str = ""
    parameters: tuple[OpenApiParameter, ...] = ()
    """Query parameters that `queryset` reads, in addition to those of the list contract."""
    errors: tuple[str, ...] = ()
    within: Within | None = None
    unscoped: str = ""
    """The reason to read the list outside of any company."""
    whole: tuple[str, ...] = ()
    """The permission modules that are required to read all rows, in addition to the list's own.

    If there are any, the rows depend on the reader, and an export by a job requires all of them.
    """
    needs_subscription: bool = True
    module: str | None = None
    alternate_modules: tuple[str, ...] | None = None
    any_member: bool = False
    """Every accepted member may read it. It returns the member's own rows, and other rows that the role can read."""
    extra: tuple[str, ...] = field(init=False)
    """The names of `parameters`."""
    rows: Callable[[ListRequest], QuerySet[Any]] = field(init=False)
    """Returns the rows that the request may see, before its filters."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", tuple(parameter.name for parameter in self.parameters))
        object.__setattr__(self, "rows", from_request(self.queryset))

    def scope(self) -> AbstractContextManager[None]:
        """Return the scope that the rows are read in."""
        return unscoped(reason=self.unscoped) if self.unscoped else nullcontext()

    def containing_record(self, list_request: ListRequest) -> tuple[Values, str] | None:
        """Return the record that contains the list, and the name of its field. None: data is the list."""
        return None if self.within is None else (self.within.read(list_request), self.within.name)


def from_request(reader: Callable[..., Any]) -> Callable[[ListRequest], Any]:
    """Wrap the reader so that it takes a ListRequest, whether it needs one or not."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(reader).parameters.values()
    required = any(parameter.kind in positional and parameter.default is parameter.empty for parameter in parameters)
    return reader if required else lambda list_request: reader()


def list_handler(listing: Listing, name: str) -> Callable[..., Any]:
    """Make the handler of a list for the ViewSet attribute `name`."""

    def answer(view: Any, request: Any, **path: str) -> Any:
        return view.answer_list(listing)

    answer.__name__ = answer.__qualname__ = name
    declare = endpoint(
        listing.summary,
        description=listing.description,
        output=listing.within.output if listing.within else listing.output,
        many=True,
        list_in=listing.within.name if listing.within else "",
        parameters=listing.parameters,
        errors=listing.errors,
        needs_subscription=listing.needs_subscription,
        module=listing.module,
        alternate_modules=listing.alternate_modules,
        any_member=listing.any_member,
        listing=listing,
    )
    return declare(answer)


def list_action(listing: Listing, *, url_path: str, detail: bool) -> Any:
    """Make a further list of a ViewSet, for an attribute named like its path.

    recycle_bin = list_action(TRASHED_FILES, url_path="recycle-bin", detail=False)
    """
    return action(detail=detail, url_path=url_path)(list_handler(listing, re.sub(r"\W", "_", url_path)))
