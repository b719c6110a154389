"""What receivers echo, and requests that meet others."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from core.text.redaction import HIDDEN
from crm.models import Webhook
from crm.webhooks import services
from tests.crm.webhooks.helpers import Call, add, happen, receiver, rows, work
from tests.kit.cast import Cast, make_cast

KEY = "zq-echoed-key-zq"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_keys_that_a_receiver_echoes_are_not_kept(cast: Cast) -> None:
    def echo(call: Call) -> Any:
        assert call.headers["authorization"] == f"Bearer {KEY}"
        return 500, {}, orjson.dumps([call.headers, KEY])

    with receiver() as there:
        there.answers(echo)
        made = add(cast, there.url, headers={"Authorization": f"Bearer {KEY}"})
        happen(cast, "contact.deleted", new_id())
        work()
        tried = cast.key.post(f"/webhook/{made['_id']}/test")
    (kept,) = rows(cast, "response_body")
    for text in (kept[0], tried.data["answer"]):
        assert HIDDEN in text
        assert KEY not in text


def test_a_replay_takes_any_zone_and_meets_a_deletion(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    id = add(cast, "http://127.0.0.1:9/")["_id"]
    answer = cast.key.post(f"/webhook/{id}/replay", {"from": "2026-01-01T00:00:00+23:59"})
    assert answer.status < 300, answer.body
    happen(cast, "contact.deleted", new_id())
    read = services.feed.read

    def read_while_it_goes(**wanted: Any) -> Any:
        Webhook.objects.filter(pk=id).delete()
        return read(**wanted)

    monkeypatch.setattr(services.feed, "read", read_while_it_goes)
    answer = cast.key.post(f"/webhook/{id}/replay", {"from": "2026-01-01T00:00:00Z"})
    assert answer.status == 404, answer.body


@pytest.mark.parametrize(
    ("path", "body", "table"),
    [
        ("/webhook", {"url": "http://127.0.0.1:9/", "kinds": ["*"]}, "crm_webhook"),
        ("/workflow/secrets", {"name": "K", "host": "a.example", "value": "v"}, "workflows_workflowsecret"),
    ],
)
def test_limits_are_counted_behind_a_lock(cast: Cast, path: str, body: dict[str, Any], table: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert cast.key.post(path, body).status == 201
    told = [one["sql"] for one in queries.captured_queries]
    locked = next(place for place, sql in enumerate(told) if "pg_advisory_xact_lock" in sql and "leadwright" in sql)
    counted = next(place for place, sql in enumerate(told) if "COUNT(*)" in sql and table in sql)
    assert locked < counted
