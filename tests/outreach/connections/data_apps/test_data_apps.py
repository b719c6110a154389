"""/apps/lead-source and /apps/enrich: their values, their test call, and answers that go wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from outreach.connections.data_apps import transport
from outreach.connections.data_apps.paths import is_path, text_at, value_at_path
from outreach.models import DataApp
from outreach.prospecting.lead_sources.base import SourceQuery
from outreach.prospecting.lead_sources.http import HttpLeadSource
from tests.kit.ai_server import Raw
from tests.kit.cast import Cast, make_cast
from tests.kit.data_server import KEY, SOURCE_PATHS, DataServer, somebody

PATH = "/apps/lead-source"


def connected(cast: Cast, people: DataServer, kind: str = "lead-source", **values: Any) -> dict[str, Any]:
    body = {"name": "Finder", "url": people.url, "headerName": "X-Key", "apiKey": KEY, "fieldPaths": SOURCE_PATHS}
    answer = cast.key.post(f"/apps/{kind}", {**body, **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def test_a_source_is_connected_tested_changed_and_deleted(cast: Cast, people: DataServer, outsiders: Cast) -> None:
    made = connected(cast, people, method="GET", resultPath="people")
    assert (made["method"], made["timeoutSeconds"], made["isActive"], KEY in str(made)) == ("GET", 20, True, False)
    people.then({"people": [somebody("Bea"), {"fullName": "No address"}]})
    tested = cast.session.post(f"{PATH}/{made['_id']}/test").data
    assert (tested["ok"], tested["found"], tested["first"]["email"]) == (True, 1, "bea@berlin.example")
    asked = people.asked[0]
    assert (asked.method, asked.headers["x-key"], asked.values["count"]) == ("GET", KEY, "3")
    assert "filters" not in asked.values
    people.then(Raw(status=401))
    failed = cast.key.post(f"{PATH}/{made['_id']}/test").data
    assert (failed["ok"], failed["detail"]) == (False, "Finder does not accept the key (status 401).")
    assert cast.key.get(f"{PATH}/{made['_id']}").data["lastError"] == failed["detail"]
    changed = cast.key.put(f"{PATH}/{made['_id']}", {"name": "Other", "resultPath": ""})
    assert (changed.status, changed.data["name"]) == (200, "Other")
    for answer in (
        outsiders.key.get(f"{PATH}/{made['_id']}"),
        outsiders.key.put(f"{PATH}/{made['_id']}", {"name": "Mine"}),
        outsiders.key.post(f"{PATH}/{made['_id']}/test"),
        cast.key.get(f"/apps/enrich/{made['_id']}"),
        outsiders.key.delete(PATH, {"ids": [made["_id"]]}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "Connected app not found.")
    assert cast.key.delete(PATH, {"ids": [made["_id"]]}).data == {"deletedCount": 1}
    assert make_cast({"contact": {"GET": True}}).narrow_session.get(PATH).status == 403


def test_values_that_are_none_are_refused_by_their_names(cast: Cast, people: DataServer) -> None:
    good = {"name": "Finder", "url": people.url, "fieldPaths": SOURCE_PATHS}
    for values, named in (
        ({"url": "ftp://example.org"}, "url"),
        ({"url": "https://user:secret@example.org"}, "url"),
        ({"url": "http://169.254.169.254/latest/meta-data"}, "url"),
        ({"url": "https://example.org/#x"}, "url"),
        ({"headerName": "Host"}, "headerName"),
        ({"headerName": "X Key"}, "headerName"),
        ({"apiKey": "a\r\nX-Other: b"}, "apiKey"),
        ({"method": "PUT"}, "method"),
        ({"resultPath": "a..b"}, "resultPath"),
        ({"fieldPaths": {"shoeSize": "a"}}, "fieldPaths.shoeSize"),
        ({"fieldPaths": {"email": ""}}, "fieldPaths.email"),
        ({"fieldPaths": {"email": ["a"]}}, "fieldPaths.email"),
        ({"fieldPaths": {}}, "fieldPaths: a path of email or phone is needed"),
        ({"fieldPaths": {"name": "fullName"}}, "fieldPaths: a path of email or phone is needed"),
        ({"timeoutSeconds": 31}, "timeoutSeconds"),
        ({"secret": 1}, "secret"),
    ):
        answer = cast.key.post(PATH, {**good, **values})
        assert (answer.status, named in answer.body["warning"]) == (400, True), (values, answer.body)
    with cast.scope():
        assert not DataApp.objects.exists()


DEEP = b"[" * 100_000
HUGE = Raw(body=b'["' + b"x" * (transport.MAX_BYTES + 10) + b'"]')


@pytest.mark.parametrize(
    ("answer", "told", "temporary"),
    [
        (Raw(status=500), "status 500", True),
        (Raw(status=429), "status 429", True),
        (Raw(status=403), "does not accept the key", False),
        (Raw(status=302, headers={"Location": "http://127.0.0.1:1/"}), "redirect", False),
        (Raw(body=b"<html>"), "did not answer with JSON", False),
        (Raw(body=DEEP), "did not answer with JSON", False),
        (Raw(body=b'{"people": 5}'), "list of people", False),
        (Raw(body=b"[]", length=50), "broke", True),
        (Raw(body=b"[" + b" " * 200 + b"]", trickle=0.05), "did not answer within 1 seconds", True),
        (HUGE, "longer than", False),
    ],
    ids=["500", "429", "403", "redirect", "html", "deep", "no list", "cut", "slow", "huge"],
)
def test_what_goes_wrong_is_told(people: DataServer, answer: Raw, told: str, temporary: bool) -> None:
    app = DataApp(name="Finder", url=people.url, kind="lead-source", timeout_seconds=1, field_paths=SOURCE_PATHS)
    people.then(answer)
    with pytest.raises(transport.DataAppError) as raised:
        HttpLeadSource(app).search(SourceQuery(prompt="anybody"))
    assert told in raised.value.detail
    assert (raised.value.temporary, KEY in raised.value.detail) == (temporary, False)


def test_hostile_values_become_short_clean_lines(people: DataServer) -> None:
    nasty = somebody("Eve", role="a\x00b\r\nBcc: all\u202e" + "x" * 5000, profile={"a": 1}, employer=["list"])
    people.then(Raw(body=json.dumps([nasty, *[somebody(f"P{n}") for n in range(300)]]).encode()))
    app = DataApp(name="Finder", url=people.url, kind="lead-source", field_paths=SOURCE_PATHS)
    found = HttpLeadSource(app).search(SourceQuery(prompt="anybody"))
    assert (len(found), found[0].url, found[0].company) == (100, "", "")
    assert found[0].title.startswith("a b Bcc: allxxx")
    assert len(found[0].title) == 200


def test_paths_lead_to_values_or_to_nothing() -> None:
    value = {"a": [{"b": 1}, {"b": True}], "c d": {"0": "x"}}
    assert [value_at_path(value, path) for path in ("a.0.b", "a.5.b", "c d.0", "a.b", "a.00000000", "z")] == [
        *(1, None, "x", None, None),
        None,
    ]
    assert value_at_path(value, "") is value
    assert (text_at(value, "a.0.b", 9), text_at(value, "a.1.b", 9), text_at(value, "a", 9)) == ("1", "", "")
    assert [is_path(path) for path in ("", "a.b.0", "a..b", ".a", "a" + ".a" * 10, "$x.y-z")] == [
        *(True, True, False, False, False),
        True,
    ]
