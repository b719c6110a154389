"""/webhook"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from core.ids import new_id
from crm.models import Webhook, WebhookDelivery
from crm.webhooks import services
from tests.crm.contacts.helpers import form
from tests.crm.webhooks.helpers import Receiver, add, happen, receiver, rows, work
from tests.crm.webhooks.test_delivery import verifies
from tests.kit.cast import Cast, make_cast

URL = "http://127.0.0.1:9/"


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


def test_a_webhook_is_made_read_changed_and_deleted(cast: Cast) -> None:
    made = add(cast, URL, kinds=["contact.*", "contact.*"], headers={"X-Key": "canary-5b1"}, description="Sync")
    assert made["secret"].startswith("whsec_")
    assert (made["kinds"], made["status"], made["ordering"], made["payload"]) == (
        ["contact.*"],
        "enabled",
        "object",
        "full",
    )
    path = f"/webhook/{made['_id']}"
    read = cast.key.get(path)
    assert read.data == {name: value for name, value in made.items() if name != "secret"}
    assert "canary" not in str(read.body)
    assert cast.session.put(path, {**read.data, "status": "disabled"}).data["disabledReason"] == "member"
    assert cast.key.get("/webhook", searchValue="sync").data[0]["_id"] == made["_id"]
    with connection.cursor() as cursor, cast.scope():
        cursor.execute("SELECT w::text FROM crm_webhook w")
        stored = cursor.fetchone()[0]
    assert made["secret"] not in stored
    assert "canary" not in stored
    happen(cast, "contact.deleted", new_id())
    assert cast.key.delete("/webhook", {"ids": [made["_id"]]}).data == {"deletedCount": 1}
    assert (cast.key.get(path).status, cast.key.get(f"{path}/deliveries").status) == (404, 404)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": "https://user:pw@example.org/"}, "url"),
        ({"url": "https://example.org/#x"}, "url"),
        ({"url": "https://exa mple.org/"}, "url"),
        ({"url": "https://example.org/\r\nX: y"}, "url"),
        ({"url": "https://" + "a" * 2100}, "url"),
        ({"kinds": []}, "kinds"),
        ({"kinds": ["contact.made"]}, "kinds"),
        ({"kinds": ["co*"]}, "kinds"),
        ({"kinds": [1]}, "kinds"),
        (
            {"filter": {"operator": "and", "conditions": [{"field": "name", "operator": "equals", "value": "x"}]}},
            "filter",
        ),
        ({"kinds": ["contact.*"], "filter": {"field": "no such", "operator": "equals"}}, "filter"),
        ({"kinds": ["contact.*"], "filter": {"conditions": "x"}}, "filter"),
        ({"kinds": ["contact.*"], "fields": ["email", "colour"]}, "fields"),
        ({"kinds": ["tag.deleted"], "filter": {"field": "name", "operator": "equals", "value": 1}}, "filter"),
        ({"headers": {"Host": "x"}}, "headers"),
        ({"headers": {"webhook-id": "x"}}, "headers"),
        ({"headers": {"X-A": "a\r\nB: c"}}, "headers"),
        ({"headers": {"X A": "a"}}, "headers"),
        ({"headers": {"X-A": 1}}, "headers"),
        ({"status": "on"}, "status"),
        ({"secret": "whsec_x"}, "secret"),
    ],
)
def test_what_is_wrong_is_named(cast: Cast, values: dict[str, Any], told: str) -> None:
    refused = cast.key.post("/webhook", {"url": URL, "kinds": ["*"], **values})
    assert refused.status == 400, refused.body
    assert told in refused.body["warning"]


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254", "10.0.0.1", "192.168.1.1", "172.16.0.1", "0.0.0.0", "100.64.0.1", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433",
        "0x7f000001", "0177.0.0.1", "127.1", "localhost",
    ],
)  # fmt: skip
def test_addresses_inside_of_the_network_are_refused(cast: Cast, settings: Any, host: str) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    for scheme in ("https", "http"):
        refused = cast.key.post("/webhook", {"url": f"{scheme}://{host}/hook", "kinds": ["*"]})
        assert (refused.status, refused.body["warning"].split(":")[0]) == (400, "url"), refused.body


def test_a_public_host_needs_https(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert "https only" in cast.key.post("/webhook", {"url": "http://a.example/", "kinds": ["*"]}).body["warning"]
    assert cast.key.post("/webhook", {"url": "https://a.example/", "kinds": ["*"]}).status == 201


def test_another_address_takes_the_headers_anew(cast: Cast, there: Receiver) -> None:
    """Otherwise who may change the address could have the stored keys sent to themselves."""
    made = add(cast, URL, headers={"Authorization": "canary"})
    path = f"/webhook/{made['_id']}"
    refused = cast.key.put(path, {"url": there.url})
    assert (refused.status, "headers" in refused.body["warning"]) == (400, True)
    assert cast.key.put(path, {"url": there.url, "headers": {}}).data["headerNames"] == []
    happen(cast, "contact.deleted", new_id())
    work()
    assert "authorization" not in there.calls[0].headers


def test_a_rotated_secret_signs_along_for_a_day(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url)
    new = cast.key.post(f"/webhook/{made['_id']}/rotate").data["secret"]
    happen(cast, "contact.deleted", new_id())
    work()
    assert (verifies(there.calls[0], new), verifies(there.calls[0], made["secret"])) == (True, True)
    with cast.scope():
        Webhook.objects.update(former_secret_until=timezone.now() - timedelta(seconds=1))
    happen(cast, "contact.deleted", new_id())
    work()
    assert (verifies(there.calls[1], new), verifies(there.calls[1], made["secret"])) == (True, False)


def test_a_test_tells_what_the_receiver_says(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url, status="paused")
    there.answers((418, {}, b"teapot"))
    found = cast.key.post(f"/webhook/{made['_id']}/test").data
    assert (found["ok"], found["status"], found["answer"]) == (False, 418, "teapot")
    assert (there.calls[0].body["type"], verifies(there.calls[0], made["secret"])) == ("webhook.test", True)
    there.answers(200)
    assert cast.key.post(f"/webhook/{made['_id']}/test").data["ok"] is True
    assert rows(cast, "pk") == []


def test_a_delivery_goes_out_again_by_hand(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url)
    happen(cast, "contact.deleted", new_id())
    work()
    [delivery] = cast.key.get(f"/webhook/{made['_id']}/deliveries").data
    path = f"/webhook/deliveries/{delivery['_id']}"
    assert cast.key.get(path).data["body"] == there.calls[0].raw.decode()
    there.answers((500, {}, b"broken"))
    assert cast.key.post(f"{path}/redeliver").data["status"] == "pending"
    work()
    again = cast.key.get(path).data
    assert (again["status"], again["attempts"], again["responseBody"]) == ("failed", 1, "broken")
    assert there.calls[0].headers["webhook-id"] == there.calls[1].headers["webhook-id"] == again["messageId"]
    assert cast.key.get(f"/webhook/{made['_id']}").data["failures"] == 0
    cast.key.put(f"/webhook/{made['_id']}", {"status": "disabled"})
    assert cast.key.post(f"{path}/redeliver").status == 400


def test_events_are_replayed_from_a_cursor_or_a_time(
    transactional_db: None, cast: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = timezone.now().isoformat()
    ids = [new_id() for _ in range(3)]
    for id in ids:
        happen(cast, "contact.deleted", id)
    happen(cast, "tag.deleted", new_id())
    made = add(cast, there.url, kinds=["contact.*"])
    path = f"/webhook/{made['_id']}/replay"
    assert cast.key.post(path, {"from": began}).data == {"replayedCount": 3, "nextCursor": None}
    work()
    there.calls.sort(key=lambda call: call.body["sequence"])  # of several records, they go out together
    assert [call.body["data"]["id"] for call in there.calls] == ids
    cursor = there.calls[0].body["cursor"]
    assert cast.key.post(path, {"from": cursor, "to": there.calls[1].body["cursor"]}).data["replayedCount"] == 1
    work()
    assert [call.headers["webhook-id"] for call in there.calls[3:]] == [there.calls[1].headers["webhook-id"]]
    monkeypatch.setattr(services, "REPLAYED", 1)
    for body in (
        {"from": "x"},
        {"from": "1999-01-01"},
        {"from": cursor, "to": "x"},
        {"from": cursor, "kinds": ["x"]},
        {},
    ):
        assert cast.key.post(path, body).status == 400, body


def test_who_may_not_read_contacts_gets_no_webhook_for_them(cast: Cast, outsiders: Cast) -> None:
    narrow = make_cast({"api": {"GET": True, "POST": True, "PUT": True}, "lead": {"GET": True}})
    refused = narrow.narrow_session.post("/webhook", {"url": URL, "kinds": ["contact.created"]})
    assert (refused.status, "contact.GET" in refused.body["warning"]) == (403, True)
    made = narrow.narrow_session.post("/webhook", {"url": URL, "kinds": ["lead.*"]})
    assert made.status == 201
    path = f"/webhook/{made.data['_id']}"
    assert narrow.narrow_session.put(path, {"kinds": ["*"]}).status == 403
    assert cast.narrow_session.post("/webhook", {"url": URL, "kinds": ["*"]}).status == 403
    for call in (outsiders.key.get(path), outsiders.key.put(path, {}), outsiders.key.post(f"{path}/rotate")):
        assert call.status == 404


def test_deliveries_are_forgotten_with_the_person(cast: Cast, there: Receiver) -> None:
    add(cast, there.url)
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    other = cast.key.post("/contact", {"formData": form(2, name="Bob")}).data["_id"]
    work()
    told = cast.key.get(f"/contact/{contact}/access-request")
    assert [row["objectId"] for row in told.data["sections"]["webhookDeliveries"]] == [contact], told.body
    email = cast.key.get(f"/contact/{contact}").data["email"]
    erased = cast.key.post(f"/contact/{contact}/erase", {"confirm": email})
    assert erased.status == 200, erased.body
    with cast.scope():
        assert set(WebhookDelivery.objects.values_list("object_id", flat=True)) == {other}
