"""Compression: pages, answers of the API, errors and streams for callers that accept gzip; downloads as they are."""

from __future__ import annotations

import gzip
import io
import re
from typing import Any

import orjson
import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from config.serving.compression import CompressionMiddleware
from tests.kit.cast import KEY, SESSION, Cast
from tests.kit.factories import ContactFactory

GZIP = {"accept-encoding": "gzip, deflate, br"}
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def unpacked(response: Any) -> bytes:
    """Return the content that a caller reads."""
    assert response["Content-Encoding"] == "gzip"
    return gzip.decompress(b"".join(response.streaming_content) if response.streaming else response.content)


@pytest.fixture
def contacts(cast: Cast) -> Cast:
    with cast.scope():
        ContactFactory.create_batch(20)
    return cast


@pytest.mark.parametrize("mount", [KEY, SESSION])
def test_lists_are_compressed_on_both_paths(contacts: Cast, mount: str) -> None:
    caller = contacts.key if mount == KEY else contacts.session
    plain = Client().get(f"{mount}/contact?p=1&n=20", headers=caller.headers)
    packed = Client().get(f"{mount}/contact?p=1&n=20", headers={**caller.headers, **GZIP})
    assert orjson.loads(unpacked(packed))["data"] == orjson.loads(plain.content)["data"]
    assert len(packed.content) * 3 < len(plain.content)
    assert packed["Content-Length"] == str(len(packed.content))
    assert "Content-Encoding" not in plain
    for response in (plain, packed):
        assert "Accept-Encoding" in response["Vary"]
        assert response["Cache-Control"] == "no-store"


def test_whole_sets_are_compressed_as_they_stream(contacts: Cast) -> None:
    packed = Client().get(f"{KEY}/contact", headers={**contacts.key.headers, **GZIP})
    assert packed.streaming
    assert "Content-Length" not in packed
    assert len(orjson.loads(unpacked(packed))["data"]) == 20


def test_records_keep_their_etag_and_are_not_sent_twice(contacts: Cast) -> None:
    with contacts.scope():
        path = f"{KEY}/contact/{ContactFactory().pk}"
    plain = Client().get(path, headers=contacts.key.headers)
    packed = Client().get(path, headers={**contacts.key.headers, **GZIP})
    assert unpacked(packed) == plain.content
    assert packed["ETag"] == plain["ETag"]
    assert packed["ETag"].startswith('W/"')
    known = Client().get(path, headers={**contacts.key.headers, **GZIP, "if-none-match": packed["ETag"]})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", packed["ETag"])
    assert "Accept-Encoding" in known["Vary"]
    changed = Client().put(
        path,
        {"formData": {"name": "Other"}},
        content_type="application/json",
        headers={**contacts.key.headers, **GZIP, "if-match": packed["ETag"]},
    )
    assert (changed.status_code, orjson.loads(unpacked(changed))["data"]["formData"]["name"]) == (200, "Other")


def test_head_says_what_get_sends_but_for_the_random_bytes(contacts: Cast) -> None:
    head = Client().head(f"{KEY}/contact?p=1&n=20", headers={**contacts.key.headers, **GZIP})
    assert (head.status_code, head["Content-Encoding"], head.content) == (200, "gzip", b"")


def test_errors_are_compressed_unless_they_are_tiny(cast: Cast) -> None:
    long = Client().get(f"{KEY}/contact?{'x' * 300}=1", headers={**cast.key.headers, **GZIP})
    assert long.status_code == 400
    assert orjson.loads(unpacked(long))["success"] is False
    tiny = Client().get(f"{KEY}/contact", headers=GZIP)
    assert (tiny.status_code, "Content-Encoding" in tiny, len(tiny.content) < 200) == (401, False, True)


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip; q=0.0, br", "gzip;Q=0"])
def test_callers_that_do_not_accept_gzip_get_plain_answers(contacts: Cast, accepted: str) -> None:
    headers = {**contacts.key.headers, "accept-encoding": accepted}
    response = Client().get(f"{KEY}/contact?p=1&n=20", headers=headers)
    assert orjson.loads(response.content)["totalCount"] == 20
    assert "Content-Encoding" not in response
    assert "Accept-Encoding" in response["Vary"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/login", "/register", "/admin/login/", "/api/docs"])
def test_pages_and_docs_are_compressed(path: str) -> None:
    packed = Client().get(path, headers=GZIP)
    assert packed.status_code == 200
    assert unpacked(packed)
    assert "Accept-Encoding" in packed["Vary"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/login", "/register", "/admin/login/"])
def test_csrf_tokens_differ_in_each_answer_of_one_secret(path: str) -> None:
    client = Client()
    found = [token for _ in range(3) for token in CSRF.findall(unpacked(client.get(path, headers=GZIP)).decode())]
    secret = client.cookies["csrftoken"].value
    assert len(set(found)) >= 3
    assert not any(secret in token for token in found)


def test_exports_and_other_downloads_are_left_alone(contacts: Cast) -> None:
    made = Client().get(f"{KEY}/contact/export", headers={**contacts.key.headers, **GZIP})
    assert made.status_code == 200
    assert made["Content-Disposition"].startswith("attachment")
    assert "Content-Encoding" not in made
    assert b"".join(made.streaming_content) if made.streaming else made.content


def answered(response: Any) -> Any:
    """Return what the middleware makes of an answer."""
    request = RequestFactory().get("/files/x", headers=GZIP)
    return CompressionMiddleware(lambda _: response)(request)


def test_binary_contents_parts_and_downloads_are_not_touched() -> None:
    text = b"text " * 200
    part = HttpResponse(text, status=206, content_type="text/css", headers={"Content-Range": "bytes 0-999/2000"})
    download = HttpResponse(text, content_type="text/csv", headers={"Content-Disposition": 'attachment; filename="a"'})
    picture = HttpResponse(text, content_type="image/png")
    packed = HttpResponse(text, content_type="text/css", headers={"Content-Encoding": "br"})
    for response in (part, download, picture, packed):
        encoding = response.get("Content-Encoding")
        found = answered(response)
        assert (found.content, found.get("Content-Encoding")) == (text, encoding)


def test_files_that_are_shown_in_place_are_compressed_as_a_stream() -> None:
    found = answered(FileResponse(io.BytesIO(b"line\n" * 5000), content_type="text/plain"))
    assert unpacked(found) == b"line\n" * 5000


@pytest.mark.django_db
def test_streams_are_closed_with_their_answer() -> None:
    closed = []

    class Rows:
        def __iter__(self) -> Any:
            return iter([b"{}" * 200])

        def close(self) -> None:
            closed.append(True)

    found = answered(StreamingHttpResponse(Rows(), content_type="application/json"))
    assert unpacked(found) == b"{}" * 200
    found.close()
    assert closed == [True]


def test_strong_etags_become_weak_where_the_bytes_differ() -> None:
    found = answered(HttpResponse(b"text " * 200, content_type="text/html", headers={"ETag": '"abc"'}))
    assert (found["ETag"], found["Content-Encoding"]) == ('W/"abc"', "gzip")
