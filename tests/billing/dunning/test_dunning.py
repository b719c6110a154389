"""What becomes of a renewal that is not paid at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.models import Company, Mail
from billing.checkout.services import choose_method, subscribe
from billing.dunning import services
from billing.dunning.schedule import is_hard, next_try
from billing.dunning.services import retry_now, write_off_renewal
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured, PaymentState
from billing.ledger.services import BANK
from billing.models import Attempt, Dunning, PaymentMethod, Posting
from billing.payments.attempts import begin
from billing.payments.orders import cancel_open_order
from billing.payments.settlement import apply_received_money
from billing.subscriptions.changes import lock_primary
from billing.subscriptions.selectors import state_words
from billing.subscriptions.services import cancel_subscription
from core.errors import NamedError
from core.tenancy import company_scope, unscoped
from tests.billing.checkout.helpers import books_hold
from tests.billing.renewals.helpers import FakeGateway, charged, dunning, invoices, renewal, save_card
from tests.billing.subscriptions.helpers import actions, at, days, mails, plan_of, primary, run_renewals, subscribed
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db
END = datetime(2026, 4, 30, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def nine(day: int, month: int = 5) -> datetime:
    return datetime(2026, month, day, 9, tzinfo=UTC)


def charges(company: Company) -> list[str]:
    with company_scope(company.pk):
        rows = Attempt.objects.filter(kind="charge").order_by("created_at", "pk")
        return [one.status for one in rows]


@pytest.mark.parametrize(
    ("first", "tries", "now", "expected"),
    [
        (END, 1, END, nine(1)),
        (END, 2, nine(1), nine(3)),
        (END, 4, nine(5), nine(7)),
        (END, 5, nine(7), None),
        (END, 1, nine(4), nine(5)),
        (END, 1, datetime(2026, 5, 4, 3, tzinfo=UTC), nine(4)),
    ],
)
def test_tries_are_on_mornings_and_one_that_was_slept_over_is_on_the_next(
    first: datetime, tries: int, now: datetime, expected: datetime | None
) -> None:
    assert next_try(first, tries, (0, 1, 3, 5, 7), ZoneInfo("UTC"), now) == expected


def test_mornings_are_those_of_the_customer_when_clocks_change() -> None:
    first = datetime(2026, 10, 24, 12, tzinfo=UTC)
    found = next_try(first, 1, (0, 1), BERLIN, first)
    assert found is not None
    assert (found.astimezone(BERLIN).hour, found) == (9, datetime(2026, 10, 25, 8, tzinfo=UTC))


def test_a_refused_charge_is_tried_again_each_time_with_one_mail_and_then_paid(gateway: FakeGateway) -> None:
    gateway.answers = [GatewayRefused("insufficient_funds")] * 2
    company = charged()
    run_renewals(END)
    run_renewals(END)
    assert (primary(company).status, mails(company)) == ("past_due", ["notice_payment_failed"])
    row = dunning(company)
    assert (row.tries, row.since, row.next_try_at, row.reason) == (1, END, nine(1), "insufficient_funds")
    run_renewals(nine(1))
    assert (charges(company), dunning(company).next_try_at) == (["failed", "failed"], nine(3))
    run_renewals(nine(3))
    assert charges(company) == ["failed", "failed", "paid"]
    found = primary(company)
    assert (found.status, found.period_start) == ("active", END)
    assert mails(company) == [*["notice_payment_failed"] * 2, "notice_payment_received"]
    run_renewals(nine(4))
    assert (dunning(company).status, len(invoices(company)), len(gateway.paid)) == ("done", 1, 1)
    with unscoped(reason="test"):
        text = Mail.objects.filter(company_id=company.pk).earliest("created_at").text
    assert "$10.00 for the next period of the subscription of Harbour Tools." in text
    assert "Plan: Club" in text
    assert "We try again on 1 May 2026, 09:00" in text
    books_hold()


def test_nothing_is_paid_in_all_tries_and_access_ends(gateway: FakeGateway) -> None:
    gateway.answers = [GatewayRefused("insufficient_funds")] * 9
    company = charged()
    for hour in range(24 * 8):
        if hour % 3 == 0:
            run_renewals(END + days(hour / 24))
    assert (primary(company).status, primary(company).ends_at) == ("expired", END + days(7))
    assert charges(company) == ["failed"] * 5
    assert mails(company) == [*["notice_payment_failed"] * 5, "ended"]
    assert actions(company)[2:] == ["billed", "past_due", "expired"]


def test_a_hard_refusal_is_not_repeated_until_another_method_is_saved(gateway: FakeGateway) -> None:
    assert is_hard("expired_card")
    gateway.answers = [GatewayRefused("expired_card")]
    company = charged()
    for day in (0, 1, 2, 3):
        run_renewals(END + days(day))
    assert (charges(company), mails(company)) == (["failed"], ["notice_payment_failed"])
    save_card(company, "Visa 1111")
    run_renewals(END + days(4))
    assert (charges(company), primary(company).status) == (["failed", "paid"], "active")


def test_another_default_method_is_charged_at_once(gateway: FakeGateway) -> None:
    gateway.answers = [GatewayRefused("stolen_card")]
    company = charged()
    run_renewals(END)
    moment = END + days(0.01)
    other = save_card(company, "Visa 1111")
    with at(moment), company_scope(company.pk):
        PaymentMethod.objects.update(is_default=False)
        choose_method(other.pk)
    run_renewals(moment)
    assert (charges(company), primary(company).period_start) == (["failed", "paid"], END)


def test_retry_now_charges_at_once_and_only_what_is_to_be_paid(gateway: FakeGateway) -> None:
    company = charged()
    with pytest.raises(NamedError, match="no renewal waits"):
        retry_now(company_id=company.pk)
    gateway.answers = [GatewayRefused("stolen_card")]
    run_renewals(END)
    with at(END + days(0.1)):
        retry_now(company_id=company.pk)
    run_renewals(END + days(0.1))
    assert charges(company) == ["failed", "paid"]
    assert len(gateway.paid) == 1


def test_a_misconfigured_gateway_burns_no_attempt_and_costs_nobody_access(gateway: FakeGateway) -> None:
    gateway.answers = [Misconfigured("revoked")] * 9
    company = charged()
    for day in range(9):
        run_renewals(END + days(day))
    found = primary(company)
    assert (found.status, mails(company), dunning(company).tries) == ("active", [], 1)
    assert found.ends_at is not None
    assert found.ends_at > END + days(9)
    gateway.answers = []
    run_renewals(END + days(10))
    assert (primary(company).period_start, charges(company)) == (END, ["paid"])


def test_a_charge_that_has_to_be_confirmed_is_let_go_and_the_order_can_be_paid_on_a_page(gateway: FakeGateway) -> None:
    gateway.answers = [PaymentState.ACTION]
    company = charged()
    run_renewals(END)
    assert (primary(company).status, mails(company)) == ("past_due", ["notice_payment_action_needed"])
    with company_scope(company.pk):
        assert not Attempt.objects.filter(left_at__isnull=True).exists()
    for day in (1, 3):
        run_renewals(END + days(day))
    assert mails(company) == ["notice_payment_action_needed"]


def test_no_page_is_begun_while_the_saved_method_is_charged(gateway: FakeGateway) -> None:
    gateway.answers = [AmbiguousOutcome("no answer")]
    company = charged()
    run_renewals(END)
    with at(END), company_scope(company.pk), pytest.raises(NamedError, match="being charged"):
        begin(letter="a", payment_id=renewal(company).pk)


def test_a_renewal_of_a_cancelled_subscription_is_left_with_a_credit_note() -> None:
    company = subscribed()
    run_renewals(END)
    with at(END + days(1)):
        cancel_subscription(company_id=company.pk, at_period_end=False)
    run_renewals(END + days(2))
    assert ([one.status for one in invoices(company)], renewal(company).status) == (["credited"], "cancelled")
    assert dunning(company).status == "done"
    books_hold()


def test_a_period_whose_order_was_left_for_another_is_billed_anew_without_further_grace(gateway: FakeGateway) -> None:
    gateway.answers = [GatewayRefused("insufficient_funds")]
    company = charged()
    run_renewals(END)
    with at(END + days(0.5)), company_scope(company.pk), lock_primary(company.pk):
        cancel_open_order()
    run_renewals(END + days(1.5))
    assert [one.status for one in invoices(company)] == ["credited", "paid"]
    assert (primary(company).status, primary(company).period_start) == ("active", END)
    books_hold()


def test_another_plan_that_is_chosen_while_past_due_begins_where_the_paid_period_ended() -> None:
    company, cheaper = subscribed(), plan_of("Small", amount="7")
    run_renewals(END)
    with at(END + days(6)), company_scope(company.pk), lock_primary(company.pk):
        quote, order = subscribe(values={"plan_id": cheaper.pk}, member_id=None)
        assert order is not None
        apply_received_money(order, account=BANK, by="bank", tx=f"pay:{order.pk}")
    found = primary(company)
    period = (END, datetime(2026, 5, 31, 12, tzinfo=UTC))
    assert (quote.period, quote.from_now, quote.total) == (period, False, 700)
    assert (found.status, found.plan, found.period_start, found.period_end) == ("active", cheaper, *period)
    assert [(one.status, one.period_start) for one in invoices(company)] == [("credited", END), ("paid", END)]
    books_hold()


def test_staff_write_off_what_will_not_be_paid() -> None:
    company = subscribed()
    run_renewals(END)
    with at(END + days(1)):
        write_off_renewal(row=dunning(company), by=UserFactory(), note="they are gone")
        with pytest.raises(NamedError, match="paid, left or being paid"):
            write_off_renewal(row=dunning(company), by=UserFactory(), note="again")
    assert [one.status for one in invoices(company)] == ["uncollectible"]
    with company_scope(company.pk):
        sums: dict[str, int] = {}
        for line in Posting.objects.all():
            sums[line.account] = sums.get(line.account, 0) + line.amount_minor
    assert sums == {"receivable": 0, "revenue": -1000, "writeoff": 1000}


def test_trouble_with_one_renewal_keeps_no_other_from_its_turn(
    gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = charged(), charged()
    step: Any = services._step

    def stumble(row: Dunning, *rest: Any) -> bool:
        if row.company_id == bad.pk:
            raise RuntimeError("broken")
        return bool(step(row, *rest))

    monkeypatch.setattr(services, "_step", stumble)
    run_renewals(END)
    assert (primary(good).period_start, dunning(bad).status) == (END, "due")
    monkeypatch.setattr(services, "_step", step)
    run_renewals(END + days(1))
    assert primary(bad).period_start == END


def test_the_words_follow_the_state() -> None:
    company = subscribed()

    def kind(moment: datetime) -> str | None:
        with at(moment):
            found = state_words(primary(company))
        return found.kind if found else None

    assert kind(END - days(1)) is None
    run_renewals(END)
    assert [kind(END + days(day)) for day in (0, 3.4, 3.6, 7)] == ["past_due", "past_due", "grace", "ended"]
    with at(END):
        found = state_words(primary(company))
    assert found is not None
    assert found.sentence == (
        "The subscription is to be paid: from 4 May 2026 nothing new is sent or begun, and access ends on 7 May 2026."
    )
