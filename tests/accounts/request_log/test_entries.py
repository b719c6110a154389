"""What the server log says of each request to the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import StreamingHttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.api_keys.views import ApiKeyViewSet
from accounts.request_log.middleware import ServerLogMiddleware
from accounts.request_log.recorder import store
from core.ids import new_id
from tests.accounts.request_log.helpers import Log, entry, rows
from tests.kit.cast import KEY, SESSION, Cast
from tests.kit.factories import ContactFactory


def read(response: Any) -> bytes:
    """The body; a request ends, and is logged, with the last byte of it."""
    return b"".join(response.streaming_content) if response.streaming else response.content


# What is written


def test_a_request_by_key(cast: Cast, logged: Log) -> None:
    before = timezone.now()
    cast.key.headers["user-agent"] = "robot/1.0"
    with cast.scope():
        contact = ContactFactory().pk
    answer = cast.key.client.get(f"{KEY}/contact/{contact}?verbose=1", headers=cast.key.headers)
    assert answer.status_code == 400  # the list's parameters are not taken here
    answer = cast.key.client.get(f"{KEY}/contact/{contact}", headers=cast.key.headers)
    assert answer.status_code == 200
    store(logged)
    found = rows()[1]
    assert (found["company_id"], found["member_id"], found["user_id"]) == (
        cast.company.pk,
        cast.owner.pk,
        cast.owner.user_id,
    )
    assert (found["api_key_id"], found["auth_path"], found["method"], found["status"]) == (
        cast.api_key.pk,
        "key",
        "GET",
        200,
    )
    assert (found["route"], found["path"]) == ("/contact/{id}", f"{KEY}/contact/{contact}")
    assert (found["request_bytes"], found["response_bytes"]) == (0, len(answer.content))
    assert (found["ip"], found["user_agent"]) == ("127.0.0.1", "robot/1.0")
    assert before <= found["created_at"] <= timezone.now()
    assert 0 < found["duration_ms"] < 60_000


def test_a_request_by_session(cast: Cast, logged: Log) -> None:
    assert cast.session.post("/tag", {"name": "Ä"}).status == 201
    (found,) = logged
    assert (found.company_id, found.member_id, found.user_id, found.api_key_id) == (
        cast.company.pk,
        cast.owner.pk,
        cast.owner.user_id,
        None,
    )
    assert (found.door, found.method, found.route, found.path) == ("session", "POST", "/tag", f"{SESSION}/tag")
    assert found.request_bytes == len('{"name":"Ä"}'.encode())


def test_a_person_alone_is_of_no_company(cast: Cast, logged: Log) -> None:
    token = {"Authorization": cast.session.headers["Authorization"]}
    assert Client().get("/api/private/profile", headers=token).status_code == 200
    (found,) = logged
    assert (found.door, found.route, found.user_id, found.company_id, found.member_id) == (
        "private",
        "/profile",
        cast.owner.user_id,
        None,
        None,
    )


def test_what_nobody_was_authenticated_for(cast: Cast, logged: Log) -> None:
    client = Client(raise_request_exception=False)
    told = [
        ("GET", f"{KEY}/contact", {"apikey": "f" * 64}, 401, "key", "/contact"),
        (
            "GET",
            f"{SESSION}/contact",
            {"Authorization": "Bearer x", "authmember": cast.owner.pk},
            401,
            "session",
            "/contact",
        ),
        ("POST", "/api/public/login", {"content-type": "application/json"}, 400, "public", "/login"),
        ("GET", "/api/nowhere", {}, 404, "", ""),
        ("GET", f"{KEY}/nowhere", cast.key.headers, 404, "key", ""),
        ("GET", f"{KEY}/contact", {"host": "evil.example/../"}, 400, "key", ""),
    ]
    for method, path, headers, status, auth_path, route in told:
        logged.clear()
        answer = client.generic(method, path, b"no json", headers=headers)
        (found,) = logged
        assert (answer.status_code, found.status) == (status, status), path
        assert (found.method, found.path, found.door, found.route) == (method, path, auth_path, route)
        assert (found.company_id, found.member_id, found.user_id, found.api_key_id) == (None, None, None, None)


@pytest.mark.unexpected
def test_refusals_name_the_actor(cast: Cast, logged: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cast.narrow_session.get("/tag").status == 403
    assert cast.key.call("PATCH", "/tag").status == 404
    client = cast.key.client
    assert (
        client.generic(
            "POST", f"{KEY}/tag", b"{", content_type="application/json", headers=cast.key.headers
        ).status_code
        == 400
    )
    monkeypatch.setattr(ApiKeyViewSet, "answer_list", None)
    assert cast.key.get("/api").status == 500
    assert [found.status for found in logged] == [403, 404, 400, 500]
    assert [found.member_id for found in logged] == [cast.narrow.pk, *[cast.owner.pk] * 3]
    assert {found.company_id for found in logged} == {cast.company.pk}


def test_only_the_api_is_logged(cast: Cast, logged: Log) -> None:
    docs = ("/api/schema", "/api/schema/", "/api/schema/key", "/api/docs", "/api/docs/", "/api/docs/tag")
    for path in (*docs, "/api/public/health", "/admin/login/", "/", "/nowhere", "/apifoo"):
        Client().get(path)
    assert logged == []


# Streams


def test_a_stream_is_counted_and_logged_at_its_end(cast: Cast, logged: Log) -> None:
    with cast.scope():
        ContactFactory.create_batch(3)
    response = cast.key.client.get(f"{KEY}/contact", headers=cast.key.headers)
    assert response.streaming
    assert logged == []
    content = read(response)
    (found,) = logged
    assert (found.response_bytes, found.status, found.company_id) == (len(content), 200, cast.company.pk)


def streamed(pieces: Iterator[bytes]) -> Any:
    """A response to a request of the API that streams these pieces."""
    return ServerLogMiddleware(lambda request: StreamingHttpResponse(pieces))(RequestFactory().get("/api/public/x"))


def close(response: Any) -> None:
    """What the web server does in the end; the test's connection stays open."""
    request_finished.disconnect(close_old_connections)
    try:
        response.close()
    finally:
        request_finished.connect(close_old_connections)


