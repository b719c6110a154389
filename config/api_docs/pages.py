"""The pages: all operations in a list, a group to read, and a group to try in Swagger UI."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView

from config.api_docs.operations import DOORS, KEY, Door, Group, Line, described, groups, schema_of
from config.api_docs.parts import Reader, paragraphs
from config.api_docs.schema import for_readers
from core.text.json import dumps


def docs_urls() -> list[URLPattern]:
    """Return the addresses below /api/docs."""
    return [
        path("api/docs", overview, name="docs"),
        path("api/docs/", overview),
        path("api/docs/<slug:key>", group_page, name="docs-group"),
        path("api/docs/try/<slug:key>", try_page, name="docs-try"),
        path("api/docs/try/<slug:key>/schema", group_schema, name="docs-schema"),
    ]


@for_readers
@require_safe
@gzip_page
def overview(request: HttpRequest) -> HttpResponse:
    """List every operation once. With the parameter `q`, list the operations that contain its words."""
    words = request.GET.get("q", "").lower().split()
    shown = [(group, [line for line in group.lines if line.has(words)]) for group in groups().values()]
    shown = [(group, lines) for group, lines in shown if lines]
    count = sum(len(lines) for _, lines in shown)
    return render(request, "docs/overview.html", {**_common(request), "shown": shown, "count": count})


@for_readers
@require_safe
@gzip_page
def group_page(request: HttpRequest, key: str) -> HttpResponse:
    """Describe the operations of a group."""
    group, door = _chosen(request, key)
    reader = Reader(schema_of(group, door))
    operations = [_described(reader, door, line, operation) for line, operation in described(group, door)]
    return render(
        request, "docs/group.html", {**_common(request), "group": group, "door": door, "operations": operations}
    )


@for_readers
@require_safe
@gzip_page
def group_schema(request: HttpRequest, key: str) -> HttpResponse:
    """Answer with the schema of a group at the chosen door."""
    return HttpResponse(dumps(schema_of(*_chosen(request, key))), content_type="application/vnd.oai.openapi+json")


class TryGroup(SpectacularSwaggerSplitView):
    """Swagger UI with the schema of a group, which it is given at the chosen door."""

    @extend_schema(exclude=True)
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        _chosen(request, kwargs["key"])
        return super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]

    def _get_schema_url(self, request: Any) -> str:
        group, door = _chosen(request, self.kwargs["key"])
        return f"{reverse('docs-schema', args=[group.key])}?door={door.key}"


try_page = for_readers(TryGroup.as_view())


def _common(request: HttpRequest) -> dict[str, Any]:
    return {"q": request.GET.get("q", ""), "doors": DOORS, "door": _door(request), "groups": groups().values()}


def _door(request: HttpRequest) -> Door:
    return next((door for door in DOORS if door.key == request.GET.get("door")), KEY)


def _chosen(request: HttpRequest, key: str) -> tuple[Group, Door]:
    group = groups().get(key)
    if group is None:
        raise Http404("There is no such group of operations.")
    return group, group.door(_door(request))


def _described(reader: Reader, door: Door, line: Line, operation: dict[str, Any]) -> dict[str, Any]:
    kind, body = reader.body(operation)
    return {
        "line": line,
        "paragraphs": paragraphs(operation.get("description", "")),
        "parameters": reader.parameters(operation),
        "kind": kind,
        "body": body,
        "answer": reader.answer(operation),
        "answers": reader.answers(operation),
        "example": _example(door, line, kind, [one.name for one in body if one.required and not one.depth]),
    }


def _example(door: Door, line: Line, kind: str, required: list[str]) -> str:
    """Return an example call with curl, with the required fields of the body."""
    parts = [f"curl -X {line.method}" if line.method != "GET" else "curl"]
    parts += [f'-H "{header}"' for header in door.headers]
    if kind == "multipart/form-data":
        parts.append("-F file=@FILE")
    elif kind:
        body = json.dumps(dict.fromkeys(required, "…"), ensure_ascii=False)
        parts += ['-H "Content-Type: application/json"', f"-d '{body}'"]
    return " \\\n  ".join([*parts, f'"{settings.BASE_URL}{door.mount}{line.path}"'])
