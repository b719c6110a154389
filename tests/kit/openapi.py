"""Every answer of the API that a test gets is checked against the OpenAPI schema: status, content type and body.

The schema is generated once for a state of the sources and kept in var/tests, where all processes of a session find it.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema_rs import Draft202012Validator, Registry

FOLDER = settings.BASE_DIR / "var" / "tests"
PREFIX = "/api/"
OUTSIDE = ("/api/schema", "/api/docs", "/api/public/health", "/api/public/webhooks/", "/api/public/payments/")
"""Addresses that the schema leaves out on purpose."""
BASE = "urn:openapi"
RUNNING = ""
SPENT = 0.0
CALLS = 0
FAILURE = "/components/schemas/Failure"
UNEXPECTED = "Something went wrong"


class Undescribed(AssertionError):
    """An answer that the schema does not describe."""


def generate() -> bytes:
    return OpenApiJsonRenderer().render(SchemaGenerator().get_schema(request=None, public=True), renderer_context={})


def file_of_sources() -> Path:
    """Return where the schema is kept that the present sources make."""
    digest = hashlib.sha256()
    for package in sorted(settings.BASE_DIR.glob("*/__init__.py")):
        if package.parent.name != "tests":
            for path in sorted(package.parent.rglob("*.py")):
                digest.update(str(path.relative_to(settings.BASE_DIR)).encode() + b"\0" + path.read_bytes() + b"\0")
    return FOLDER / f"openapi-{digest.hexdigest()[:16]}.json"


def store(schema: bytes, path: Path) -> None:
    """Store the schema for all processes, in place of older ones.

    The path is that of the sources that it was made from: one may have been saved since.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(schema)
    for old in FOLDER.glob("openapi-*.json"):
        old.unlink()
    fresh.rename(path)


@cache
def document() -> dict[str, Any]:
    """Return the schema that the present sources make."""
    path = file_of_sources()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "openapi.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            store(generate(), path)
        return orjson.loads(path.read_bytes())  # type: ignore[no-any-return]


@cache
def _registry() -> Registry:
    return Registry([(BASE, document())])


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"{BASE}#{pointer}"}, registry=_registry(), validate_formats=True)


@cache
def _templates() -> dict[tuple[int, str], list[tuple[re.Pattern[str], str]]]:
    """Return pattern -> path of the schema; the paths with the fewest parameters come first.

    They are grouped by what no parameter of ours stands for: their number of parts, and the first parts.
    """
    grouped: dict[tuple[int, str], list[tuple[re.Pattern[str], str]]] = {}
    for path in sorted(document()["paths"], key=lambda path: (path.count("{"), path)):
        pattern = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))
        grouped.setdefault(_group(path), []).append((pattern, path))
    return grouped


def _group(path: str) -> tuple[int, str]:
    """Return the number of the path's parts, and the two first ones: the mount, or `public` and what follows."""
    parts = path.split("/")
    return len(parts), "/".join(parts[:3])


@cache
def _template(path: str) -> str | None:
    return next((template for pattern, template in _templates().get(_group(path), ()) if pattern.fullmatch(path)), None)


def _escape(part: str) -> str:
    """Escape a part of a JSON pointer for a URI."""
    return re.sub(r"[^\w.~-]", lambda found: f"%{ord(found[0]):02X}", part.replace("~", "~0").replace("/", "~1"))


def _matching(media: str, described: dict[str, Any]) -> str | None:
    """Return the described content type that the answer's matches."""
    kind = media.partition("/")[0]
    return next((name for name in (media, f"{kind}/*", "*/*") if name in described), None)


def check(
    method: str, path: str, status: int, content_type: str, body: bytes | None, *, unexpected: bool = False
) -> None:
    """Raise Undescribed unless the schema describes the answer; `body` is None when it has not been read.

    Outside of the schema only 404 is right, and the failure that people have not foreseen only where a
    test says `unexpected`.
    """
    if not path.startswith(PREFIX) or path.startswith(OUTSIDE) or method in ("HEAD", "OPTIONS", "TRACE"):
        return
    where = f"{method} {path} -> {status} {content_type}"
    media = content_type.partition(";")[0].strip().lower()
    template = _template(path)
    operation = document()["paths"][template].get(method.lower()) if template else None
    if operation is None:
        if status != 404:
            raise Undescribed(
                f"{where}: the schema does not know the {'method' if template else 'path'}, so 404 is right"
            )
        _validate(where, FAILURE, body)
        return
    if status == 500 and body is not None and not unexpected and UNEXPECTED.encode() in body:
        raise Undescribed(f"{where}: an error that nobody foresaw: {body[:500]!r}")
    if status == 500 and unexpected:
        _validate(where, FAILURE, body)
        return
    described = operation["responses"].get(str(status))
    if described is None:
        raise Undescribed(
            f"{where}: the schema describes {', '.join(operation['responses'])} of {template}; the answer is {body!r:.500}"  # noqa: E501
        )
    pointer = ["paths", template, method.lower(), "responses", str(status)]
    if "$ref" in described:
        pointer = described["$ref"].removeprefix("#/").split("/")
        described = document()["components"]["responses"][pointer[-1]]
    content = described.get("content", {})
    if not content and not body:
        return
    found = _matching(media, content)
    if found is None:
        raise Undescribed(f"{where}: the schema describes {', '.join(content) or 'no content'} of {template}")
    if found == "application/json":
        pointer += ["content", found, "schema"]
        _validate(where, "/" + "/".join(_escape(part) for part in pointer), body)


def _validate(where: str, pointer: str, body: bytes | None) -> None:
    if body is None:
        return
    value = orjson.loads(body)
    validator = _validator(pointer)
    if validator.is_valid(value):
        return
    errors = [
        f"{'/'.join(str(part) for part in error.instance_path) or 'body'}: {error.message:.300}"
        for error in validator.iter_errors(value)
    ]
    raise Undescribed(f"{where}: the body is not as described:\n" + "\n".join(errors[:5]))


allowed: dict[str, bool] = {"unexpected": False, "undescribed": False}
"""What the running test has said that it may meet (the markers of the same names)."""


def _read(response: Any, pieces: Any, examine: Any) -> Iterator[bytes]:
    """Pass a stream on, and examine it when it has been read to its end."""
    kept = []
    for piece in pieces:
        kept.append(piece)
        yield piece
    examine(b"".join(kept))


def install() -> None:
    """Make the test client check each answer against the schema."""
    request = Client.request

    def checked(client: Client, **arguments: Any) -> Any:
        response = request(client, **arguments)
        asked = response.wsgi_request
        if not asked.path.startswith(PREFIX) or allowed["undescribed"]:
            return response

        def examine(body: bytes | None) -> None:
            if body and response.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            kind = response.headers.get("Content-Type", "")
            check(asked.method, asked.path, response.status_code, kind, body, unexpected=allowed["unexpected"])

        if not response.streaming:
            examine(response.content)
        elif response.is_async:
            examine(None)
        else:
            examine(None)
            if response.headers.get("Content-Type", "").startswith("application/json"):
                response.streaming_content = _read(response, response.streaming_content, examine)
        return response

    Client.request = checked  # type: ignore[method-assign]


__all__ = ["Undescribed", "allowed", "check", "document", "install"]