def test_a_stream_that_breaks_is_a_500(logged: Log) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"12345"
        raise RuntimeError("no more")

    response = streamed(pieces())
    sent = iter(response.streaming_content)
    assert next(sent) == b"12345"
    with pytest.raises(RuntimeError, match="no more"):
        next(sent)
    close(response)
    assert [(found.status, found.response_bytes) for found in logged] == [(500, 5)]


def test_a_caller_who_hangs_up_gets_logged_with_what_was_sent(logged: Log) -> None:
    response = streamed(iter([b"12345", b"6789"]))
    next(iter(response.streaming_content))
    close(response)
    assert [(found.status, found.response_bytes) for found in logged] == [(200, 5)]


# What is never written

SECRETS = {
    "body": "s3cret-body-7f1",
    "query": "s3cret-query-7f2",
    "header": "s3cret-header-7f3",
    "cookie": "s3cret-cookie-7f4",
    "token": "eyJzZWNyZXQiOjF9.7f5",
    "path": "7f6s3cret",
}


def test_bodies_queries_headers_keys_and_tokens_are_never_written(cast: Cast, logged: Log) -> None:
    client = Client(raise_request_exception=False)
    headers = {
        **cast.key.headers,
        "x-custom": SECRETS["header"],
        "referer": SECRETS["header"],
        "cookie": f"a={SECRETS['cookie']}",
    }
    session = {**cast.session.headers, "x-custom": SECRETS["header"]}
    paths = (
        f"/tag?searchValue={SECRETS['query']}",
        f"/api/{cast.api_key.key}",
        f"/nowhere/{SECRETS['path']}",
        f"/contact/{SECRETS['path']}",
    )
    for method in ("GET", "POST", "PUT", "DELETE"):
        for path in paths:
            for prefix, sent in ((KEY, headers), (SESSION, session)):
                read(
                    client.generic(
                        method, prefix + path, f'{{"name": "{SECRETS["body"]}"}}', "application/json", headers=sent
                    )
                )
    public = (
        f"/api/public/unsubscribe/{SECRETS['token']}",
        f"/api/public/unknown/{SECRETS['token']}",
        f"/api/{cast.api_key.key}",
    )
    for path in public:
        client.get(path, headers={"x-custom": SECRETS["header"]})
    client.post(
        "/api/public/login", {"email": "a@example.com", "password": SECRETS["body"]}, content_type="application/json"
    )
    store(logged)
    assert len(rows()) == len(logged) == 36
    text = str(rows())
    bearer = cast.session.headers["Authorization"].removeprefix("Bearer ")
    for kind, secret in {
        **SECRETS,
        "key": cast.api_key.key,
        "bearer": bearer,
        "signature": bearer.rpartition(".")[2],
    }.items():
        assert secret not in text, kind
    assert {found.path for found in logged} >= {
        f"{KEY}/api/{{id}}",
        f"{KEY}/nowhere/…",
        "/api/public/unsubscribe/{token}",
        "/api/…",
    }


@pytest.mark.undescribed("a body that is too large is refused before its address is looked up")
def test_odd_requests_can_be_written(cast: Cast, logged: Log) -> None:
    client = Client(raise_request_exception=False)
    odd = {"user-agent": "bad\x00\x1bagent\ud800" + "x" * 1000}
    client.generic("GET", "/api/a%00b/%ff/" + "long" * 500, headers=odd)
    client.generic("PROPPATCH", "/api/x")
    client.generic("GET", "/api/x", CONTENT_LENGTH="9" * 30)
    client.generic("GET", "/api/x", REMOTE_ADDR="unix:")
    store(logged)
    assert [(row["method"], row["status"]) for row in rows()] == [
        ("GET", 404),
        ("PROPPATC", 404),
        ("GET", 400),  # too large for anybody without a log-in, whatever the address
        ("GET", 404),
    ]
    first, _, huge, unix = rows()
    assert first["path"] == "/api/…/…/…"
    assert first["user_agent"] == ("badagent" + "x" * 1000)[:300]
    assert huge["request_bytes"] == 0
    assert unix["ip"] is None


def test_company_and_member_that_are_gone_are_left_out(cast: Cast) -> None:
    gone = new_id()
    store([entry(company_id=gone, member_id=gone, user_id=gone), entry(company_id=cast.company.pk, member_id=gone)])
    assert [(row["company_id"], row["member_id"], row["user_id"]) for row in rows()] == [
        (None, None, gone),
        (cast.company.pk, None, None),
    ]


def test_a_batch_that_comes_twice_is_written_once(db: None) -> None:
    batch = [entry(), entry()]
    store(batch)
    store([*batch, entry()])
    assert len(rows()) == 3
