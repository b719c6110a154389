"""GET, POST, DELETE /apps/bucket, GET, PUT /apps/bucket/:id, POST /apps/bucket/:id/test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from core import s3
from core.s3 import S3Failed, S3Place
from crm.models import Bucket
from tests.kit.cast import Cast
from tests.kit.s3_server import ACCESS, SECRET, Buckets, refusing_storage

MISSING = "0" * 24


def test_a_bucket_is_connected_changed_tested_and_deleted(
    cast: Cast, outsiders: Cast, buckets: Buckets, box: str, bucket: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    place = f"/apps/bucket/{bucket['_id']}"
    known = ("name", "subpath", "maskedAccesskey", "isDefault", "isActive", "verified", "lastError")
    assert [bucket[name] for name in known] == [box, "crm/files", "…WXYZ", True, True, True, ""]
    assert buckets.objects(box) == {}, "what it was tried with is gone"
    assert cast.narrow_session.get("/apps/bucket").status == 403
    assert outsiders.key.get(place).body["message"] == "Connected app not found."
    assert outsiders.key.get("/apps/bucket").data == []

    other = buckets.make(f"{box}-b")
    second = cast.key.post("/apps/bucket", {**other, "isDefault": True}).data
    assert (cast.key.get(place).data["isDefault"], second["isDefault"]) == (False, True)
    changed = cast.session.put(place, {"subpath": "", "isDefault": True, "secretkey": "", "accesskey": ""})
    assert (changed.status, changed.data["subpath"], changed.data["isDefault"]) == (200, "", True)
    lone = cast.key.put(place, {"accesskey": "AKIDOTHER"})
    assert (lone.status, lone.body["warning"]) == (400, "accesskey, secretkey: enter both, or leave both empty")

    s3.client(buckets.place(f"{box}-b")).delete_bucket(Bucket=f"{box}-b")
    tested = cast.key.post(f"/apps/bucket/{second['_id']}/test").data
    assert (tested["ok"], tested["code"]) == (False, "NoSuchBucket")
    assert cast.key.get(f"/apps/bucket/{second['_id']}").data["lastError"] == tested["detail"]
    assert cast.key.post(f"{place}/test").data["ok"] is True
    refused = cast.key.put(f"/apps/bucket/{second['_id']}", {"subpath": "x"})
    assert (refused.status, refused.body["message"]) == (400, "The log-in details are wrong.")
    assert refused.body["warning"].startswith("NoSuchBucket: ")
    off = cast.key.put(f"/apps/bucket/{second['_id']}", {"isActive": False})
    assert (off.status, off.data["isActive"]) == (200, False), "a bucket that is gone can be switched off"

    with cast.scope(), connection.cursor() as cursor:
        assert Bucket.objects.get(pk=bucket["_id"]).secretkey == SECRET
        cursor.execute("SELECT json_agg(b)::text FROM crm_bucket b")
        stored = cursor.fetchone()[0]
    deleted = cast.key.delete("/apps/bucket", {"ids": [second["_id"]]}).data
    assert deleted == {"deletedCount": 1, "deactivatedCount": 0}
    assert cast.key.delete("/apps/bucket", {"ids": [MISSING]}).status == 400
    shown = json.dumps([cast.key.get("/apps/bucket").body, cast.key.get(place).body, changed.body, refused.body])
    for key in (ACCESS, SECRET):
        assert key not in shown + caplog.text + stored


@pytest.mark.parametrize("status", [500, 503])
def test_a_storage_that_is_down_is_no_wrong_configuration(
    cast: Cast, bucket: dict[str, Any], monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with refusing_storage(status, "SlowDown") as asked:
        answer = cast.key.post("/apps/bucket", Buckets(asked[0]).body("box-1"))
    assert (answer.status, answer.body["message"]) == (400, "The file could not be uploaded. Try again.")
    assert answer.body["warning"] == "SlowDown: The storage answers with an error (SlowDown)."
    gone = cast.key.post("/apps/bucket", Buckets("http://127.0.0.1:1").body("box-1"))
    assert (gone.status, gone.body["message"]) == (400, "The file could not be uploaded. Try again.")
    assert gone.body["warning"] == "unreachable: 127.0.0.1 could not be reached."
    assert [one["_id"] for one in cast.key.get("/apps/bucket").data] == [bucket["_id"]]


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (403, "AccessDenied", "refuses these keys"),
        (404, "NoSuchBucket", "no bucket of this name"),
        (400, "AuthorizationHeaderMalformed", "in another region"),
        (400, "a b", "answers with an error (400)"),
        (400, "<b>x</b>", "something that S3 does not know"),
        (400, "x" * (2 << 20), "more than it has to say"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_storage_that_refuses_is_not_connected(cast: Cast, status: int, code: str, words: str) -> None:
    with refusing_storage(status, code) as asked:
        body = {**Buckets(asked[0]).body("box-1"), "subpath": "in"}
        answer = cast.key.post("/apps/bucket", body)
    assert (answer.status, answer.body["message"]) == (400, "The log-in details are wrong.")
    assert words in answer.body["warning"]
    assert SECRET not in json.dumps(answer.body)
    assert asked[1].startswith("PUT /box-1/in/.leadwright-")
    assert cast.key.get("/apps/bucket").data == []


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"endpoint": "http://169.254.169.254"}, "endpoint: 169.254.169.254 is an address inside this network"),
        ({"endpoint": "https://user:pw@s3.example.org"}, "endpoint: Write it as"),
        ({"endpoint": "ftp://127.0.0.1"}, "endpoint: Write it as"),
        ({"region": "eu.attacker.example/"}, "region: enter a region"),
        ({"name": "../other"}, "name: use 3 to 255 letters"),
        ({"subpath": "a/../../b"}, "subpath: enter folders"),
        ({"secretkey": "one two"}, "secretkey: check the value"),
    ],
)
def test_what_is_no_bucket_is_refused_before_anything_is_sent(cast: Cast, values: dict[str, str], named: str) -> None:
    with refusing_storage(200, "") as asked:
        answer = cast.key.post("/apps/bucket", {**Buckets(asked[0]).body("box-1"), **values})
    assert answer.status == 400
    assert answer.body["warning"].startswith(named)
    assert len(asked) == 1


def test_the_machine_lends_its_buckets_no_keys_and_no_proxy(
    buckets: Buckets, box: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = "http://127.0.0.1:9"
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, nowhere)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-the-machine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-the-machine")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    s3.check(S3Place(buckets.url, "eu-central-1", box, "other-key", "other"), "x")
    with pytest.raises(S3Failed, match="no keys"):
        s3.check(S3Place(buckets.url, "eu-central-1", box, "", ""), "x")
