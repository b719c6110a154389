"""Workers of comparisons and of set-ups that are killed before they write what they have found: it is found again, and
counts once."""

from __future__ import annotations

import signal
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.methods.services import work as look_at_setups
from billing.models import Difference, GatewayAccount, MethodSetup, PaymentMethod
from billing.reconciliation import services
from config.local.gateway_standin.server import run_server
from core.jobs import sweep
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, open_gateways, order, subscription_of
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked

KILLED = """
import os, django
django.setup()
from billing.methods import services as methods
from billing.reconciliation import services as reconciliation
def die(*_, **__):
    os.kill(os.getpid(), 9)
methods.settle = reconciliation._finish = die
reconciliation.work(float("inf"))
methods.work(float("inf"))
"""


def be_killed() -> None:
    """Let a worker die at the end of its work, and free what it held."""
    worker = Forked(KILLED)
    assert worker.wait(timeout=60) == -signal.SIGKILL
    worker.stdout.close()
    assert sweep() == 1


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_what_a_killed_worker_had_found_counts_once(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOUND_PRIVATE_HOSTS", "127.0.0.0/8")
    monkeypatch.setattr(services, "LAG", timedelta(minutes=-1))
    monkeypatch.setattr(services, "FIRST", timedelta(days=6))  # less than it compares at once
    with run_server() as server:
        open_gateways(server, settings)
        cast, plan = buyer()
        begin(cast, "a", order(cast, plan)["payment"])
        server.pay(attempt_of(cast).gateway_id)  # no hook comes
        row = services.begin(GatewayAccount.objects.get(letter="a"))
        be_killed()
        assert list(Difference.objects.values_list("kind", "what")) == [("settled", "payment")]
        assert subscription_of(cast).status == "active"
        services.work(float("inf"))
        row.refresh_from_db()
        account = GatewayAccount.objects.get(letter="a")
        assert (row.status, account.reconciled_until) == ("done", row.until)
        assert row.differences == Difference.objects.count() == 1

        assert cast.session.post("/subscription/payment-methods/setup", {"gateway": "gateway-d"}).status == 201
        with cast.scope():
            before = PaymentMethod.objects.count()
            server.pay(MethodSetup.objects.get().gateway_id)
        with unscoped(reason="test: due"):
            MethodSetup.objects.update(due_at=timezone.now())
        be_killed()
        with cast.scope():
            assert PaymentMethod.objects.count() == before
        look_at_setups(float("inf"))
        with cast.scope():
            assert MethodSetup.objects.get().status == "saved"
            assert PaymentMethod.objects.count() == before + 1
        assert len(server.state.effects) == 1
    books_hold()
