"""Refunds: a credit note first, the gateway once, the books after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from billing.models import Attempt, CreditNote, Posting, Refund, Transaction
from billing.payments.refunds import refundable, start_refund, work
from billing.standin.server import Server, running
from core.errors import NamedError
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, open_gateways, order
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.mark.parametrize("letter", "abde")
def test_money_goes_back_in_parts_and_never_twice(letter: str, shared: Server, settings: Any) -> None:
    open_gateways(shared, settings)
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, letter, made)
    shared.pay(attempt_of(cast).gateway_id)
    cast.session.post(f"/gateway-{letter}/capture", {"paymentID": made["_id"]})
    staff, attempt = UserFactory(is_staff=True), attempt_of(cast)
    start_refund(attempt=attempt, amount_minor=900, reason="late", by=staff)
    with pytest.raises(NamedError):
        start_refund(attempt=attempt, amount_minor=2001, reason="more than there is", by=staff)
    shared.state.faults["lost_after"] = 1.0  # the gateway does it, and its answer gets lost
    work(float("inf"))
    with unscoped(reason="test: due again, keys expired"):
        assert Refund.objects.get(attempt=attempt).status == "due"
        Refund.objects.update(due_at=timezone.now())
    shared.state.faults.clear()
    if letter != "b":
        shared.state.answered.clear()  # PayPal's keys hold for 45 days
    work(float("inf"))
    start_refund(attempt=attempt, amount_minor=2000, reason="all of it", by=staff)
    work(float("inf"))
    given = [row for row in shared.state.refunds if row["of"] == attempt.payment_ref]
    assert len(given) == 2
    with cast.scope():
        assert list(Refund.objects.values_list("status", flat=True)) == ["done", "done"]
        assert refundable(Attempt.objects.get()) == 0
        assert CreditNote.objects.count() == 2
        assert sum(Posting.objects.filter(account=f"cash:{letter}").values_list("amount_minor", flat=True)) == 0
        assert sum(Posting.objects.filter(account="receivable").values_list("amount_minor", flat=True)) == 0
        kinds = Transaction.objects.order_by("created_at", "pk").values_list("kind", "amount_minor")
        assert list(kinds) == [("payment", 2900), ("refund", 900), ("refund", 2000)]
    books_hold()
