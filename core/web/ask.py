"""Requests to the API's own handlers in process: for pages, and for staff visits."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import IO, Any
from urllib.parse import urlencode

import orjson
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve
from django.utils.translation import gettext
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import Endpoint
from core.api.refusals import Refusal
from core.errors import GONE, PERMISSION, FieldError
from core.internals.django import set_body, set_stream
from core.internals.rest_framework import http_request
from core.lists import FieldSet
from core.text.json import dumps
from core.text.redaction import UNNAMED
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.visits import hide_secrets
from core.web.words.problems import WARNINGS, reason_text, to_sentence

CALLERS_OWN = ("REMOTE_ADDR", "HTTP_X_FORWARDED_FOR", "HTTP_USER_AGENT")
"""Headers of the browser's request that are passed to the API: the client's address and user agent."""


class ActorAuthentication(BaseAuthentication):
    """Authenticates the actor of an in-process request, whom the page has checked."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        actor: Actor = http_request(request).acting  # type: ignore[attr-defined]
        return actor, actor


WITH_TEXTS = frozenset({"CountryNotFound_400", "StateNotFound_400"})
"""Refusals of unknown records whose details are texts for people already."""
NOT_ALLOWED = gettext_lazy("Your role does not allow this. Ask an owner of the company for the permission.")


class NoOperation(LookupError):
    """The API has no operation of this method and path."""


@dataclass(frozen=True)
class Answer:
    """An answer of the API. `fields` are those of its list, if it is one; `failure` is a refusal as data.

    `notes` are the view's, for pages alone.
    """

    status: int
    body: Values
    fields: FieldSet | None = field(default=None, repr=False)
    failure: Refusal | None = field(default=None, repr=False)
    notes: Values = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        return self.status < 400

    @property
    def data(self) -> Any:
        return self.body.get("data")

    @property
    def name(self) -> str:
        """The name of a refusal, such as ValidationError_400."""
        return self.failure.name if self.failure else ""

    @property
    def code(self) -> str:
        """The reason among the refusals of this name; empty where there is just one."""
        return self.failure.code if self.failure else ""

    @property
    def params(self) -> Values:
        """The values in a refusal's text, for a page that writes its own."""
        return self.failure.params if self.failure else {}

    @property
    def errors(self) -> Sequence[FieldError]:
        """The refused fields, with the codes of their errors. A record that a field names is gone."""
        errors = self.failure.errors if self.failure else ()
        if "NotFound_" not in self.name or self.name in WITH_TEXTS:
            return errors
        return [error if "code" in error or "text" in error else {**error, "code": GONE} for error in errors]

    def refuses(self, *fields: str) -> bool:
        """Return whether the first refused field is one of these."""
        return bool(self.errors) and self.errors[0]["field"] in fields

    @property
    def message(self) -> str:
        """The message; in words for people where the API's names fields."""
        text = self.failure.text if self.failure else ""
        return gettext(text) if text else str(self.body.get("message") or "")

    @property
    def warning(self) -> str:
        """Return the error's detail, or the warning of a successful response."""
        return str(self.body.get("warning") or "")

    @property
    def notice(self) -> str:
        """Return the warning of a successful response as text for people."""
        codes = self.notes.get("warnings") or ()
        texts = [str(WARNINGS[code]) for code in codes] or [to_sentence(self.warning)]
        return " ".join(filter(None, texts))

    @property
    def refusal(self) -> str:
        """Return the reason of a refusal, as text for people."""
        if self.code == PERMISSION:
            return str(NOT_ALLOWED)
        return " ".join(dict.fromkeys(filter(None, (to_sentence(self.message), self.reason))))

    @property
    def reason(self) -> str:
        """The reason of a refusal as sentences, without the message and the names of fields."""
        if any(error.get("code") == GONE for error in self.errors):
            return to_sentence(self.message)
        detail = self.failure.warning if self.failure else self.warning
        texts = [reason_text(error) for error in self.errors] or [detail or self.message]
        return " ".join(dict.fromkeys(to_sentence(text) for text in texts))

    @property
    def total(self) -> int | None:
        return self.body.get("totalCount")

    @property
    def next_cursor(self) -> str:
        return self.body.get("nextCursor") or ""

    @property
    def job(self) -> str:
        """The id of the bulk job that can undo the change, or that still has to make it."""
        return self.body.get("bulkJob") or ""


