"""The OpenAPI schema, for everybody or for staff only (PUBLIC_API_DOCS)."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from threading import Lock
from typing import Any

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe
from drf_spectacular.generators import SchemaGenerator

from accounts.auth.second_factor import is_asked

View = Callable[..., HttpResponse]
_building = Lock()


@dataclass(frozen=True)
class Document:
    """The schema as it goes out."""

    content: bytes
    zipped: bytes
    etag: str


@cache
def _build() -> Document:
    content = orjson.dumps(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]
    # The same bytes in every process (mtime): the ETag is one for the whole release.
    return Document(content, gzip.compress(content, mtime=0), f'W/"{hashlib.sha256(content).hexdigest()[:32]}"')


def document() -> Document:
    """Return the schema, which each process builds once: it takes a second and depends on the release alone."""
    with _building:
        return _build()


def for_readers(view: View) -> View:
    """Hide the view from everybody but staff where PUBLIC_API_DOCS is off."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user: Any = request.user
        if not (settings.PUBLIC_API_DOCS or (user.is_staff and not is_asked(user))):
            raise Http404("The documentation of the API is not public here.")
        return view(request, *args, **kwargs)

    return guarded


@for_readers
@require_safe
@condition(etag_func=lambda request: document().etag)
def schema(request: HttpRequest) -> HttpResponse:
    """Return the schema, or 304 if the caller already has it."""
    found, zips = document(), "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(
        found.zipped if zips else found.content, content_type="application/vnd.oai.openapi+json; charset=utf-8"
    )
    if zips:
        response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = "public, no-cache" if settings.PUBLIC_API_DOCS else "private, no-cache"
    patch_vary_headers(response, ("Accept-Encoding",))
    return response
