"""Reconciliation: what the gateway lists is compared with the books, whatever either of them lacks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Mail, User
from billing.models import (
    Attempt,
    Difference,
    DisputeWatch,
    GatewayAccount,
    Plan,
    Reconciliation,
    Refund,
    Subscription,
)
from billing.payments.refunds import start_refund
from billing.payments.refunds import work as send_refunds
from billing.reconciliation import services
from billing.reconciliation.services import begin as begin_comparison
from billing.reconciliation.services import begin_due, clear, work
from config.local.gateway_standin.server import Server, run_server
from core.errors import NamedError
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, open_gateways, order, subscription_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Server:
    shared.state.bad = ""
    for rows in (shared.state.effects, shared.state.refunds, shared.state.disputes):
        rows.clear()
    open_gateways(shared, settings)
    monkeypatch.setattr(services, "LAG", timedelta(minutes=-1))
    monkeypatch.setattr(services, "FIRST", timedelta(days=6))
    return shared


def begun(server: Server, letter: str) -> tuple[Cast, Any]:
    """A company that has gone to a gateway's page."""
    known = Plan.objects.filter(name="Club").first()
    cast, plan = (lapsed(), known) if known else buyer()
    made = order(cast, plan)["payment"]
    begin(cast, letter, made)
    return cast, made


def lapsed() -> Cast:
    cast = make_cast()
    with cast.scope():
        Subscription.objects.update(status="expired", ends_at=timezone.now(), plan=None, interval="")
    return cast


def paid(server: Server, letter: str) -> Cast:
    cast, made = begun(server, letter)
    server.pay(attempt_of(cast).gateway_id)
    cast.session.post(f"/gateway-{letter}/capture", {"paymentID": made["_id"]})
    return cast


def alerts() -> list[str]:
    with unscoped(reason="test: mails of no company"):
        return list(Mail.objects.filter(kind="staff_alert").values_list("to", flat=True))


def compare(letter: str) -> tuple[Reconciliation, list[tuple[str, str]]]:
    """Compare an account's money now. Returns the report, and what was found new."""
    row = begin_comparison(GatewayAccount.objects.get(letter=letter))
    work(float("inf"))
    row.refresh_from_db()
    assert row.status == "done", row.error
    return row, list(row.found.order_by("pk").values_list("kind", "what"))


@pytest.mark.parametrize("letter", "abd")
def test_each_gateways_list_is_compared_with_the_books(letter: str, server: Server) -> None:
    staff = UserFactory(is_staff=True, is_superuser=True)
    good, (lost, _) = paid(server, letter), begun(server, letter)
    server.pay(attempt_of(lost).gateway_id)  # no hook comes, and nobody comes back
    refunded = start_refund(attempt=attempt_of(good), amount_minor=900, reason="late", by=staff)
    send_refunds(float("inf"))
    row, found = compare(letter)
    assert (row.status, row.payments + (letter == "b"), row.refunds) == ("done", 2, 1)
    if letter == "b":  # PayPal captures when we look: what was only approved is not in its list
        assert found == []
    else:
        assert found == [("settled", "payment")]
        assert subscription_of(lost).status == "active"
    assert not alerts()

    # a charge that was made twice, money that nobody asked for, and a refund that its pages gave
    money = next(one for one in server.state.effects if one["order"] == attempt_of(good).pk)
    twice = {**server.state.orders[money["id"]], "id": "tr_twice"} if letter != "b" else {}
    server.state.orders["tr_twice"] = twice
    server.state.effects.append({**money, "id": "tr_twice"})
    if letter != "a":
        server.state.orders["tr_odd"] = {**twice, "id": "tr_odd", "order": "x"}
        server.state.effects.append({**money, "id": "tr_odd", "order": "x"})
    server.state.record_refund(attempt_of(good).payment_ref, money["amount"], ref="by hand")
    row, found = compare(letter)
    strange = [] if letter == "a" else [("strange", "payment")]
    assert sorted(found) == sorted([("twice", "payment"), *strange, ("strange", "refund")])
    assert alerts() == [staff.email]
    assert compare(letter)[1] == []  # told once
    with good.scope():
        assert Refund.objects.get().pk == refunded.pk
    clear(Difference.objects.first(), note="given back", by=staff)
    books_hold()


def test_a_refund_whose_answer_never_came_is_booked(server: Server) -> None:
    staff, cast = UserFactory(is_staff=True), paid(server, "a")
    refund = start_refund(attempt=attempt_of(cast), amount_minor=900, reason="late", by=staff)
    with cast.scope():
        Refund.objects.update(status="unknown")
    server.state.record_refund(attempt_of(cast).payment_ref, 900, ref=refund.pk)
    assert compare("a")[1] == [("settled", "refund")]
    with cast.scope():
        assert Refund.objects.get().status == "done"
    books_hold()