def in_process(
    actor: Actor,
    method: str,
    query: Values | None = None,
    body: Any = None,
    caller: HttpRequest | None = None,
) -> HttpRequest:
    """Make a request of the actor, without the cookies and the session of the browser that `caller` comes from.

    Values of the query that are no text go as JSON, and None is left out.
    """
    request = HttpRequest()
    request.method = method
    request.path = request.path_info = "/"
    content = b"" if body is None else dumps(body)
    own = {name: caller.META[name] for name in CALLERS_OWN if name in caller.META} if caller is not None else {}
    request.META = {
        **own,
        "REQUEST_METHOD": method,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(content)),
    }
    texts = {
        name: value if isinstance(value, str) else dumps(value).decode()
        for name, value in (query or {}).items()
        if value is not None
    }
    request.GET = QueryDict(urlencode(texts))
    set_body(request, content)
    request.acting = actor  # type: ignore[attr-defined]
    return request


def with_files(request: Any, files: Iterable[UploadedFile[Any]]) -> None:
    """Give the request a multipart body with the files, in parts named `file`, read from where they are."""
    boundary = secrets.token_hex(16)
    pieces: list[IO[bytes] | UploadedFile[Any]] = []
    size = 0
    for file in files:
        name = quote_name(file.name or "file")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        pieces += [BytesIO(head), file, BytesIO(b"\r\n")]
        size += len(head) + (file.size or 0) + 2
    end = f"--{boundary}--\r\n".encode()
    request.META["CONTENT_TYPE"] = f"multipart/form-data; boundary={boundary}"
    request.META["CONTENT_LENGTH"] = str(size + len(end))
    set_stream(request, _Joined([*pieces, BytesIO(end)]))


def quote_name(name: str) -> str:
    """Write a file's name for a Content-Disposition, as browsers do."""
    return name.replace('"', "%22").replace("\r", "").replace("\n", "")


class _Joined:
    """A stream of several, one after another."""

    def __init__(self, pieces: list[Any]) -> None:
        self._pieces = pieces

    def read(self, size: int = -1) -> bytes:
        content = b""
        while self._pieces and (size < 0 or len(content) < size):
            piece: bytes = self._pieces[0].read(size - len(content) if size >= 0 else -1)
            if not piece:
                self._pieces.pop(0)
            content += piece
        return content


def answer_of(response: Any, declared: Endpoint | None) -> Answer:
    """Read a response of the API. Raises TypeError for a stream, which no page shows: ask for a page of the list."""
    if response.streaming:
        response.close()
        raise TypeError(f"{declared.summary if declared else 'the address'} answers a stream; ask for a page (n, p)")
    fields = declared.listing.fields if declared and declared.listing else None
    body = orjson.loads(response.content or b"{}")
    view = (getattr(response, "renderer_context", None) or {}).get("view")
    notes = getattr(view, "page_notes", {})
    return Answer(response.status_code, body, fields, getattr(response, "refusal", None), notes)


def ask(
    actor: Actor,
    mount: str,
    method: str,
    path: str,
    query: Values | None = None,
    body: Any = None,
    *,
    files: Sequence[UploadedFile[Any]] = (),
    caller: HttpRequest | None = None,
) -> Answer:
    """Call the operation at the address, as the actor. Permission, plan, company, events and texts are the API's own.

    `mount` is api/protected or api/private; `path` is below it; `files` go instead of a body. Raises LookupError for an
    unknown operation.
    """
    response, declared = respond(actor, mount, method, path, query, body, files=files, caller=caller)
    answer = answer_of(response, declared)
    if actor.visiting and answer.ok:
        data = hide_secrets(answer.data, declared.output if declared else None, UNNAMED)
        answer = replace(answer, body={**answer.body, "data": data})
    return answer


def respond(
    actor: Actor,
    mount: str,
    method: str,
    path: str,
    query: Values | None = None,
    body: Any = None,
    *,
    files: Sequence[UploadedFile[Any]] = (),
    caller: HttpRequest | None = None,
) -> tuple[Any, Endpoint | None]:
    """Return the operation's response, which may be a stream, and its declaration. As `ask` otherwise."""
    try:
        match = resolve(f"/{mount}/{path}")
    except Resolver404:
        raise NoOperation(f"the API has no {mount}/{path}") from None
    view: Any = getattr(match.func, "cls", None)
    actions: Mapping[str, str] = getattr(match.func, "actions", None) or {}
    action = actions.get(method.lower())
    if view is None or action is None:
        raise NoOperation(f"the API has no {method} {mount}/{path}")
    handle = view.as_view(dict(actions), authentication_classes=[ActorAuthentication])
    request = in_process(actor, method, query, body, caller)
    if files:
        with_files(request, files)
    response = handle(request, **match.kwargs)
    request.close()
    return response, getattr(getattr(view, action), "endpoint", None)


def with_ids(value: Any) -> Any:
    """Give every record its `_id` under `id` as well, since templates cannot read names with an underscore first."""
    if isinstance(value, dict):
        for inner in value.values():
            with_ids(inner)
        if "_id" in value:
            value["id"] = value["_id"]
    elif isinstance(value, list):
        for inner in value:
            with_ids(inner)
    return value
