"""Makers of rows of billing."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from billing.models import (
    AddOn,
    Attempt,
    BillingDetails,
    Charge,
    Coupon,
    CreditNote,
    Currency,
    Difference,
    Dispute,
    DisputeWatch,
    Dunning,
    GatewayAccount,
    GatewayEvent,
    Invoice,
    InvoiceLine,
    InvoiceSeries,
    MeterPeriod,
    MethodSetup,
    Payment,
    PaymentMethod,
    Plan,
    PlanVersion,
    Posting,
    Reconciliation,
    Redemption,
    Refund,
    Seller,
    Subscription,
    SubscriptionChange,
    SubscriptionItem,
    TaxRate,
    Transaction,
    UsageEvent,
)
from core.ids import new_id
from tests.guards.backoffice_rows.shared import SECRET, Makers, in_other_company
from tests.kit.factories import SubscriptionFactory


def make_invoice(n: int) -> Invoice:
    subscription = Subscription.objects.first() or SubscriptionFactory()
    return Invoice.objects.create(
        subscription=subscription, currency="USD", decimals=2, subtotal_minor=n, total_minor=n
    )


def make_payment(n: int) -> Payment:
    invoice = make_invoice(n)
    return Payment.objects.create(
        number=f"P{new_id()[-8:]}",
        subscription_id=invoice.subscription_id,
        invoice=invoice,
        status="paid",
        amount_minor=n,
        currency="USD",
        expires_at=timezone.now(),
    )


def make_attempt(n: int) -> Attempt:
    return Attempt.objects.create(payment=make_payment(n), letter="a", adapter="stripe", status="paid")


def make_credit_note(n: int) -> CreditNote:
    return CreditNote.objects.create(
        invoice=make_invoice(n),
        number=f"CN-{new_id()[-8:]}",
        amount_minor=n,
        currency="USD",
        reason=f"Returned {n}",
        issued_on=timezone.now().date(),
    )


def make_coupon(n: int) -> Coupon:
    return Coupon.objects.create(code=f"CODE{new_id()[-8:].upper()}", percent=10)


def make_month(n: int) -> MeterPeriod:
    return MeterPeriod.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        meter=f"meter-{n}",
        starts_at=timezone.now() - timedelta(days=n),
        ends_at=timezone.now() + timedelta(days=n),
        allowed=n,
        included=n,
    )


def make_add_on(n: int) -> AddOn:
    return AddOn.objects.create(name=f"Add-on {new_id()[-8:]}", order=n, is_public=False)


def make_version(n: int) -> PlanVersion:
    plan = Plan.objects.create(name=f"Kept {new_id()[-8:]}")
    return PlanVersion.objects.create(plan=plan, min_seats=n + 1)


def make_gateway(n: int) -> GatewayAccount:
    """Return the n-th account; there are five letters."""
    values = {"adapter": "stripe", "secret_key": SECRET, "webhook_secret": SECRET}
    return GatewayAccount.objects.get_or_create(letter="abcde"[n % 5], defaults=values)[0]


def make_reconciliation(n: int) -> Reconciliation:
    times = {"since": timezone.now() - timedelta(days=n + 1), "until": timezone.now()}
    return Reconciliation.objects.create(account=make_gateway(n), status="done", payments=n, **times)


def make_posting(n: int) -> Posting:
    lines = [
        Posting(tx=f"inv:{n}", leg=leg, account="x", amount_minor=sum, currency="USD") for leg, sum in ((0, 1), (1, -1))
    ]
    return Posting.objects.bulk_create(lines)[0]


def make_transaction(n: int) -> Transaction:
    payment = make_payment(n)
    return Transaction.objects.create(
        kind="payment", amount_minor=n, currency="USD", by="bank", payment=payment, invoice_id=payment.invoice_id
    )


ROWS: Makers = {
    Plan: lambda n: Plan.objects.create(name=f"Plan {n}", modules=["contact"], limits={"contact": 10}),
    Currency: lambda n: Currency.objects.create(code=f"{n:03d}", name=f"Currency {n}", symbol="X"),
    Subscription: lambda n: in_other_company(SubscriptionFactory),
    SubscriptionChange: lambda n: SubscriptionChange.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        action="changed",
        before={"seats": n},
        after={"seats": n + 1},
    ),
    Dunning: lambda n: Dunning.objects.create(payment=make_payment(n), tries=n, reason=f"code {n}"),
    GatewayAccount: make_gateway,
    GatewayEvent: lambda n: GatewayEvent.objects.create(account=make_gateway(n), event_id=f"evt_{n}"),
    Invoice: make_invoice,
    InvoiceLine: lambda n: InvoiceLine.objects.create(
        invoice=make_invoice(n), position=1, text=f"Seats {n}", unit_minor=n, amount_minor=n
    ),
    InvoiceSeries: lambda n: InvoiceSeries.objects.create(name=f"INV-{n}", last=n),
    CreditNote: make_credit_note,
    Seller: lambda n: Seller.objects.get_or_create(defaults={"name": "Seller"})[0],
    Payment: make_payment,
    Dispute: lambda n: Dispute.objects.create(
        attempt=make_attempt(n), gateway_id=f"dp_{n}", amount_minor=n + 1, currency="USD", reason=f"fraud {n}"
    ),
    DisputeWatch: lambda n: DisputeWatch.objects.create(attempt=make_attempt(n), status="idle", error=f"Slow {n}"),
    MethodSetup: lambda n: MethodSetup.objects.create(
        letter="a", adapter="stripe", status="failed", currency="USD", gateway_id=f"cs_{n}", reason=f"Nobody {n}"
    ),
    Reconciliation: make_reconciliation,
    Difference: lambda n: Difference.objects.create(
        reconciliation=make_reconciliation(n),
        account=make_gateway(n),
        kind="strange",
        what="payment",
        gateway_ref=f"pi_{n}_{new_id()}",
        amount_there=n,
        currency="USD",
    ),
    Attempt: make_attempt,
    PaymentMethod: lambda n: PaymentMethod.objects.create(
        letter="a", adapter="stripe", token=SECRET, token_hash=f"{n:064}", label=f"Visa {n}"
    ),
    Refund: lambda n: Refund.objects.create(
        attempt=make_attempt(n), credit_note=make_credit_note(n), amount_minor=n + 1, currency="USD"
    ),
    Transaction: make_transaction,
    Posting: make_posting,
    Coupon: make_coupon,
    AddOn: make_add_on,
    SubscriptionItem: lambda n: SubscriptionItem.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        add_on=make_add_on(n),
        quantity=n + 1,
        unit_amount=n,
    ),
    Charge: lambda n: Charge.objects.create(
        subscription=Subscription.objects.first() or SubscriptionFactory(),
        kind="metered",
        description=f"Messages {n}",
        amount_minor=n,
        currency="USD",
        source=f"meter:{new_id()}",
    ),
    MeterPeriod: make_month,
    UsageEvent: lambda n: UsageEvent.objects.create(period=make_month(n), meter=f"meter-{n}", source=new_id()),
    PlanVersion: make_version,
    Redemption: lambda n: Redemption.objects.create(coupon=make_coupon(n), payment=make_payment(n), state="redeemed"),
    TaxRate: lambda n: TaxRate.objects.create(
        name="VAT", country="DE", percent=19, valid_from=timezone.now().date() - timedelta(days=n)
    ),
    BillingDetails: lambda n: in_other_company(lambda: BillingDetails.objects.create(name=f"Buyer {n}")),
}