def test_what_is_booked_and_was_never_paid_there_is_missing(server: Server) -> None:
    staff, cast = UserFactory(is_staff=True, is_superuser=True), paid(server, "a")
    other = paid(server, "a")
    for one in (cast, other):
        server.state.effects[:] = [row for row in server.state.effects if row["order"] != attempt_of(one).pk]
    id = attempt_of(other).gateway_id
    server.state.orders[id]["status"] = "open"
    row, found = compare("a")
    assert found == [("missing", "payment")]
    assert row.found.get().reference == attempt_of(other).pk  # the first one is only late in the list
    assert alerts() == [staff.email]


def test_what_the_gateway_does_not_know_at_all_stops_nothing(server: Server) -> None:
    cast = paid(server, "a")
    server.state.effects.clear()
    del server.state.orders[attempt_of(cast).gateway_id]
    row = begin_comparison(GatewayAccount.objects.get(letter="a"))
    for expected in ("due", "due", "done"):
        work(float("inf"))
        row.refresh_from_db()
        assert row.status == expected
        Reconciliation.objects.update(due_at=timezone.now())
    assert row.found.get().kind == "unclear"


def test_another_amount_is_parked_and_a_dispute_is_looked_at(server: Server) -> None:
    cast, _ = begun(server, "d")
    id = attempt_of(cast).gateway_id
    server.state.orders[id]["amount"] = "1.00"
    server.pay(id)
    disputed = paid(server, "d")
    server.state.set_dispute(attempt_of(disputed).payment_ref)
    assert compare("d")[1] == [("wrong", "payment")]
    assert (attempt_of(cast).status, subscription_of(cast).status) == ("wrong", "expired")
    with unscoped(reason="test"):
        assert [one.attempt_id for one in DisputeWatch.objects.all()] == [attempt_of(disputed).pk]


def test_a_gateway_without_an_answer_is_asked_again_and_the_cursor_stays(server: Server) -> None:
    account = GatewayAccount.objects.get(letter="a")
    server.state.bad = "500 html"
    row = begin_comparison(account)
    with pytest.raises(NamedError):
        begin_comparison(account)
    for _ in range(9):
        Reconciliation.objects.filter(status="due").update(due_at=timezone.now())
        work(float("inf"))
    row.refresh_from_db()
    account.refresh_from_db()
    assert (row.status, account.reconciled_until) == ("failed", None)
    server.state.bad = ""
    row, _ = compare("a")
    assert GatewayAccount.objects.get(letter="a").reconciled_until == row.until


def test_it_begins_daily_and_catches_up(server: Server) -> None:
    begin_due()
    assert Reconciliation.objects.filter(status="due").count() == 5
    work(float("inf"))
    begin_due()
    assert Reconciliation.objects.count() == 5
    GatewayAccount.objects.filter(letter="a").update(reconciled_until=timezone.now() - timedelta(days=20))
    spans = []
    for _ in range(3):
        begin_due()
        work(float("inf"))
        spans.append(Reconciliation.objects.order_by("-pk").first())
    assert [one.until - one.since for one in spans[:2]] == [services.SPAN] * 2
    assert [one.since for one in spans[1:]] == [one.until for one in spans[:2]]


def test_attempts_of_other_letters_are_not_its(server: Server) -> None:
    cast = paid(server, "a")
    with cast.scope():
        Attempt.objects.update(letter="b")
    assert compare("a")[1] == [("strange", "payment")]


def test_what_is_booked_and_what_is_disputed_are_found_by_indexes() -> None:
    now = timezone.now()
    with unscoped(reason="test: plans"), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        assert "posting_cash" in services.booked_by("a", now, now).explain()
        refs = Attempt.objects.filter(payment_ref__in=[f"pi_{n}" for n in range(300)], adapter="stripe")
        assert "attempt_payment_ref" in refs.exclude(payment_ref="").explain()


def test_staff_compare_an_account_that_was_never_compared(server: Server, client: Client) -> None:
    staff = User.objects.create_superuser("root@example.com", "correct horse battery")
    client.force_login(staff)
    account = GatewayAccount.objects.get(letter="a")
    page = reverse("admin:billing_gatewayaccount_change", args=[account.pk])
    assert "Compare now" in client.get(page).content.decode()
    press = reverse("admin:billing_gatewayaccount_command", args=[account.pk])
    assert "Comparison started: 1" in client.post(press, {"command": "compare_now"}, follow=True).content.decode()
    assert "one is under way" in client.post(press, {"command": "compare_now"}, follow=True).content.decode()
    row = Reconciliation.objects.get()
    assert (row.account_id, row.asked_by_id, row.status) == (account.pk, staff.pk, "due")
    work(float("inf"))
    row.refresh_from_db()
    assert (row.status, row.differences) == ("done", 0)
