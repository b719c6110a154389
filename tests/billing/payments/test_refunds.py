"""Refunds: a credit note first, the gateway once, the books after it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import Referral, Reward
from billing.ledger.services import balance_of, post_transaction
from billing.models import Attempt, CreditNote, Payment, Posting, Refund, Transaction
from billing.payments import refunds
from billing.payments.refunds import (
    approve_refund,
    credit_order,
    move_to_balance,
    refundable,
    reject_refund,
    retry_refund,
    start_refund,
    work,
)
from config.local.gateway_standin.server import Server, run_server
from core.errors import NamedError
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, open_gateways, order, pay
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
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


def paid_by_card(server: Server, settings: Any) -> tuple[Cast, Attempt]:
    """A company that has paid 29 USD by gateway-a, referred by somebody."""
    open_gateways(server, settings)
    cast, plan = buyer()
    Referral.objects.create(
        referrer=UserFactory(), referred_company=cast.company, program="refer", user=UserFactory(), code="x"
    )
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    server.pay(attempt_of(cast).gateway_id)
    cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]})
    return cast, attempt_of(cast)


def test_above_the_limit_a_second_person_approves(shared: Server, settings: Any) -> None:
    settings.REFUND_APPROVAL_ABOVE = Decimal(10)
    ann, bob = UserFactory(is_staff=True), UserFactory(is_staff=True)
    cast, attempt = paid_by_card(shared, settings)
    start_refund(attempt=attempt, amount_minor=900, reason="late", by=ann)
    asked = start_refund(attempt=attempt, amount_minor=200, reason="a small one more", by=ann)  # 11 in all
    work(float("inf"))
    with cast.scope():
        assert sorted(Refund.objects.values_list("status", flat=True)) == ["asked", "done"]
        assert CreditNote.objects.count() == 1
        assert refundable(attempt) == 1800
    with pytest.raises(NamedError, match="somebody else"):
        approve_refund(refund=asked, by=ann)
    approve_refund(refund=asked, by=bob)
    with pytest.raises(NamedError):
        approve_refund(refund=asked, by=bob)
    work(float("inf"))
    other = start_refund(attempt=attempt, amount_minor=1800, reason="the rest", by=bob)
    reject_refund(refund=other, reason="they stay", by=ann)
    with cast.scope():
        assert refundable(attempt) == 1800
        approved = Refund.objects.get(pk=asked.pk)
        assert (approved.status, approved.decided_by_id) == ("done", bob.pk)
        assert CreditNote.objects.count() == 2
    given = [row["amount"] for row in shared.state.refunds if row["of"] == attempt.payment_ref]
    assert given == [900, 200]
    books_hold()


def test_a_part_takes_a_part_of_the_reward_and_the_balance_takes_money_too(shared: Server, settings: Any) -> None:
    staff = UserFactory(is_staff=True)
    cast, attempt = paid_by_card(shared, settings)
    whole = Reward.objects.get().amount
    assert whole == Decimal("5.8")
    start_refund(attempt=attempt, amount_minor=1450, reason="half", by=staff, to="balance")
    assert sorted(Reward.objects.values_list("state", "amount")) == [
        ("clawed_back", Decimal("2.9")),
        ("pending", Decimal("2.9")),
    ]
    with cast.scope():
        assert Refund.objects.get().status == "done"
        assert sum(Posting.objects.filter(account="balance").values_list("amount_minor", flat=True)) == -1450
        assert sorted(Transaction.objects.values_list("kind", "by")) == [
            ("credit", "balance"),
            ("payment", "gateway-a"),
        ]
    start_refund(attempt=attempt, amount_minor=1450, reason="the rest", by=staff)
    work(float("inf"))
    assert set(Reward.objects.values_list("state", flat=True)) == {"clawed_back"}
    assert sum(Reward.objects.values_list("amount", flat=True)) == whole
    books_hold()


def test_a_refused_refund_is_tried_again_or_goes_to_the_balance(shared: Server, settings: Any) -> None:
    staff = UserFactory(is_staff=True)
    cast, attempt = paid_by_card(shared, settings)
    shared.state.record_refund(attempt.payment_ref, 2900, ref="by hand")  # so that nothing is left there
    refund = start_refund(attempt=attempt, amount_minor=900, reason="late", by=staff)
    work(float("inf"))
    with cast.scope():
        assert Refund.objects.get().status == "failed"
        assert refundable(attempt) == 2000
    retry_refund(refund=refund)
    with pytest.raises(NamedError):
        retry_refund(refund=refund)
    work(float("inf"))
    move_to_balance(refund=refund)
    with pytest.raises(NamedError):
        move_to_balance(refund=refund)
    with cast.scope():
        assert (Refund.objects.get().status, CreditNote.objects.count()) == ("done", 1)
        assert sum(Posting.objects.filter(account="balance").values_list("amount_minor", flat=True)) == -900
    books_hold()


def test_what_the_balance_paid_goes_back_to_it(shared: Server, settings: Any) -> None:
    open_gateways(shared, settings)
    cast, plan = buyer()
    with cast.scope(), transaction.atomic():
        post_transaction("test:given", "USD", [("revenue", 2900), ("balance", -2900)])
    assert order(cast, plan)["payment"]["status"] == "paid"
    with cast.scope():
        payment = Payment.objects.get()
    credit_order(payment=payment, amount_minor=2000, reason="late", by=UserFactory())
    with pytest.raises(NamedError, match="at most 900"):
        credit_order(payment=payment, amount_minor=901, reason="more", by=UserFactory())
    with cast.scope():
        assert balance_of("USD") == 2000
    books_hold()


def test_a_refund_that_cannot_go_on_keeps_no_other_waiting(
    shared: Server, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_gateways(shared, settings)
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    begin(cast, "a", made)
    shared.pay(attempt_of(cast).gateway_id)
    cast.session.post("/gateway-a/capture", {"paymentID": made["_id"]})
    first, second = (
        start_refund(attempt=attempt_of(cast), amount_minor=100, reason="late", by=UserFactory(is_staff=True))
        for _ in range(2)
    )
    real = refunds.run

    def run(row: Refund) -> None:
        if row.pk == first.pk:
            raise RuntimeError("nobody has thought of it")
        real(row)

    monkeypatch.setattr(refunds, "run", run)
    work(float("inf"))
    with cast.scope():
        first.refresh_from_db()
        second.refresh_from_db()
        assert (first.status, first.error, second.status) == ("due", "RuntimeError: nobody has thought of it", "done")


def test_what_came_by_bank_goes_to_the_balance(shared: Server, settings: Any) -> None:
    settings.REFUND_APPROVAL_ABOVE = Decimal(10)
    open_gateways(shared, settings)
    cast, plan = buyer()
    id = order(cast, plan)["payment"]["_id"]
    with cast.scope():
        payment = Payment.objects.get(pk=id)
    with pytest.raises(NamedError, match="at most 0"):
        credit_order(payment=payment, amount_minor=1, reason="nothing came", by=UserFactory())
    pay(cast, id)
    with cast.scope():
        payment.refresh_from_db()
    approver, other = payment.decided_by, UserFactory(is_staff=True)
    credit_order(payment=payment, amount_minor=900, reason="late", by=approver)
    for amount, by, said in ((2001, other, "at most 2000"), (0, other, "at most"), (200, approver, "somebody else")):
        with pytest.raises(NamedError, match=said):
            credit_order(payment=payment, amount_minor=amount, reason="more", by=by)
    credit_order(payment=payment, amount_minor=2000, reason="the rest", by=other)
    with cast.scope():
        assert list(CreditNote.objects.order_by("pk").values_list("amount_minor", flat=True)) == [900, 2000]
        assert sum(Posting.objects.filter(account="balance").values_list("amount_minor", flat=True)) == -2900
        assert sum(Posting.objects.filter(account="receivable").values_list("amount_minor", flat=True)) == 0
        assert sorted(Transaction.objects.values_list("kind", "by")) == [
            ("credit", "balance"),
            ("credit", "balance"),
            ("payment", "bank"),
        ]
    books_hold()
