"""A way to pay is saved on the gateway's page without a payment: once, and for whoever asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.gateways.base import SavedMethod
from billing.methods.services import work
from billing.models import GatewayAccount, MethodSetup, PaymentMethod
from billing.payments import settlement
from config.local.gateway_standin import stripe
from config.local.gateway_standin.server import Server, run_server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import buyer, open_gateways
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

pytestmark = pytest.mark.django_db
PATH = "/subscription/payment-methods/setup"


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any) -> Server:
    shared.state.bad = ""
    open_gateways(shared, settings)
    return shared


def setup_of(cast: Cast) -> MethodSetup:
    with cast.scope():
        return MethodSetup.objects.order_by("-pk").first()


@pytest.mark.parametrize("letter", "abd")
def test_a_method_is_saved_once_and_nothing_is_paid(letter: str, server: Server, client: Client) -> None:
    cast, _ = buyer()
    before = len(server.state.effects)
    ways = {one["gateway"] for one in cast.session.get(PATH).data["gateways"]}
    assert ways == {"gateway-a", "gateway-b", "gateway-d"}
    begun = cast.session.post(PATH, {"gateway": f"gateway-{letter}"})
    assert begun.status == 201, begun.body
    assert cast.key.post(PATH, {"gateway": f"gateway-{letter}"}).data["_id"] == begun.data["_id"]
    setup = setup_of(cast)
    back = server.state.orders[setup.gateway_id]["back"]
    client.get(back[back.index("/api/") :])
    assert setup_of(cast).status == "due"
    server.pay(setup.gateway_id)
    for _ in range(2):
        answer = client.get(back[back.index("/api/") :])
        assert (answer.status_code, answer["Location"]) == (303, f"/c/{cast.company.pk}/settings/plan/methods")
    [method] = cast.session.get("/subscription/payment-methods").data
    assert (method["gateway"], method["isDefault"]) == (f"gateway-{letter}", True)
    if letter != "b":
        assert method["expiresOn"] == "2099-12-31"
    with cast.scope():
        kept = PaymentMethod.objects.get()
        assert kept.expires_on == (None if letter == "b" else date(2099, 12, 31))
        assert MethodSetup.objects.get().method_id == kept.pk
    assert len(server.state.effects) == before


def test_who_does_not_come_back_is_looked_for_and_a_hook_makes_us_look(server: Server, client: Client) -> None:
    cast, _ = buyer()
    cast.session.post(PATH, {"gateway": "gateway-a"})
    setup = setup_of(cast)
    server.pay(setup.gateway_id)
    work(float("inf"))
    assert setup_of(cast).status == "due"  # not yet
    place = f"/api/public/webhooks/gateway-a/{GatewayAccount.objects.get(letter='a').pk}"
    headers, body = stripe.hook({"id": setup.gateway_id, "order": setup.pk}, "whsec_1")
    assert client.post(place, body, content_type="application/json", headers=headers).status_code == 200
    work(float("inf"))
    assert setup_of(cast).status == "saved"
    for _ in range(8):  # nobody saves one
        cast.session.post(PATH, {"gateway": "gateway-a"})
        with unscoped(reason="test: due"):
            MethodSetup.objects.update(due_at=timezone.now())
        work(float("inf"))
        if setup_of(cast).status == "failed":
            break
    assert setup_of(cast).reason == "nobody saved one"


def test_a_known_card_becomes_the_default_where_there_is_none_and_that_is_told(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(settlement.payment_method_changed, "listeners", [lambda: heard.append("news")])
    saved = SavedMethod(token="pm_7", customer="cus_1", label="Visa 4242", last4="4242")  # noqa: S106
    with cast.scope():
        for _ in range(2):
            assert settlement.save_method("a", "stripe", saved).is_default
            assert heard == ["news"]
        PaymentMethod.objects.update(is_default=False, label="old")
        settlement.save_method("a", "stripe", saved)
        assert heard == ["news"] * 2
        kept = PaymentMethod.objects.get()
        assert (kept.is_default, kept.label) == (True, "Visa 4242")


def test_refusals_name_what_is_wrong(server: Server) -> None:
    cast, _ = buyer()
    assert "only with a payment" in str(cast.session.post(PATH, {"gateway": "gateway-c"}).body)
    assert cast.session.post(PATH, {"gateway": "gateway-x"}).status == 400
    assert cast.session.post(PATH, {}).status == 400
    assert cast.session.post(PATH, {"gateway": "gateway-a", "amount": 1}).status == 400
    assert cast.narrow_session.post(PATH, {"gateway": "gateway-a"}).status == 403
    server.state.bad = "500 html"
    assert "does not answer" in str(cast.session.post(PATH, {"gateway": "gateway-a"}).body)
    assert GatewayAccount.objects.get(letter="a").failures == 1
    server.state.bad = ""
    first = setup_of(cast)
    assert cast.session.post(PATH, {"gateway": "gateway-a"}).data["_id"] == first.pk
    assert GatewayAccount.objects.get(letter="a").failures == 0
    GatewayAccount.objects.filter(letter="b").update(state="off")
    assert "not on offer" in str(cast.session.post(PATH, {"gateway": "gateway-b"}).body)


def test_the_page_leads_on_to_the_gateway(server: Server) -> None:
    cast, _ = buyer()
    owner = enter(cast.owner)
    page = at(cast.owner, "settings/plan/methods")
    shown = text_of(owner.get(page))
    assert "Card (Stripe)" in shown
    assert "Razorpay" not in shown
    answer = owner.post(page, {"do": "add", "gateway": "gateway-a"})
    assert f'href="{setup_of(cast).url}"' in html_of(answer)
    server.pay(setup_of(cast).gateway_id)
    work(float("inf"))
    with unscoped(reason="test: due"):
        MethodSetup.objects.update(due_at=timezone.now())
    work(float("inf"))
    assert "Visa 4242" in text_of(owner.get(page))
