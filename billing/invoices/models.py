from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from core.fields import CompanyForeignKey, JSONField
from core.models import BaseModel, CompanyModel
from core.text.translation import gettext_lazy as _


class Seller(BaseModel):
    """The seller: details on invoices and for bank transfers. There is one."""

    name = models.CharField(max_length=200)
    address = models.TextField(max_length=500, blank=True)
    country = models.CharField(max_length=2, blank=True, help_text=_("Two-letter code, such as DE."))
    vat_id = models.CharField(max_length=30, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    oss = models.BooleanField(
        "one stop shop",
        default=False,
        help_text=_("Charge EU consumers the tax rate of their country."),
    )
    timezone = models.CharField(max_length=64, default="UTC", help_text=_("Time zone for dates on invoices."))
    bank_instructions = models.TextField(
        max_length=1000, blank=True, help_text=_("Account and IBAN. Leave empty to refuse bank transfers.")
    )
    only = models.BooleanField(default=True, unique=True, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(only=True), name="seller_is_one")]


class InvoiceSeries(models.Model):
    """The last number of a series in a year. Issuing locks the row until it commits, so that no number is left out."""

    name = models.CharField(max_length=16, primary_key=True)
    last = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = _("invoice series")

    def __str__(self) -> str:
        return f"{self.name}-{self.last}"


class Invoice(CompanyModel):
    """An invoice of a company. A draft gets its number when it is issued; from then on a trigger protects it."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        ISSUED = "issued"
        PAID = "paid"
        VOID = "void", "dropped before it was issued"
        CREDITED = "credited", "taken back by a credit note"
        UNCOLLECTIBLE = "uncollectible", "written off"

    class Kind(models.TextChoices):
        CYCLE = "cycle", "a period"
        SEATS = "seats", "seats for the rest of a period"
        ADD_ONS = "addons", "add-ons for the rest of a period"

    subscription = CompanyForeignKey("billing.Subscription", on_delete=models.PROTECT, related_name="invoices")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.CYCLE)
    status = models.CharField(max_length=13, choices=Status, default=Status.DRAFT)
    number = models.CharField(max_length=24, null=True, unique=True)
    currency = models.CharField(max_length=3)
    decimals = models.PositiveSmallIntegerField(help_text="Of the currency, as they were.")
    subtotal_minor = models.BigIntegerField()
    discount_minor = models.BigIntegerField(default=0)
    tax_minor = models.BigIntegerField(default=0)
    total_minor = models.BigIntegerField()
    buyer = JSONField(default=dict, help_text="Billing details as they were.")
    seller = JSONField(default=dict)
    tax_basis = JSONField(default=dict, help_text="Which tax it is and why: rule, country, percent, note.")
    period_start = models.DateTimeField(null=True)
    period_end = models.DateTimeField(null=True)
    issued_on = models.DateField(null=True, help_text="The day in the seller's time zone.")
    issued_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    paid_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(total_minor=F("subtotal_minor") - F("discount_minor") + F("tax_minor")),
                name="invoice_adds_up",
            ),
            models.CheckConstraint(condition=Q(total_minor__gte=0), name="invoice_not_negative"),
            models.CheckConstraint(
                condition=Q(number__isnull=True) ^ Q(status__in=("issued", "paid", "credited", "uncollectible")),
                name="invoice_number_when_issued",
            ),
        ]
        indexes = [models.Index(fields=("company", "-created_at", "-id"), name="invoice_newest")]

    def __str__(self) -> str:
        return self.number or gettext("Draft")


class InvoiceLine(CompanyModel):
    """A line of an invoice. `amount_minor` is before discount and tax; both are shared out over the lines."""

    invoice = CompanyForeignKey(Invoice, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=300)
    quantity = models.PositiveIntegerField(default=1)
    unit_minor = models.BigIntegerField()
    amount_minor = models.BigIntegerField()
    discount_minor = models.BigIntegerField(default=0)
    tax_percent = models.DecimalField(max_digits=6, decimal_places=3, default=0)
    tax_minor = models.BigIntegerField(default=0)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "invoice", "position"), name="invoiceline_place")]

    def __str__(self) -> str:
        return self.text


class CreditNote(CompanyModel):
    """The credit of an issued invoice, numbered in a series of its own."""

    invoice = CompanyForeignKey(Invoice, on_delete=models.PROTECT, related_name="credit_notes")
    number = models.CharField(max_length=24, unique=True)
    amount_minor = models.BigIntegerField(help_text="Tax included.")
    tax_minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=300)
    issued_on = models.DateField()

    class Meta(CompanyModel.Meta):
        indexes = [
            models.Index(fields=("company", "invoice"), name="creditnote_invoice"),
            models.Index(fields=("company", "-created_at", "-id"), name="creditnote_newest"),
        ]

    def __str__(self) -> str:
        return self.number
