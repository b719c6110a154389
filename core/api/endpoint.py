"""One declaration per operation, which parses the body, wraps the answer, and describes both in the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial, wraps
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.echoed_fields import strip_echoed_fields
from core.api.envelope import respond
from core.api.etags import LATEST, etag_of, is_known, not_modified, unless_changed
from core.api.fields import FIELDS, choose_fields
from core.api.idempotency import is_keyed, run_idempotent
from core.api.input import Input, read
from core.api.output import Output
from core.errors import InvalidFormat
from core.events import start_mode
from core.ids import is_id
from core.lists.parameters import refuse_unknown
from core.messages.defaults import DEFAULTS, SUCCESSES
from core.types import Values

if TYPE_CHECKING:
    from core.api.listing import Listing
    from core.api.viewsets import ResourceViewSet


RECORD = "retrieve"
"""The action that shows a single record."""


Handler = Callable[..., object]
"""A method of a ViewSet: it takes the request, the parameters of the path and perhaps `data`."""


@dataclass(frozen=True)
class Endpoint:
    """The declaration of an operation, as the decorator of its handler.

    With `input` the handler gets the validated body as `data` (snake_case keys). Its return value becomes `data` of the
    envelope, unless it is a response.
    """

    summary: str
    _: KW_ONLY
    description: str = ""
    input: type[Input] | None = None
    output: type[Output] | None = None
    many: bool = False
    """A list with totalCount and nextCursor on the standard list contract."""
    list_in: str = ""
    """data is one record (`output` describes it), and the list is the value of this field of it."""
    list_parameters: tuple[str, ...] | None = None
    """The parameters of the list contract that the list takes; None: all of them."""
    counted: bool = True
    """If False, totalCount may be null, since counting the list may be too expensive."""
    parameters: tuple[OpenApiParameter, ...] = ()
    envelope_fields: Values = field(default_factory=dict)
    """Further members of the response next to data: name -> JSON schema."""
    success: str = "OK_200"
    """The name of the message (core.messages) with the answer's status and text."""
    errors: tuple[str, ...] = ()
    needs_subscription: bool = True
    quota_module: str = ""
    """Module whose quota created records consume (core.access.USAGE). Sessions are limited, API keys aren't."""
    bulk: bool = False
    """The body is a bulk selection, and the query string takes the list contract's filters for selectAll."""
    other_successes: tuple[str, ...] = ()
    """Names of further messages with which the operation may succeed; the output is the same."""
    undoable: bool = False
    """The response has `bulkJob` next to data. The job undoes the change, or makes it if it is too large for a
    request."""
    queues: bool = False
    """The response has `bulkJob` next to data. The job makes the change if it is too large for a request."""
    raw: str = ""
    """The media type of an answer without envelope (a download), or several, separated by commas."""
    download_type: str = ""
    """The media type of a download that the operation answers instead where the query asks for one."""
    multipart: bool = False
    limited: bool = False
    """Attempts are limited, so it may answer 429 (core.access.attempts)."""
    permission: str = ""
    """The permission that a role needs, if it isn't the method's, such as GET for data that readers store for
    themselves."""
    module: str | None = None
    """The operation's permission module, if it isn't the view's."""
    alternate_modules: tuple[str, ...] | None = None
    """Other modules whose permission allows the operation. None: the view's, or no others with a `module`."""
    any_member: bool = False
    """Open to every accepted member; the handler filters by role."""
    transition: bool = False
    """It brings the record into a state. `warning` says so where the record is as it was."""
    listing: Listing | None = None
    """The list that the operation answers with."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.errors if name not in DEFAULTS]
        unknown += [name for name in (self.success, *self.other_successes) if name not in SUCCESSES]
        if unknown:
            raise ImproperlyConfigured(f"{self.summary!r}: core.messages.defaults has no {', '.join(unknown)}")

    def __call__(self, handler: Handler) -> Callable[..., HttpResponseBase]:
        @wraps(handler)
        def handle(view: ResourceViewSet, request: Request, **path: str) -> HttpResponseBase:
            for name, value in path.items():
                if name.lower().endswith("id") and not is_id(value):
                    raise InvalidFormat("_id" if name == "id" else name, value, "an id is 24 hex characters")
            view.declared = self
            if request.method in SAFE_METHODS:
                return _answer_read(self, handler, view, request, path)
            run = partial(_answer_change, self, handler, view, request, path)
            checked = partial(unless_changed, view, request, path, run) if "HTTP_IF_MATCH" in request.META else run
            return run_idempotent(view, request, checked) if is_keyed(view, request) else checked()

        handle.endpoint = self  # type: ignore[attr-defined]
        return handle

    @property
    def default(self) -> tuple[int, str]:
        """The default status and text of the answer. An operator may have edited them."""
        return DEFAULTS[self.success]


endpoint = Endpoint
"""The name of the decorator: @endpoint("Read a tag", output=TagOut)."""


def _answer(declared: Endpoint, answer: object, warning: str = "") -> HttpResponseBase:
    """Return the response for a handler's result, with its warning."""
    if not isinstance(answer, HttpResponseBase):
        return respond(declared.success, answer, **({"warning": warning} if warning else {}))
    if warning and isinstance(answer, Response):
        answer.data["warning"] = "; ".join(filter(None, (answer.data.get("warning"), warning)))
    return answer


