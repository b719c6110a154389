from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.gateways.models import GatewayAccount
from billing.invoices.models import Invoice
from billing.plans.models import Plan, PlanPrice
from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import BaseModel, ClaimPolicy, CompanyModel, CompanyWork
from core.text.formats import day_text
from core.text.translation import gettext_lazy as _


class Payment(CompanyModel):
    """An order: one invoice that is to be paid, by any gateway or by bank. A company has one open order.

    Its id is the contract's manualPaymentID.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        PAID = "paid"
        CANCELLED = "cancelled"

    class Bank(models.TextChoices):
        NONE = ""
        AWAITING = "awaiting"
        SUBMITTED = "submitted"
        APPROVED = "approved"
        REJECTED = "rejected"
        EXPIRED = "expired"

    number = models.CharField(max_length=12, help_text="What a bank transfer says.")
    subscription = CompanyForeignKey("billing.Subscription", on_delete=models.PROTECT, related_name="payments")
    invoice = CompanyForeignKey(Invoice, on_delete=models.PROTECT, related_name="payments")
    status = models.CharField(max_length=9, choices=Status, default=Status.OPEN)
    amount_minor = models.BigIntegerField(help_text="To be paid: the invoice's total less what the balance covers.")
    credit_minor = models.BigIntegerField(default=0, help_text="What the company's balance covers.")
    currency = models.CharField(max_length=3)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, null=True, related_name="+")
    interval = models.CharField(max_length=5, choices=PlanPrice.Interval, blank=True)
    seats = models.PositiveIntegerField(null=True)
    from_now = models.BooleanField(default=False, help_text="The period begins when it is paid.")
    renews = models.DateTimeField(
        null=True, help_text="Of a renewal, whose invoice is issued already: when the period that it pays begins."
    )
    basis = JSONField(default=dict, help_text="What its amount was reckoned from, so that it can be reckoned again.")
    expires_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    bank_state = models.CharField(max_length=9, choices=Bank, blank=True, default="")
    proof = models.CharField(max_length=2048, blank=True, help_text="A file's id, or what the payer says.")
    proof_file = CompanyForeignKey("crm.File", on_delete=models.SET_NULL, null=True, related_name="+")
    reference = models.CharField(max_length=200, blank=True)
    transferred_on = models.DateField(null=True)
    note = models.CharField(max_length=1000, blank=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+")
    decision = models.CharField(max_length=300, blank=True, help_text="Why it was rejected.")

    class Meta(CompanyModel.Meta):
        constraints = [
            # Two open orders could both be paid, and their prices assume that the other one is not.
            models.UniqueConstraint(fields=("company",), condition=Q(status="open"), name="payment_one_open"),
            models.UniqueConstraint(fields=("company", "number"), name="payment_number"),
            # PostgreSQL itself refuses to bill a period twice, even if two
            # workers take the same subscription.
            models.UniqueConstraint(
                fields=("company", "subscription", "renews"),
                condition=Q(status__in=("open", "paid")),
                name="payment_renews_once",
            ),
            # A negative amount would be paid out by the postings of the settlement.
            models.CheckConstraint(condition=Q(amount_minor__gte=0, credit_minor__gte=0), name="payment_not_negative"),
        ]
        indexes = [
            models.Index(fields=("company", "-created_at", "-id"), name="payment_newest"),
            # Partial indexes: of millions of orders only the few open ones are ever scanned for.
            models.Index(fields=("expires_at",), condition=Q(status="open"), name="payment_expires"),
            models.Index(fields=("created_at",), condition=Q(bank_state="submitted"), name="payment_submitted"),
        ]

    def __str__(self) -> str:
        return self.number


class Attempt(CompanyWork):
    """An attempt to pay an order at one gateway. Its id is our reference there.

    No money moves before the gateway's own id is committed here (docs/decisions/0022). Workers claim the due ones and
    poll their state at the gateway.
    """

    class Kind(models.TextChoices):
        HOSTED = "hosted", "on the gateway's page"
        CHARGE = "charge", "by a saved method"

    class Status(models.TextChoices):
        DUE = "due", "waits to be looked at"
        WORKING = "working"
        PAID = "paid"
        FAILED = "failed"
        WRONG = "wrong", "parked: the gateway says something else than the order"
        UNKNOWN = "unknown", "parked: the gateway does not say what became of it"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"}, poisoned="unknown")

    payment = CompanyForeignKey(Payment, on_delete=models.CASCADE, related_name="attempts")
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.HOSTED)
    status = models.CharField(max_length=8, choices=Status, default=Status.DUE)
    letter = models.CharField(max_length=1)
    adapter = models.CharField(max_length=16)
    method = CompanyForeignKey("billing.PaymentMethod", on_delete=models.SET_NULL, null=True, related_name="+")
    save_method = models.BooleanField(default=True)
    gateway_id = models.CharField(max_length=255, blank=True, help_text="The gateway's id of it.")
    payment_ref = models.CharField(max_length=255, blank=True, help_text="The gateway's id of the money.")
    url = models.CharField(max_length=2048, blank=True, help_text="The gateway's page.")
    looks = models.PositiveSmallIntegerField(default=0, help_text="Looks in a row that brought nothing new.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed, or what is wrong.")
    seen = JSONField(default=dict, help_text="What the gateway said last.")
    left_at = models.DateTimeField(null=True, help_text="Its order was left; it is looked at in case money comes.")
    disputed_minor = models.BigIntegerField(
        default=0, db_default=0, help_text="What banks hold or have taken back of it, by disputes."
    )

    class Meta(CompanyWork.Meta):
        verbose_name = _("payment attempt")
        verbose_name_plural = _("payment attempts")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "payment"),
                condition=Q(status__in=("due", "working", "wrong", "unknown"), left_at__isnull=True),
                name="attempt_one_open",
            )
        ]
        indexes = [
            models.Index(fields=("due_at", "id"), condition=Q(status="due"), name="attempt_due"),
            models.Index(fields=("status",), condition=Q(status="working"), name="attempt_working"),
            models.Index(fields=("company", "payment"), name="attempt_payment"),
            # Webhooks name a gateway's id and no company, so these two do not begin with one.
            models.Index(fields=("adapter", "gateway_id"), name="attempt_gateway_id"),
            models.Index(fields=("adapter", "payment_ref"), condition=~Q(payment_ref=""), name="attempt_payment_ref"),
            models.Index(fields=("updated_at",), condition=Q(status__in=("wrong", "unknown")), name="attempt_parked"),
        ]

    def __str__(self) -> str:
        return f"Gateway {self.letter.upper()}, {day_text(self.created_at)}"


class PaymentMethod(CompanyModel):
    """A company's payment method that is saved at a gateway. Of a card, only the gateway's description is stored."""

    letter = models.CharField(max_length=1)
    adapter = models.CharField(max_length=16)
    token = EncryptedTextField()
    customer = models.CharField(max_length=255, blank=True)
    token_hash = models.CharField(max_length=64, editable=False)
    label = models.CharField(max_length=60, help_text="Such as Visa 4242.")
    brand = models.CharField(max_length=30, blank=True, default="", db_default="")
    last4 = models.CharField(max_length=4, blank=True, default="", db_default="")
    expires_on = models.DateField(null=True, help_text="The last day on which a card is good.")
    is_default = models.BooleanField(default=False)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "token_hash"), name="paymentmethod_once"),
            models.UniqueConstraint(
                fields=("company",), condition=Q(is_default=True), name="paymentmethod_one_default"
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Refund(CompanyWork):
    """A refund. The row is committed first; the gateway is asked for an existing refund before it receives the request.

    Above a limit one staff member requests it and another approves it. Until then there is no credit note.
    """

    class Status(models.TextChoices):
        ASKED = "asked", "waits for a second person"
        REJECTED = "rejected"
        DUE = "due"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"
        UNKNOWN = "unknown"

    class To(models.TextChoices):
        GATEWAY = "gateway", "back by the gateway"
        BALANCE = "balance", "to the company's balance"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"}, poisoned="unknown")

    attempt = CompanyForeignKey(Attempt, on_delete=models.PROTECT, related_name="refunds")
    credit_note = CompanyForeignKey("billing.CreditNote", on_delete=models.PROTECT, null=True, related_name="refunds")
    to = models.CharField(max_length=7, choices=To, default=To.GATEWAY, db_default=To.GATEWAY)
    reason = models.CharField(max_length=300, blank=True, default="", db_default="")
    status = models.CharField(max_length=8, choices=Status, default=Status.DUE)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    gateway_id = models.CharField(max_length=255, blank=True)
    by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+")
    decided_by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision = models.CharField(max_length=300, blank=True, default="", db_default="", help_text="Why it was rejected.")

    class Meta(CompanyWork.Meta):
        constraints = [models.CheckConstraint(condition=Q(amount_minor__gt=0), name="refund_above_zero")]
        indexes = [
            models.Index(fields=("created_at",), condition=Q(status="asked"), name="refund_asked"),
            models.Index(fields=("due_at", "id"), condition=Q(status="due"), name="refund_due"),
            models.Index(fields=("status",), condition=Q(status="working"), name="refund_working"),
            models.Index(fields=("company", "attempt"), name="refund_attempt"),
        ]


class Transaction(CompanyModel):
    """A movement of a company's money, as its people read it. The books are the Postings."""

    class Kind(models.TextChoices):
        PAYMENT = "payment"
        REFUND = "refund"
        CREDIT = "credit", "to the balance"
        CHARGEBACK = "chargeback", "taken back by the bank"
        REVERSAL = "reversal", "a chargeback that was won"

    kind = models.CharField(max_length=10, choices=Kind)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    by = models.CharField(max_length=9, help_text="gateway-a to gateway-e, bank or balance.")
    payment = CompanyForeignKey(Payment, on_delete=models.CASCADE, related_name="transactions")
    invoice = CompanyForeignKey(Invoice, on_delete=models.CASCADE, related_name="transactions")

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "-created_at", "-id"), name="transaction_newest")]


class GatewayEvent(BaseModel):
    """A webhook that has been taken: one row however often it comes. Nothing of its content is believed or kept."""

    account = models.ForeignKey(GatewayAccount, on_delete=models.CASCADE, related_name="events")
    event_id = models.CharField(max_length=255, help_text="The gateway's id of it, or the SHA-256 of its body.")
    hints = JSONField(default=list, help_text="What to look at: our references and the gateway's ids.")
    found = models.PositiveSmallIntegerField(default=0, help_text="Attempts that it made us look at.")

    class Meta:
        verbose_name = _("payment webhook")
        verbose_name_plural = _("payment webhooks")
        constraints = [models.UniqueConstraint(fields=("account", "event_id"), name="gatewayevent_once")]
        indexes = [models.Index(fields=("created_at",), name="gatewayevent_age")]

    def __str__(self) -> str:
        return self.event_id
