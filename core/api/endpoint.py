"""One declaration per operation: it parses the body, wraps the answer in the envelope, and describes both in the OpenAPI schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from core.api.envelope import respond
from core.api.input import Input, read
from core.api.output import Output
from core.errors import InvalidFormat
from core.ids import is_id
from core.messages.defaults import DEFAULTS, SUCCESSES

if TYPE_CHECKING:
    from core.api.listing import Listing


@dataclass(frozen=True)
class Endpoint:
    """What an operation takes, gives and may refuse."""

    summary: str
    description: str = ""
    input: type[Input] | None = None
    output: type[Output] | None = None
    many: bool = False
    """A list with totalCount and nextCursor on the standard list contract."""
    list_in: str = ""
    """The list stands in this field of the one record that data is (and that `output` describes)."""
    list_parameters: tuple[str, ...] | None = None
    """Those of the list contract's parameters that the list takes, where it cannot take all of them."""
    counted: bool = True
    """Off: the list may be too costly to count, and its totalCount null."""
    parameters: tuple[Any, ...] = ()
    success: str = "OK_200"
    """The name of the message (core.messages) that has the status and the text of the answer."""
    errors: tuple[str, ...] = ()
    needs_subscription: bool = True
    takes: str = ""
    """The module that the records it makes are counted under (core.access.USAGE): in a session the plan's limit holds."""
    bulk: bool = False
    """The body is a bulk selection; the query string takes the list contract's filters for selectAll."""
    accepted: type[Output] | None = None
    """What data is when the work is too much for a request and goes to a job: the answer is 202 then, otherwise `bulkJob` beside data is
    what the change can be undone by."""
    raw: str = ""
    """Media type of an answer that is not the envelope (a download), or several, separated by commas."""
    multipart: bool = False
    limited: bool = False
    """Attempts are limited: it may answer 429 (core.access.attempts)."""
    module: str | None = None
    """The operation's permission module, where it is another than the view's."""
    also: tuple[str, ...] | None = None
    """Other modules of which the permission opens the operation; the view's unless given, none where `module` is."""
    listing: Listing | None = None
    """The list that the operation answers."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.errors if name not in DEFAULTS]
        if self.success not in SUCCESSES:
            unknown.append(self.success)
        if unknown:
            raise ImproperlyConfigured(f"{self.summary!r}: core.messages.defaults has no {', '.join(unknown)}")

    @property
    def default(self) -> tuple[int, str]:
        """Status and text of the answer unless an operator has edited them."""
        return DEFAULTS[self.success]


def endpoint(summary: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a handler. With `input` it gets the validated body as `data` (snake_case keys); what it returns becomes `data` of the
    envelope, unless it returns a ready response."""
    declared = Endpoint(summary, **options)

    def decorate(handler: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(handler)
        def handle(view: Any, request: Any, **path: Any) -> Any:
            for name, value in path.items():
                if name.lower().endswith("id") and not is_id(value):
                    raise InvalidFormat("_id" if name == "id" else name, value, "an id is 24 hex characters")
            if declared.input is not None and not declared.multipart:
                path["data"] = read(declared.input, request.data)
            view.declared = declared
            answer = handler(view, request, **path)
            if hasattr(answer, "status_code"):
                return answer
            return respond(declared.success, answer)

        handle.endpoint = declared  # type: ignore[attr-defined]
        return handle

    return decorate
