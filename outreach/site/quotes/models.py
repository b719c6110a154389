from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField, NameField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _

PREFIX = "Q-"
MAX_PREFIX = 20


class QuoteSettings(CompanyModel):
    """A company's settings for quotes, and the last number that it has used."""

    prefix = NameField(max_length=MAX_PREFIX, blank=True, default=PREFIX, help_text="Before the number of each quote.")
    last_number = models.PositiveIntegerField(default=0, editable=False)
    valid_days = models.PositiveSmallIntegerField(default=30, help_text="Days for which new quotes are valid.")
    terms = models.TextField(blank=True, default="", help_text="The terms of new quotes.")
    moves_accepted = models.BooleanField(default=True, help_text="An accepted quote moves its lead.")
    accepted_stage = CompanyForeignKey(
        "crm.Stage",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Leads of accepted quotes move here; empty: to the first won stage of their pipeline.",
    )
    declined_stage = CompanyForeignKey(
        "crm.Stage",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Leads of declined quotes move here; empty: they stay.",
    )
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = verbose_name_plural = _("quote settings")
        constraints = [models.UniqueConstraint(fields=("company",), name="quotesettings_once")]

    def __str__(self) -> str:
        return self.prefix or str(self.last_number)


class Quote(CompanyModel):
    """A version of a quote to the contact of a lead. A deleted one can be restored for some days."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        SENT = "sent"
        VIEWED = "viewed"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        EXPIRED = "expired"

    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, related_name="quotes", db_index=False)
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, related_name="quotes", db_index=False, help_text="The lead's contact."
    )
    owner = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    number = models.CharField(max_length=MAX_PREFIX + 12, editable=False)
    version = models.PositiveSmallIntegerField(default=1, editable=False)
    replaced_by = CompanyForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="replaces",
        db_index=False,
        help_text="The next version of the quote.",
    )
    title = NameField(max_length=200)
    status = models.CharField(max_length=8, choices=Status, default=Status.DRAFT)
    currency = models.CharField(max_length=3, help_text="ISO 4217 code.")
    lines = JSONField(default=list, help_text="name, quantity, unitPrice, discount, tax and amounts of each line.")
    subtotal = models.DecimalField(max_digits=18, decimal_places=4, default=0, help_text="Without discount and tax.")
    discount = models.DecimalField(max_digits=18, decimal_places=4, default=0)
    net = models.DecimalField(max_digits=18, decimal_places=4, default=0)
    tax = models.DecimalField(max_digits=18, decimal_places=4, default=0)
    total = models.DecimalField(max_digits=18, decimal_places=4, default=0, help_text="With tax.")
    valid_until = models.DateTimeField(help_text="The last moment at which it can be accepted.")
    notes = models.TextField(blank=True, default="", help_text="Above the lines.")
    terms = models.TextField(blank=True, default="", help_text="Below the lines.")
    pdf = CompanyForeignKey(
        "crm.File", on_delete=models.SET_NULL, null=True, related_name="+", help_text="The PDF that was sent."
    )
    mail = CompanyForeignKey(
        "outreach.PersonalMail", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Its last email."
    )
    sent_at = models.DateTimeField(null=True, editable=False)
    viewed_at = models.DateTimeField(null=True, editable=False)
    answered_at = models.DateTimeField(null=True, editable=False)
    accepted_name = NameField(max_length=200, blank=True, default="", help_text="The name that the customer entered.")
    answered_from = models.GenericIPAddressField(
        null=True, editable=False, help_text="The IP address of the answer, without its last part."
    )
    decline_reason = models.CharField(max_length=500, blank=True, default="")
    deleted_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("quote")
        constraints = [models.UniqueConstraint(fields=("company", "number", "version"), name="quote_number")]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="quote_newest"),
            models.Index(fields=("company", "status", "id"), name="quote_status"),
            models.Index(fields=("lead", "created_at", "id"), name="quote_lead"),
            models.Index(fields=("contact", "created_at", "id"), name="quote_contact"),
            models.Index(fields=("company", "valid_until", "id"), name="quote_valid"),
            models.Index(fields=("company", "owner", "id"), name="quote_owner"),
            models.Index(fields=("replaced_by",), condition=Q(replaced_by__isnull=False), name="quote_replaced"),
            models.Index(
                fields=("valid_until",), condition=Q(status__in=("sent", "viewed"), deleted_at=None), name="quote_open"
            ),
            models.Index(fields=("deleted_at",), condition=Q(deleted_at__isnull=False), name="quote_deleted"),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """Return the number, and the version from the second on."""
        return self.number if self.version == 1 else f"{self.number} v{self.version}"

    @property
    def is_open(self) -> bool:
        """Return whether the customer has it and has not answered."""
        return self.status in (self.Status.SENT, self.Status.VIEWED)
