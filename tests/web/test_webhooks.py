"""The pages of webhooks."""

from __future__ import annotations

from typing import Any

import pytest

from core.ids import new_id
from crm.models import Webhook, WebhookDelivery
from tests.crm.webhooks.helpers import Receiver, happen, receiver, work
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def test_a_webhook_is_made_tested_changed_and_told_again(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/webhooks")
    with receiver() as there:
        _journey(scope, client, path, there)


def _journey(scope: Cast, client: Any, path: str, there: Receiver) -> None:
    wrong = client.post(f"{path}/new", {"url": "nonsense", "kinds": "contact.*"})
    assert (wrong.status_code, 'id="f-url-error"' in html_of(wrong)) == (422, True)
    form = {
        "url": there.url,
        "description": "Sync",
        "kinds": ["contact.*", "lead.updated"],
        "headers": "X-Key: canary-77",
    }
    made = client.post(f"{path}/new", {**form, "payload": "full", "ordering": "object"})
    webhook = Webhook.objects.get()
    assert webhook.secret in html_of(made)
    assert (webhook.kinds, webhook.header_names) == (["contact.*", "lead.updated"], ["X-Key"])
    own = f"{path}/{webhook.pk}"
    page = html_of(client.get(own))
    assert [f'value="{kind}" checked' in page for kind in ("contact.*", "lead.updated", "*")] == [True, True, False]
    assert webhook.secret not in page
    assert "canary-77" not in page
    assert "Test passed: 200" in toast_of(client, client.post(own, {"do": "test"}))
    happen(scope, "contact.deleted", new_id())
    there.answers((500, {}, b"<b>out of order</b>"))
    work()
    assert "contact.deleted Waiting 500" in text_of(client.get(own))
    delivery = WebhookDelivery.objects.get()
    shown = html_of(client.get(f"{path}/deliveries/{delivery.pk}"))
    assert "&lt;b&gt;out of order" in shown
    assert "{\n  &quot;type&quot;: &quot;contact.deleted&quot;,\n" in shown
    there.answers(200)
    again = client.post(f"{path}/deliveries/{delivery.pk}", {"do": "redeliver"})
    assert "Sent again" in toast_of(client, again)
    work()
    assert there.calls[-1].headers["x-key"] == "canary-77"
    rotated = html_of(client.post(own, {"do": "rotate"}))
    assert Webhook.objects.get().secret in rotated
    saved = client.post(own, {**form, "headers": "", "payload": "thin", "ordering": "object", "status": "paused"})
    assert "Webhook saved" in toast_of(client, saved)
    webhook.refresh_from_db()
    assert (webhook.payload, webhook.status, webhook.header_names) == ("thin", "paused", ["X-Key"])
    assert "Sync" in text_of(client.get(path))
    assert enter(scope.narrow).get(path).status_code == 403
    assert "Webhook deleted" in toast_of(client, client.post(own, {"do": "delete"}))
    assert not WebhookDelivery.objects.exists()


def test_of_which_records_a_webhook_tells_is_chosen_by_filters(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/webhooks")
    with receiver() as there:
        _filtered(scope, client, path, there.url)


def _filtered(scope: Cast, client: Any, path: str, url: str) -> None:
    made = {"url": url, "kinds": ["contact.created", "contact.updated"]}
    id = scope.key.post("/webhook", made).data["_id"]
    own = f"{path}/{id}"
    assert "Filter All records." in text_of(client.get(own))
    added = client.post(f"{own}/filter", {"add": "name", "operator-name": "contains", "value-name": "ann"})
    assert (added.status_code, "Name contains ann" in text_of(added)) == (200, True)
    saved = client.post(f"{own}/filter?f=name:contains:ann", {"do": "save"})
    assert "Webhook saved" in toast_of(client, saved)
    conditions = [{"field": "name", "operator": "contains", "value": "ann"}]
    assert scope.key.get(f"/webhook/{id}").data["filter"] == {"operator": "and", "conditions": conditions}
    page = client.get(own)
    assert "Name contains ann" in text_of(page)
    assert f"{id}/filter?f=name%3Acontains%3Aann" in html_of(page)
    # What the other form saves leaves it as it is.
    client.post(own, {"do": "save", **made, "payload": "thin", "ordering": "object", "status": "paused"})
    assert scope.key.get(f"/webhook/{id}").data["filter"]["conditions"] == conditions
    assert "Webhook saved" in toast_of(client, client.post(f"{own}/filter", {"do": "save"}))
    assert scope.key.get(f"/webhook/{id}").data["filter"] is None
    # Events of several kinds of records have no filter that could be chosen.
    scope.key.put(f"/webhook/{id}", {"kinds": ["contact.created", "lead.created"]})
    assert "Available if all events" in text_of(client.get(own))
    assert "Filters need contact or lead events only, and permission to change webhooks." in text_of(
        client.get(f"{own}/filter")
    )
    assert enter(scope.narrow).get(f"{own}/filter").status_code == 403
