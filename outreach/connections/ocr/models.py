from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel, Job
from core.tenancy.models import MADE_BY_MEMBER
from core.text.translation import gettext_lazy as _

CONFIDENCE = 0.9


class Ocr(CompanyModel):
    """A connected app that reads pictures. `name` is the key of its provider."""

    name = models.CharField(max_length=32)
    key = EncryptedTextField(blank=True, default="", bound_to=("name",))
    key_hint = models.CharField(max_length=4, blank=True, editable=False, help_text="The end of the key.")
    confidence = models.FloatField(
        default=CONFIDENCE,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("Skips fields that the reader is less sure about."),
    )
    is_active = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    last_error = models.TextField(blank=True, default="", editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("card reader")
        constraints = [
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="ocr_one_default")
        ]


class CardScan(Job):
    """A picture of a business card, and the text and fields that were read from it. It is deleted with its file."""

    seen_by = MADE_BY_MEMBER

    file = CompanyForeignKey("crm.File", on_delete=models.CASCADE, related_name="+", db_index=False)
    ocr = CompanyForeignKey(Ocr, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    lines = JSONField(default=list, help_text="What the card says, line by line.")
    fields = JSONField(default=list, help_text="What was made of it: {field, value, confidence, read, note}.")
    form_data = JSONField(default=dict, help_text="The values for a contact.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(Job.Meta):
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="queued"), name="cardscan_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="cardscan_running"),
            models.Index(fields=("file",), name="cardscan_file"),
        ]