def _check_query(view: ResourceViewSet, declared: Endpoint, params: Iterable[str]) -> None:
    """Refuse a query parameter that is not declared: it would promise something.

    Lists check theirs themselves. Links into pages, and those of downloads, may have been added to on their way.
    """
    if not (declared.many or declared.raw or view.public):
        names = {parameter.name for parameter in declared.parameters}
        if view.action == RECORD and declared.output is not None:
            names.add(FIELDS.name)
        refuse_unknown((name.partition("[")[0] for name in params), names)


class NoBody(Input):
    """The body of an operation that takes none."""


def call_handler(handler: Handler, view: ResourceViewSet, request: Request, path: Values, data: Values) -> object:
    """Call a handler. The body's `automation` decides whether its events start workflows."""
    with start_mode(data.get("automation")):
        return handler(view, request, **path, data=data)


def _answer_read(
    declared: Endpoint, handler: Handler, view: ResourceViewSet, request: Request, path: Values
) -> HttpResponseBase:
    """Answer a request that only reads. Single records have an ETag, and only the fields that were asked for."""
    _check_query(view, declared, request.query_params)
    if declared.input is not None:
        data = read(declared.input, request.data)
        return _answer(declared, call_handler(handler, view, request, path, data))
    answer = handler(view, request, **path)
    if view.action != RECORD or not isinstance(answer, dict) or declared.output is None:
        return _answer(declared, answer)
    tag = etag_of(answer, declared.output)
    if is_known(request, tag):
        return not_modified(tag)
    if FIELDS.name in request.query_params:
        names = choose_fields(request.query_params.getlist(FIELDS.name), declared.output)
        answer = {name: value for name, value in answer.items() if name in names}
    response = respond(declared.success, answer)
    response["ETag"] = tag
    return response


UNCHANGED = "nothing has changed: the record was in this state already, or has nothing that this applies to"


def warn_if_unchanged(
    declared: Endpoint, view: ResourceViewSet, path: Mapping[str, str], run: Callable[[], object]
) -> HttpResponseBase:
    """Return what `run` answers. If it is to change a record's state and does not, the answer warns of that."""
    if not declared.transition:
        return _answer(declared, run())
    before = _state(view, path)
    response = _answer(declared, run())
    if not isinstance(response, Response) or {"bulkJob", "warning"} & response.data.keys():
        return response
    if _is_counted(response.data["data"]) or _state(view, path) != before:
        return response
    return _answer(declared, response, UNCHANGED)


def _is_counted(data: object) -> bool:
    """Return whether an answer counts messages that were changed."""
    return isinstance(data, dict) and any(data.get(name) for name in ("changedCount", "cancelledCount"))


def _state(view: ResourceViewSet, path: Mapping[str, str]) -> Values | None:
    """Return the record as GET shows it, without what changes by itself, and who changed it last and when."""
    record = view.stored(path)
    if not isinstance(record, dict):
        return None
    passed = {*LATEST, *(view.shown.moving if view.shown else ())}
    return {name: value for name, value in record.items() if name not in passed}


def _answer_change(
    declared: Endpoint, handler: Handler, view: ResourceViewSet, request: Request, path: Mapping[str, str]
) -> HttpResponseBase:
    """Answer a request that changes something."""
    if declared.multipart:
        return _answer(declared, handler(view, request, **path))
    if declared.input is None:
        if not declared.many and request.content_type == "application/json":
            read(NoBody, request.data or {})  # unknown keys would promise something
        return warn_if_unchanged(declared, view, path, partial(handler, view, request, **path))
    if request.method not in ("PUT", "PATCH"):
        data = read(declared.input, request.data)
        return warn_if_unchanged(declared, view, path, partial(call_handler, handler, view, request, path, data))
    stripped = strip_echoed_fields(view, declared, request.data, path)
    if stripped.record is not None:
        return _answer(declared, stripped.record, stripped.warning)
    answer = call_handler(handler, view, request, path, read(declared.input, stripped.body))
    return _answer(declared, answer, stripped.warning)
