"""The OpenAPI schema, for everybody or for staff only (PUBLIC_API_DOCS)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe

from accounts.auth.staff.second_factor import is_asked
from config.api_docs.stored import KEY, WHOLE, Document, builder, read_stored
from config.serving.compression import accepts_gzip
from core.api.handler import unavailable
from core.api.refusals import RETRY_SECONDS, UNAVAILABLE

View = Callable[..., HttpResponse]
BEING_BUILT = replace(UNAVAILABLE, warning=f"the schema is being built; try again in {RETRY_SECONDS} seconds")


def for_readers(view: View) -> View:
    """Hide the view from everybody but staff where PUBLIC_API_DOCS is off."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user: Any = request.user
        if not (settings.PUBLIC_API_DOCS or (user.is_staff and not is_asked(user))):
            raise Http404("The documentation of the API is not public here.")
        return view(request, *args, **kwargs)

    return wrapper


def _etag(request: HttpRequest, part: str) -> str | None:
    document = read_stored(part)
    return None if document is None else document.etag


@for_readers
@require_safe
@condition(etag_func=_etag)
def _schema(request: HttpRequest, part: str) -> HttpResponse:
    document = read_stored(part)
    if document is None:
        builder.start()
        return unavailable(request, BEING_BUILT)
    return _answer(request, document)


def schema(request: HttpRequest) -> HttpResponse:
    """Answer with the whole schema, or with 304 to a client that has it."""
    return _schema(request, WHOLE)


def key_schema(request: HttpRequest) -> HttpResponse:
    """Answer with the part that an API key reaches, which has every operation once."""
    return _schema(request, KEY)


def _answer(request: HttpRequest, document: Document) -> HttpResponse:
    zips = accepts_gzip(request)
    response = HttpResponse(
        document.zipped if zips else document.content, content_type="application/vnd.oai.openapi+json; charset=utf-8"
    )
    if zips:
        response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = "public, no-cache" if settings.PUBLIC_API_DOCS else "private, no-cache"
    patch_vary_headers(response, ("Accept-Encoding",))
    return response
