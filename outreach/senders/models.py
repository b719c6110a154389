from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from core.fields import CompanyForeignKey, EncryptedTextField
from core.models import CompanyModel


class Smtp(CompanyModel):
    """A connected SMTP sender with its limits."""

    name = models.CharField(max_length=200, blank=True, default="")
    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField(validators=[MinValueValidator(1), MaxValueValidator(65535)])
    username = models.CharField(max_length=255)
    password = EncryptedTextField(bound_to=("host", "port", "username", "secure"))
    secure = models.BooleanField(default=True)
    from_email = models.EmailField(max_length=254)
    from_name = models.CharField(max_length=200)
    verified = models.BooleanField(default=True)
    is_active = models.BooleanField(default=True)
    per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Most messages in any 60 seconds; empty: no limit."
    )
    per_hour = models.PositiveIntegerField(null=True, blank=True)
    per_day = models.PositiveIntegerField(null=True, blank=True)
    ramp_start = models.PositiveIntegerField(
        null=True, blank=True, help_text="Messages on the sender's first day; grows by ramp_step a day up to per_day."
    )
    ramp_step = models.PositiveIntegerField(null=True, blank=True)
    first_sent_on = models.DateField(null=True, blank=True, editable=False)
    last_error = models.TextField(blank=True, editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    failures = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Sessions in a row that could not be opened or used."
    )
    paused_until = models.DateTimeField(
        null=True, editable=False, help_text="Nothing of this sender is claimed before; set by the worker."
    )
    paused_reason = models.CharField(max_length=64, blank=True, default="", editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = "SMTP sender"

    def __str__(self) -> str:
        return f"{self.name or self.host} <{self.from_email}>"
