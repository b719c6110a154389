"""What the server log says of each request to the API, and GET /logs (contract 4.6)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.api import api_key_views
from accounts.logs.entry import Entry
from accounts.logs.middleware import ServerLogMiddleware
from accounts.logs.recorder import store
from accounts.models import ServerLog
from benchmarks.population import Tenant
from core.ids import new_id
from core.tenancy import as_owner, unscoped
from tests.cast import KEY, SESSION, Cast, make_cast
from tests.factories import ContactFactory
from tests.guards.test_plans import indexes, plan, walk

Log = list[Entry]


def entry(**values: Any) -> Entry:
    """An entry of a request by nobody, unless told otherwise."""
    now = timezone.now()
    given: dict[str, Any] = {
        "id": new_id(),
        "created_at": now,
        "updated_at": now,
        "company_id": None,
        "member_id": None,
        "user_id": None,
        "api_key_id": None,
        "door": "key",
        "method": "GET",
        "route": "/contact",
        "path": f"{KEY}/contact",
        "status": 200,
        "duration_ms": 1.5,
        "request_bytes": 0,
        "response_bytes": 10,
        "ip": "192.0.2.1",
        "user_agent": "test",
    }
    return Entry(**{**given, **values})


def rows() -> list[dict[str, Any]]:
    with unscoped(reason="test: the rows of all companies and of nobody"):
        return list(ServerLog.objects.order_by("created_at", "id").values())


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
    assert (found["company_id"], found["member_id"], found["user_id"]) == (cast.company.pk, cast.owner.pk, cast.owner.user_id)
    assert (found["api_key_id"], found["door"], found["method"], found["status"]) == (cast.api_key.pk, "key", "GET", 200)
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
        ("GET", f"{SESSION}/contact", {"Authorization": "Bearer x", "authmember": cast.owner.pk}, 401, "session", "/contact"),
        ("POST", "/api/public/login", {"content-type": "application/json"}, 400, "public", "/login"),
        ("GET", "/api/nowhere", {}, 404, "", ""),
        ("GET", f"{KEY}/nowhere", cast.key.headers, 404, "key", ""),
        ("GET", f"{KEY}/contact", {"host": "evil.example/../"}, 400, "key", ""),
    ]
    for method, path, headers, status, door, route in told:
        logged.clear()
        answer = client.generic(method, path, b"no json", headers=headers)
        (found,) = logged
        assert (answer.status_code, found.status) == (status, status), path
        assert (found.method, found.path, found.door, found.route) == (method, path, door, route)
        assert (found.company_id, found.member_id, found.user_id, found.api_key_id) == (None, None, None, None)


def test_refusals_name_the_actor(cast: Cast, logged: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cast.narrow_session.get("/tag").status == 403
    assert cast.key.call("PATCH", "/tag").status == 405
    client = cast.key.client
    assert client.generic("POST", f"{KEY}/tag", b"{", content_type="application/json", headers=cast.key.headers).status_code == 400
    monkeypatch.setattr(api_key_views, "API_KEY_FIELDS", None)
    assert cast.key.get("/api").status == 500
    assert [found.status for found in logged] == [403, 405, 400, 500]
    assert [found.member_id for found in logged] == [cast.narrow.pk, *[cast.owner.pk] * 3]
    assert {found.company_id for found in logged} == {cast.company.pk}


def test_only_the_api_is_logged(cast: Cast, logged: Log) -> None:
    for path in ("/api/schema", "/api/docs", "/api/public/health", "/admin/login/", "/", "/nowhere", "/apifoo"):
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


def test_a_stream_that_breaks_is_a_500(logged: Log) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"12345"
        raise RuntimeError("no more")

    response = streamed(pieces())
    sent = iter(response.streaming_content)
    assert next(sent) == b"12345"
    with pytest.raises(RuntimeError, match="no more"):
        next(sent)
    response.close()
    assert [(found.status, found.response_bytes) for found in logged] == [(500, 5)]


def test_a_caller_who_hangs_up_gets_logged_with_what_was_sent(logged: Log) -> None:
    response = streamed(iter([b"12345", b"6789"]))
    next(iter(response.streaming_content))
    response.close()
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
    headers = {**cast.key.headers, "x-custom": SECRETS["header"], "referer": SECRETS["header"], "cookie": f"a={SECRETS['cookie']}"}
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
                read(client.generic(method, prefix + path, f'{{"name": "{SECRETS["body"]}"}}', "application/json", headers=sent))
    public = (f"/api/public/unsubscribe/{SECRETS['token']}", f"/api/public/unknown/{SECRETS['token']}", f"/api/{cast.api_key.key}")
    for path in public:
        client.get(path, headers={"x-custom": SECRETS["header"]})
    client.post("/api/public/login", {"email": "a@example.com", "password": SECRETS["body"]}, content_type="application/json")
    store(logged)
    assert len(rows()) == len(logged) == 36
    text = str(rows())
    bearer = cast.session.headers["Authorization"].removeprefix("Bearer ")
    for kind, secret in {**SECRETS, "key": cast.api_key.key, "bearer": bearer, "signature": bearer.rpartition(".")[2]}.items():
        assert secret not in text, kind
    assert {found.path for found in logged} >= {f"{KEY}/api/{{id}}", f"{KEY}/nowhere/…", "/api/public/unsubscribe/{token}", "/api/…"}


def test_odd_requests_can_be_written(cast: Cast, logged: Log) -> None:
    client = Client(raise_request_exception=False)
    odd = {"user-agent": "bad\x00\x1bagent\ud800" + "x" * 1000}
    client.generic("GET", "/api/a%00b/%ff/" + "long" * 500, headers=odd)
    client.generic("PROPPATCH", "/api/x")
    client.generic("GET", "/api/x", CONTENT_LENGTH="9" * 30)
    client.generic("GET", "/api/x", REMOTE_ADDR="unix:")
    store(logged)
    assert [(row["method"], row["status"]) for row in rows()] == [("GET", 404), ("PROPPATC", 404), ("GET", 404), ("GET", 404)]
    first, _, huge, unix = rows()
    assert first["path"] == "/api/…/…/…"
    assert first["user_agent"] == ("badagent" + "x" * 1000)[:300]
    assert huge["request_bytes"] == 0
    assert unix["ip"] is None


def test_company_and_member_that_are_gone_are_left_out(cast: Cast) -> None:
    gone = new_id()
    store([entry(company_id=gone, member_id=gone, user_id=gone), entry(company_id=cast.company.pk, member_id=gone)])
    assert [(row["company_id"], row["member_id"], row["user_id"]) for row in rows()] == [(None, None, gone), (cast.company.pk, None, None)]


def test_a_batch_that_comes_twice_is_written_once(db: None) -> None:
    batch = [entry(), entry()]
    store(batch)
    store([*batch, entry()])
    assert len(rows()) == 3


# GET /logs


@pytest.fixture
def told(cast: Cast, outsiders: Cast) -> list[Entry]:
    """Four requests of the company, the newest first; one of another company and one of nobody."""
    now = timezone.now()
    mine = {"company_id": cast.company.pk, "user_id": cast.owner.user_id, "member_id": cast.owner.pk}
    entries = [
        entry(**mine, created_at=now, duration_ms=5.0, api_key_id=cast.api_key.pk),
        entry(**mine, created_at=now - timedelta(minutes=1), duration_ms=80.25, status=404, method="PUT", route="/tag/{id}"),
        entry(**mine, created_at=now - timedelta(hours=2), duration_ms=7.0, status=500, door="session", path=f"{SESSION}/lead"),
        entry(company_id=cast.company.pk, user_id=new_id(), created_at=now - timedelta(hours=3), ip=None),
    ]
    store([*entries, entry(company_id=outsiders.company.pk), entry()])
    return entries


def ids(answer: Any) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["_id"] for row in answer.data]


def test_the_list_shows_the_companys_requests_newest_first(cast: Cast, told: Log) -> None:
    answer = cast.key.get("/logs")
    assert ids(answer) == [one.id for one in told]
    assert answer.body["totalCount"] == 4
    first = answer.data[0]
    assert first["member"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert first["user"] == {"_id": cast.owner.user_id, "name": cast.owner.user.name, "email": cast.owner.user.email}
    assert (first["door"], first["method"], first["route"], first["path"], first["status"]) == (
        "key",
        "GET",
        "/contact",
        f"{KEY}/contact",
        200,
    )
    assert (first["durationMs"], first["requestBytes"], first["responseBytes"]) == (5.0, 0, 10)
    assert (first["apiKey"], first["ip"], first["userAgent"]) == (cast.api_key.pk, "192.0.2.1", "test")
    gone = answer.data[3]
    assert (gone["user"], gone["member"], gone["ip"]) == ({"_id": told[3].user_id, "name": None, "email": None}, None, None)
    assert set(first) == set(gone)
    assert len(first) == 16


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"filters": {"status": [404, 500]}}, [1, 2]),
        ({"filters": {"method": "PUT"}}, [1]),
        ({"filters": {"door": "session"}}, [2]),
        ({"filters": {"route": "/tag/{id}"}}, [1]),
        ({"filters": {"apiKey": None}}, [1, 2, 3]),
        ({"filters": {"ip": "192.0.2.1"}}, [0, 1, 2]),
        ({"filters": {"ip": "no address"}}, []),
        ({"filters": {"ip": None}}, [3]),
        ({"filters": {"member": None}}, [3]),
        ({"advancedFilters": {"operator": "and", "conditions": [{"field": "durationMs", "operator": "greaterThan", "value": 6}]}}, [1, 2]),
        (
            {
                "advancedFilters": {
                    "operator": "and",
                    "conditions": [{"field": "createdAt", "operator": "withinLast", "value": {"amount": 1, "unit": "hours"}}],
                }
            },
            [0, 1],
        ),
        ({"sortBy": "durationMs", "sortOrder": "asc", "filters": {"apiKey": None}}, [3, 2, 1]),
        ({"sortBy": "status,createdAt", "sortOrder": "desc,asc"}, [2, 1, 3, 0]),
        ({"sortBy": "user.email,createdAt"}, [0, 1, 2, 3]),
        ({"searchValue": "lead"}, [2]),
        ({"searchBy": "route", "searchValue": "TAG"}, [1]),
    ],
)
def test_filters_sorts_and_searches(cast: Cast, told: Log, query: dict[str, Any], expected: list[int]) -> None:
    assert ids(cast.key.get("/logs", **query)) == [told[n].id for n in expected]
    assert ids(cast.session.get("/logs", p="1", n="10", **query)) == [told[n].id for n in expected]


def test_by_user(cast: Cast, told: Log) -> None:
    mine = [one.id for one in told[:3]]
    assert ids(cast.key.get("/logs", filters={"user": cast.owner.user_id})) == mine
    assert ids(cast.key.get("/logs", filters={"user.email": cast.owner.user.email})) == mine
    assert ids(cast.key.get("/logs", searchValue=cast.owner.user.email.upper())) == mine
    assert ids(cast.key.get("/logs", searchBy="member.name", searchValue=cast.owner.name)) == mine


def test_pages_by_cursor(cast: Cast, told: Log) -> None:
    page = cast.key.get("/logs", cursorPagination="true", n="3")
    assert ids(page) == [one.id for one in told[:3]]
    store([entry(company_id=cast.company.pk)])
    rest = cast.key.get("/logs", cursor=page.body["nextCursor"], n="3")
    assert (ids(rest), rest.body["nextCursor"]) == ([told[3].id], None)


def test_what_is_malformed_is_a_400(cast: Cast) -> None:
    for query in (
        {"sortBy": "userId"},
        {"filters": {"status": "bad"}},
        {"filters": {"user": "x"}},
        {"searchBy": "status"},
        {"colour": "1"},
    ):
        assert cast.key.get("/logs", **query).status == 400, query
    assert cast.key.post("/logs", {}).status == 405


def test_other_companies_and_nobodys_requests_are_hidden(cast: Cast, outsiders: Cast, told: Log) -> None:
    assert cast.key.get("/logs", ids=",".join(row["id"] for row in rows())).body["totalCount"] == len(told)
    assert outsiders.key.get("/logs").body["totalCount"] == 1


def test_the_role_decides(db: None) -> None:
    allowed = make_cast({"logs": {"GET": True}})
    assert allowed.narrow_session.get("/logs").status == 200
    assert make_cast().narrow_session.get("/logs").status == 403


def test_as_many_queries_for_many_rows_as_for_few(cast: Cast, told: Log) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert cast.key.get("/logs", p="1", n="100").status == 200
        return len(queries)

    count()  # notes the key's use
    few = count()
    store([entry(company_id=cast.company.pk, member_id=cast.owner.pk, user_id=cast.owner.user_id) for _ in range(50)])
    assert count() == few


@pytest.fixture
def many(cast: Cast, outsiders: Cast) -> Cast:
    """A company with 2,000 requests beside one with 8,000."""
    start = timezone.now() - timedelta(days=10)
    for company, count in ((cast.company.pk, 2_000), (outsiders.company.pk, 8_000)):
        moments = (start + timedelta(seconds=60 * n) for n in range(count))
        store([entry(company_id=company, created_at=moment, user_id=cast.owner.user_id) for moment in moments])
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ANALYZE")
    return cast


def test_pages_come_from_the_index_of_the_company(many: Cast) -> None:
    first = {"n": "50", "cursorPagination": "true"}
    token = many.key.get("/logs", **first).body["nextCursor"]
    for query in (first, {"n": "50", "cursor": token}, {"p": "3", "n": "50"}):
        with CaptureQueriesContext(connection) as captured:
            assert len(many.key.get("/logs", **query).data) == 50
        page = next(
            one["sql"] for one in captured.captured_queries if 'FROM "accounts_serverlog"' in one["sql"] and "LIMIT 5" in one["sql"]
        )
        found = plan(Tenant(many.company.pk, many.owner.pk, "", 0), page)
        assert "serverlog_newest" in indexes(found), found
        assert not {"Sort", "Incremental Sort", "Seq Scan"} & {
            node["Node Type"] for node in walk(found) if node.get("Relation Name", "accounts_serverlog") == "accounts_serverlog"
        }, found


@pytest.mark.django_db(transaction=True)
def test_the_whole_list_is_one_state_however_much_is_written_meanwhile() -> None:
    cast = make_cast()
    start = timezone.now() - timedelta(hours=2)
    store([entry(company_id=cast.company.pk, created_at=start + timedelta(milliseconds=n)) for n in range(4_100)])
    response = cast.key.client.get(f"{KEY}/logs", headers=cast.key.headers)
    pieces = iter(response.streaming_content)
    sent = [next(pieces)]

    def write() -> None:
        try:
            store(
                [entry(company_id=cast.company.pk, created_at=moment) for moment in (start, start + timedelta(seconds=2), timezone.now())]
            )
        finally:
            connection.close()

    for piece in pieces:
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(10)
        sent.append(piece)
    assert [piece.count(b'"door":') for piece in sent] == [2000, 2000, 100, 0]
    assert b'"totalCount":4100,' in sent[-1]
    assert cast.key.get("/logs", p="1", n="1").body["totalCount"] == 4_100 + 3 * 3
