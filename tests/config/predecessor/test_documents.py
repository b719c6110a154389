"""What mongoexport and mongodump write is read: extended JSON by lines or as an array, and BSON, compressed too."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

bson = pytest.importorskip("bson", reason="config/predecessor/requirements.txt is not installed")

from bson import Decimal128, Int64, ObjectId, json_util  # noqa: E402

from config.predecessor.documents import Unreadable, collections_in, read_documents  # noqa: E402

ID = ObjectId("507f1f77bcf86cd799439011")
DOCUMENT: dict[str, Any] = {
    "_id": ID,
    "name": "Ann",
    "createdAt": datetime(2024, 1, 31, 9, 30, tzinfo=UTC),
    "tags": [ID],
    "price": Decimal128("2.50"),
    "size": Int64(5),
    "inner": {"at": datetime(2024, 2, 1, tzinfo=UTC)},
    "odd": bson.Regex("a"),
}
PLAIN = {
    "_id": str(ID),
    "name": "Ann",
    "createdAt": "2024-01-31T09:30:00.000Z",
    "tags": [str(ID)],
    "price": 2.5,
    "size": 5,
    "inner": {"at": "2024-02-01T00:00:00.000Z"},
    "odd": None,
}


def as_json(mode: Any = json_util.CANONICAL_JSON_OPTIONS) -> str:
    return json_util.dumps(DOCUMENT, json_options=mode)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("contacts.json", as_json() + "\n" + as_json(json_util.RELAXED_JSON_OPTIONS) + "\n\n"),
        ("contacts.jsonl", "\n " + as_json() + "\n" + as_json()),
        ("contacts.json", f"[{as_json()},\n{as_json(json_util.RELAXED_JSON_OPTIONS)}]"),
        ("contacts.bson", bson.encode(DOCUMENT) * 2),
        ("contacts.bson.gz", gzip.compress(bson.encode(DOCUMENT) * 2)),
        ("contacts.json.gz", gzip.compress((as_json() + "\n" + as_json()).encode())),
    ],
)
def test_documents_are_read(tmp_path: Path, name: str, content: str | bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert list(read_documents(path)) == [(1, PLAIN), (2, PLAIN)]


def test_a_bad_line_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "contacts.json"
    path.write_text("\n".join([as_json(), "{", '"text"', '{"_id": {"$oid": "x"}}', as_json()]))
    found = list(read_documents(path))
    assert [number for number, _ in found] == [1, 2, 3, 4, 5]
    assert (found[0][1], found[4][1]) == (PLAIN, PLAIN)
    assert [isinstance(document, str) for _, document in found] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [("tags.bson", bson.encode(DOCUMENT) + b"\x50\0\0\0rest", 2), ("tags.json", b'[{"a": 1}, {', 1)],
)
def test_a_file_that_breaks_off_says_where(tmp_path: Path, name: str, content: bytes, place: int) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Unreadable) as caught:
        list(read_documents(tmp_path / name))
    assert caught.value.place == place


def test_an_empty_file_has_no_documents(tmp_path: Path) -> None:
    for name in ("tags.json", "leads.bson"):
        (tmp_path / name).write_bytes(b"")
        assert list(read_documents(tmp_path / name)) == []


def test_collections_are_found_by_their_names_in_the_order_of_their_references(tmp_path: Path) -> None:
    folder = tmp_path / "dump" / "app"
    folder.mkdir(parents=True)
    names = ("Leads.bson", "contacts.bson", "contacts.metadata.json", "custom_fields.json", "productServices.jsonl")
    for name in (*names, "users.bson", "tags.bson.gz", "emailtemplates.json", "readme.txt"):
        (folder / name).touch()
    assert {kind: path.name for kind, path in collections_in(tmp_path).items()} == {
        "custom-field": "custom_fields.json",
        "tag": "tags.bson.gz",
        "product-service": "productServices.jsonl",
        "contact": "contacts.bson",
        "lead": "Leads.bson",
        "template": "emailtemplates.json",
    }
    assert [*collections_in(tmp_path)][-3:] == ["contact", "lead", "template"]
    (tmp_path / "contact.json").touch()
    with pytest.raises(ValueError, match="both of the kind contact"):
        collections_in(tmp_path)
