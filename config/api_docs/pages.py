"""The pages: guides, all operations in a list, a group to read, and a group to try in Swagger UI.

They depend on the release alone, so each process makes a page once.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import condition, require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView

from config.api_docs.calls import call_of
from config.api_docs.guides import GUIDES, guides, page_of
from config.api_docs.operations import KEY, MOUNTS, Group, Line, Mount, describe_operations, groups, schema_of, sections
from config.api_docs.parts import Reader, paragraphs, prose
from config.api_docs.schema import for_readers
from config.serving.compression import accepts_gzip
from core.text.json import dumps
from core.types import JsonObject

HTML = "text/html; charset=utf-8"
OPENAPI = "application/vnd.oai.openapi+json"


def docs_urls() -> list[URLPattern]:
    """Return the addresses below /api/docs."""
    return [
        path("api/docs", overview, name="docs"),
        path("api/docs/", overview),
        path("api/docs/guides/<slug:key>", guide_page, name="docs-guide"),
        path("api/docs/<slug:key>", group_page, name="docs-group"),
        path("api/docs/try/<slug:key>", try_page, name="docs-try"),
        path("api/docs/try/<slug:key>/schema", group_schema, name="docs-schema"),
    ]


@dataclass(frozen=True)
class Document:
    """A page as it goes out. Its plain form is unpacked for the few callers that want it."""

    zipped: bytes
    etag: str

    @classmethod
    def from_content(cls, content: bytes) -> Document:
        # The same bytes in every process (mtime): the ETag is one for the whole release.
        return cls(gzip.compress(content, mtime=0), f'W/"{hashlib.sha256(content).hexdigest()[:32]}"')


@lru_cache(maxsize=512)
def document(kind: str, key: str, mount: str) -> Document:
    """Return a page that is made at its first request. Raises Http404 for a guide or a group that there isn't."""
    chosen_mount = next((candidate for candidate in MOUNTS if candidate.key == mount), KEY)
    if kind == "schema":
        return Document.from_content(dumps(schema_of(*_group(key, chosen_mount))))
    template, context = PAGES[kind](key, chosen_mount)
    return Document.from_content(render_to_string(template, {**_common(chosen_mount), **context}).encode())


def _get_document(kind: str, request: HttpRequest, key: str = "") -> Document:
    return document(kind, key, _mount(request).key)


def _respond(kind: str, request: HttpRequest, key: str = "", content_type: str = HTML) -> HttpResponse:
    page = _get_document(kind, request, key)
    zips = accepts_gzip(request)
    response = HttpResponse(page.zipped if zips else gzip.decompress(page.zipped), content_type=content_type)
    if zips:
        response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = f"{'public' if settings.PUBLIC_API_DOCS else 'private'}, no-cache"
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


def _overview_tag(request: HttpRequest) -> str | None:
    return None if request.GET.get("q") else _get_document("overview", request).etag


@for_readers
@require_safe
@condition(etag_func=_overview_tag)
def overview(request: HttpRequest) -> HttpResponse:
    """List the guides and every operation once, or those with the words that are searched."""
    terms = request.GET.get("q", "").lower().split()
    if not terms:
        return _respond("overview", request)
    mount = _mount(request)
    context = {**_common(mount), "q": request.GET["q"], **_search_results(terms)}
    return render(request, "docs/overview.html", context)


def _search_results(terms: list[str]) -> JsonObject:
    """Return the guides and the operations that have all of the words."""
    section_rows = []
    for title, members in sections().items():
        with_lines = [(group, [line for line in group.lines if line.has(terms, group.title)]) for group in members]
        with_lines = [(group, lines) for group, lines in with_lines if lines]
        if with_lines:
            section_rows.append((title, with_lines))
    count = sum(len(lines) for _, members in section_rows for _, lines in members)
    return {"shown": section_rows, "count": count, "guides": [guide for guide in guides() if guide.has(terms)]}


@for_readers
@require_safe
@condition(etag_func=lambda request, key: _get_document("guide", request, key).etag)
def guide_page(request: HttpRequest, key: str) -> HttpResponse:
    """Show a guide."""
    return _respond("guide", request, key)


@for_readers
@require_safe
@condition(etag_func=lambda request, key: _get_document("group", request, key).etag)
def group_page(request: HttpRequest, key: str) -> HttpResponse:
    """Describe the operations of a group."""
    return _respond("group", request, key)


@for_readers
@require_safe
@condition(etag_func=lambda request, key: _get_document("schema", request, key).etag)
def group_schema(request: HttpRequest, key: str) -> HttpResponse:
    """Answer with the schema of a group at the chosen mount."""
    return _respond("schema", request, key, OPENAPI)


class TryGroup(SpectacularSwaggerSplitView):
    """Swagger UI with the schema of a group at the chosen mount."""

    @extend_schema(exclude=True)
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        group, mount = _group(kwargs["key"], _mount(request))
        self.title = f"Try {group.title} · API · Leadwright"
        self.url = f"{reverse('docs-schema', args=[group.key])}?auth={mount.key}"
        return super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]


try_page = for_readers(TryGroup.as_view())


def _common(mount: Mount) -> JsonObject:
    return {"mounts": MOUNTS, "mount": mount, "sections": sections(), "all_guides": GUIDES}


def _mount(request: HttpRequest) -> Mount:
    return next((mount for mount in MOUNTS if mount.key == request.GET.get("auth")), KEY)


def _group(key: str, mount: Mount) -> tuple[Group, Mount]:
    group = groups().get(key)
    if group is None:
        raise Http404("There is no such group of operations.")
    return group, group.mount(mount)


def _overview(key: str, mount: Mount) -> tuple[str, JsonObject]:
    return "docs/overview.html", _search_results([])


def _guide(key: str, mount: Mount) -> tuple[str, JsonObject]:
    guide = page_of(key)
    if guide is None:
        raise Http404("There is no such guide.")
    return "docs/guide.html", {"guide": guide}


def _operations(key: str, mount: Mount) -> tuple[str, JsonObject]:
    group, mount = _group(key, mount)
    document = schema_of(group, mount)
    reader = Reader(document)
    operations = [
        _describe_operation(reader, document, mount, line, operation)
        for line, operation in describe_operations(group, mount)
    ]
    return "docs/group.html", {"group": group, "mount": mount, "operations": operations}


PAGES = {"overview": _overview, "guide": _guide, "group": _operations}


def _describe_operation(
    reader: Reader, document: JsonObject, mount: Mount, line: Line, operation: JsonObject
) -> JsonObject:
    kind, body = reader.body(operation)
    parameters = reader.parameters(operation)
    call = call_of(mount, line, operation, {parameter.name for parameter in parameters}, document)
    return {
        "line": line,
        "paragraphs": paragraphs(operation.get("description", "")),
        "parameters": parameters,
        "kind": kind,
        "body": body,
        "answer": reader.answer(operation),
        "answers": reader.answers(operation),
        **call,
        "needs": prose(call["needs"]),
    }
