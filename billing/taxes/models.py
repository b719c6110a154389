from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import JSONField
from core.models import BaseModel, CompanyModel
from core.text.translation import gettext_lazy as _


class TaxRate(BaseModel):
    """The tax on payments of buyers in a country. Without a rate for their country they pay none."""

    name = models.CharField(max_length=60, help_text=_("Name on invoices, such as VAT."))
    country = models.CharField(max_length=2, help_text=_("Two-letter code of the buyer's country."))
    percent = models.DecimalField(max_digits=6, decimal_places=3)
    valid_from = models.DateField()
    valid_until = models.DateField(null=True, blank=True, help_text=_("Last day. Leave empty for no end."))

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(percent__gte=0, percent__lte=100), name="taxrate_percent"),
            models.UniqueConstraint(fields=("country", "valid_from"), name="taxrate_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.percent.normalize():f} % ({self.country})"


class BillingDetails(CompanyModel):
    """The recipient of a company's invoices. Invoices keep a copy."""

    name = models.CharField(max_length=200, blank=True)
    address = models.TextField(max_length=500, blank=True)
    country = models.CharField(max_length=2, blank=True, help_text=_("Two-letter code, such as DE."))
    vat_id = models.CharField(max_length=30, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    vat_look_at = models.DateTimeField(
        null=True, editable=False, help_text="When VIES is asked about the VAT id next; empty: it is not."
    )
    vat_evidence = JSONField(default=dict, editable=False, help_text="What VIES said of the VAT id, and when.")

    class Meta(CompanyModel.Meta):
        verbose_name_plural = _("billing details")
        indexes = [
            models.Index(
                fields=("vat_look_at",), condition=Q(vat_look_at__isnull=False), name="billingdetails_vat_look"
            )
        ]
        constraints = [models.UniqueConstraint(fields=("company",), name="billingdetails_one")]
