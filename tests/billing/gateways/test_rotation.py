"""Secrets for webhooks in rotation, and how a gateway is: what was good and what failed last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.gateways.accounts import set_secret
from billing.models import GatewayAccount, GatewayEvent
from config.local.gateway_standin import paystack, razorpay, stripe
from config.local.gateway_standin.server import Server, run_server
from tests.billing.checkout.helpers import attempt_of, begin, buyer, open_gateways, order

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.mark.parametrize(("letter", "hook"), [("a", stripe.hook), ("c", razorpay.hook), ("e", paystack.hook)])
def test_the_former_secret_is_good_for_a_day(
    letter: str, hook: Any, shared: Server, settings: Any, client: Client
) -> None:
    account = open_gateways(shared, settings)[letter]
    name = "secret_key" if letter == "e" else "webhook_secret"
    former = getattr(account, name)
    place = f"/api/public/webhooks/gateway-{letter}/{account.pk}"

    def send(secret: str, id: str) -> int:
        headers, body = hook({"id": id, "order": id}, secret)
        return client.post(place, body, content_type="application/json", headers=headers).status_code

    account = GatewayAccount.objects.get(pk=account.pk)
    set_secret(account, name, "fresh")
    account.save()
    assert [send("fresh", "x1"), send(former, "x2"), send("other", "x3")] == [200, 200, 400]
    GatewayAccount.objects.update(former_until=timezone.now() - timedelta(seconds=1))
    assert [send("fresh", "x4"), send(former, "x5")] == [200, 400]
    assert GatewayEvent.objects.count() == 3
    assert GatewayAccount.objects.get(pk=account.pk).hook_at is not None
    settings.GATEWAYS = {
        letter: {"adapter": account.adapter, "secret_key": "env", "webhook_secret": "env", "former_secret": former}
    }
    assert [send("env", "x6"), send(former, "x7"), send("fresh", "x8")] == [200, 200, 400]


def test_how_a_gateway_is(shared: Server, settings: Any) -> None:
    open_gateways(shared, settings)
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    account = GatewayAccount.objects.get(letter="a")
    assert (account.good_at is not None, account.failures) == (True, 0)
    shared.state.bad = "502 empty"
    for _ in range(2):
        cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]})
    account.refresh_from_db()
    assert (account.failures, account.failure) == (2, "it answers 502")
    shared.state.bad = ""
    cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]})
    account.refresh_from_db()
    assert account.failures == 0
    assert attempt_of(cast).status == "due"
