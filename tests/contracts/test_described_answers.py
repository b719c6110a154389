"""That the check of every answer against the OpenAPI schema (tests.kit.openapi) finds what is wrong, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from django.test import Client

from core.ids import new_id
from core.messages import forget
from core.models import ResponseMessage
from tests.kit.cast import KEY, Cast
from tests.kit.openapi import Undescribed, check

TAG = f"{KEY}/tag/{new_id()}"
JSON = "application/json"
FAILURE = {
    "status": "fail",
    "success": False,
    "name": "TagNotFound_400",
    "message": "Tag not found.",
    "warning": "",
}


def body(**values: Any) -> bytes:
    return orjson.dumps({**FAILURE, **values})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (("GET", TAG, 418, JSON, body()), "the schema describes 200, 400, 401, 403, 429, 500, 503"),
        (("GET", TAG, 400, "text/html", b"<p>"), "the schema describes application/json"),
        (("GET", TAG, 400, JSON, body(success="no")), "success: "),
        (("GET", TAG, 400, JSON, body(message=None)), "message: "),
        (("GET", TAG, 200, JSON, body()), "body: "),
        (("GET", TAG, 500, JSON, body(status="error", message="Something went wrong")), "an error that nobody foresaw"),
        (("PATCH", TAG, 400, JSON, body()), "does not know the method, so 404 is right"),
        (("GET", f"{KEY}/nowhere", 400, JSON, body()), "does not know the path, so 404 is right"),
        (("GET", f"{KEY}/nowhere", 404, JSON, b"{}"), "body: "),
    ],
)
def test_what_is_not_described_is_found(answer: tuple[str, str, int, str, bytes], said: str) -> None:
    with pytest.raises(Undescribed) as caught:
        check(*answer)
    assert str(caught.value).startswith(f"{answer[0]} {answer[1]} -> {answer[2]}")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        ("GET", TAG, 400, JSON, body()),
        ("GET", TAG, 200, JSON, None),
        ("PATCH", TAG, 404, JSON, body()),
        ("HEAD", TAG, 200, JSON, b""),
        ("GET", f"{KEY}/nowhere", 404, JSON, body()),
        ("GET", "/admin/", 302, "text/html", b""),
    ],
)
def test_what_is_described_passes(answer: tuple[str, str, int, str, bytes | None]) -> None:
    check(*answer)


@pytest.fixture
def messages() -> Iterator[None]:
    """Read the kept messages again before and after the test."""
    forget()
    yield
    forget()


def test_the_test_client_checks_each_answer(cast: Cast, messages: None) -> None:
    assert cast.key.get("/tag").status == 200
    ResponseMessage.objects.filter(name="TagNotFound_400").update(status=418)
    forget()
    with pytest.raises(Undescribed, match="418"):
        cast.key.get(TAG.removeprefix(KEY))
    with pytest.raises(Undescribed, match="418"):
        Client().get(TAG, headers=cast.key.headers)


def test_streams_are_checked_when_they_have_been_read(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "core.api.pagination.envelope", lambda name: (200, {"status": "success", "success": "yes", "message": "OK"})
    )
    with pytest.raises(Undescribed, match="success: "):
        cast.key.get("/tag")
