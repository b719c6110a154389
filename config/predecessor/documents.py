"""Reads what mongoexport and mongodump write: extended JSON, one document a line or an array, and BSON."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from bson import Decimal128, Int64, ObjectId, decode_file_iter, json_util
from bson.codec_options import CodecOptions
from bson.errors import BSONError

from core.text.json import format_iso
from core.types import JsonObject

AWARE: CodecOptions[Any] = CodecOptions(tz_aware=True, tzinfo=UTC)
OPTIONS = json_util.JSONOptions(tz_aware=True, tzinfo=UTC)
DOCUMENT_KINDS: dict[str, tuple[str, ...]] = {
    "custom-field": ("customfields", "customfield"),
    "tag": ("tags", "tag"),
    "contact-category": ("contactcategories", "contactcategory"),
    "product-service": ("productservices", "productservice", "products"),
    "contact": ("contacts", "contact"),
    "lead": ("leads", "lead"),
    "template": ("emailtemplates", "emailtemplate"),
}
"""Kind -> names of its collection without case and signs, in the order in which references need them."""
ENDINGS = (".bson", ".json", ".jsonl", ".ndjson")


class Unreadable(Exception):
    """A file that cannot be read on; `place` is the number of the document."""

    def __init__(self, place: int, detail: str) -> None:
        self.place = place
        super().__init__(detail)


def collections_in(folder: Path) -> dict[str, Path]:
    """Return kind -> its file, of a folder of exports or a dump. Raises ValueError for two files of one kind."""
    collections: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        name = path.name.lower().removesuffix(".gz")
        if not name.endswith(ENDINGS) or name.endswith(".metadata.json"):
            continue
        plain = "".join(letter for letter in name.rpartition(".")[0] if letter.isalnum())
        kind = next((kind for kind, names in DOCUMENT_KINDS.items() if plain in names), "")
        if kind and kind in collections:
            raise ValueError(f"{collections[kind]} and {path} are both of the kind {kind}")
        if kind:
            collections[kind] = path
    return {kind: collections[kind] for kind in DOCUMENT_KINDS if kind in collections}


def read_documents(path: Path) -> Iterator[tuple[int, JsonObject | str]]:
    """Yield the number of each document and the document, with ids as texts; a text says why it cannot be read.

    Raises Unreadable where nothing after it can be read, and OSError.
    """
    with _open_file(path) as file:
        pieces = _bson(file) if ".bson" in path.name.lower() else _json(file)
        for number, document in pieces:
            yield number, plain(document) if isinstance(document, dict) else document


def _open_file(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def _bson(file: IO[bytes]) -> Iterator[tuple[int, JsonObject | str]]:
    number = 0
    try:
        for number, document in enumerate(decode_file_iter(file, AWARE), start=1):
            yield number, document
    except (BSONError, EOFError) as error:
        raise Unreadable(number + 1, f"no BSON: {error}") from error


def _json(file: IO[bytes]) -> Iterator[tuple[int, JsonObject | str]]:
    first = file.read(1)
    while first.isspace():
        first = file.read(1)
    if first == b"[":
        yield from _array(first + file.read())
        return
    number = 0
    for line in _lines(first, file):
        if line.strip():
            number += 1
            yield number, _document(line)


def _lines(first: bytes, file: IO[bytes]) -> Iterator[bytes]:
    yield first + file.readline()
    yield from file


def _array(content: bytes) -> Iterator[tuple[int, JsonObject | str]]:
    try:
        parsed = json_util.loads(content.decode(), json_options=OPTIONS)
    except (ValueError, TypeError, RecursionError, BSONError) as error:
        raise Unreadable(1, f"no JSON: {error}") from error
    for number, document in enumerate(parsed, start=1):
        yield number, document if isinstance(document, dict) else "is no document"


def _document(line: bytes) -> JsonObject | str:
    try:
        parsed = json_util.loads(line.decode(), json_options=OPTIONS)
    except (ValueError, TypeError, RecursionError, BSONError) as error:
        return f"is no JSON: {error}"
    return parsed if isinstance(parsed, dict) else "is no document"


def plain(value: Any) -> Any:
    """Convert MongoDB's types to those of JSON."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return format_iso(value)
    if isinstance(value, Decimal128):
        return float(value.to_decimal())
    if isinstance(value, Int64):
        return int(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value) if isinstance(value, ObjectId) else None
