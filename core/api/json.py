"""The parser and the renderer of JSON bodies, by orjson."""

from __future__ import annotations

from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from core.text.json import FOR_READERS, dumps

MAX_DEPTH = 100
"""Levels of lists and objects in each other. What is stored is written again within others, which has an end too."""


class Renderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else dumps(data, FOR_READERS)


class Parser(BaseParser):
    """Parses JSON bodies. It refuses texts with NUL characters, which PostgreSQL cannot store, and too deep nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        request = (parser_context or {}).get("request")
        length = request.META.get("CONTENT_LENGTH") if request is not None else None
        if length and str(length).isdigit() and int(length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig
        body = stream.read()
        if not body.strip():
            return {}
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not JSON: {error}") from error
        if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_too_deep(data):
            raise ParseError(f"The body is nested too deeply; at most {MAX_DEPTH} levels are allowed")
        if b"\\u0000" in body and _has_nul(data):
            raise ParseError("The body holds a NUL character (\\u0000), which cannot be stored")
        return data


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (
            container.values() if isinstance(container, dict) else container
            for container in level
            if isinstance(container, dict | list)
        )
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
    return bool(level)


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(_has_nul(item) for item in value)
