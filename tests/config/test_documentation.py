"""/api/schema and /api/docs: both spellings, built once, compressed, not sent twice, closed by a setting."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config import documentation
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Counts how often the schema is generated, which is small here."""
    times: list[int] = []

    class Generator:
        def get_schema(self, **options: Any) -> dict[str, Any]:
            times.append(1)
            return {"openapi": "3.1.0", "paths": {"/api/private/x": {}}}

    monkeypatch.setattr(documentation, "SchemaGenerator", Generator)
    documentation._build.cache_clear()
    yield times
    documentation._build.cache_clear()


@pytest.mark.parametrize("path", ["/api/schema", "/api/schema/"])
def test_the_schema_is_built_once_and_sent_once(built: list[int], path: str) -> None:
    client = Client()
    first = client.get(path)
    assert (first.status_code, first["Content-Type"].partition(";")[0]) == (200, "application/vnd.oai.openapi+json")
    assert json.loads(first.content)["openapi"] == "3.1.0"
    assert first["Cache-Control"] == "public, no-cache"
    zipped = client.get(path, headers={"accept-encoding": "gzip, br"})
    assert (zipped["Content-Encoding"], zipped["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(zipped.content) == first.content
    again = client.get(path, headers={"if-none-match": first["ETag"], "accept-encoding": "gzip"})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    assert client.post(path).status_code == 405
    assert built == [1]


def test_the_published_schema_is_whole() -> None:
    found = json.loads(documentation.document().content)
    assert {"/api/key/protected/contact", "/api/protected/contact"} <= found["paths"].keys()


@pytest.mark.parametrize("path", ["/api/docs", "/api/docs/"])
def test_the_page_has_no_inline_script_and_may_load_nothing_foreign(path: str) -> None:
    client = Client()
    page = client.get(path)
    assert page.status_code == 200
    assert b"<script>" not in page.content
    assert b'<html lang="en">' in page.content
    assert "script-src 'self';" in page["Content-Security-Policy"]
    assert "default-src 'none'" in page["Content-Security-Policy"]
    script = client.get(path, {"script": ""})
    assert (script.status_code, script["Content-Type"]) == (200, "application/javascript")
    assert b"/api/schema" in script.content


def test_both_can_be_closed_to_the_public(built: list[int], settings: Any) -> None:
    settings.PUBLIC_API_DOCS = False
    member, staff = Client(), Client()
    member.force_login(UserFactory())
    staff.force_login(UserFactory(is_staff=True))
    for path in ("/api/schema", "/api/schema/", "/api/docs", "/api/docs/"):
        assert Client().get(path).status_code == 404
        assert member.get(path).status_code == 404
        assert staff.get(path).status_code == 200
    assert staff.get("/api/schema")["Cache-Control"] == "private, no-cache"
