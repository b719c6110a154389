from __future__ import annotations

from django.db import models

from core.fields import JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class CompanySettings(CompanyModel):
    """A company's look, formats and defaults; the time zone is the company's own."""

    class DateFormat(models.TextChoices):
        DAY_FIRST = "dd/mm/yyyy"
        MONTH_FIRST = "mm/dd/yyyy"
        ISO = "yyyy-mm-dd"
        DOTS = "dd.mm.yyyy"
        DASHES = "dd-mm-yyyy"
        WORDS = "d mmm yyyy"

    class TimeFormat(models.TextChoices):
        HOURS_24 = "HH:mm"
        HOURS_12 = "hh:mm a"

    class DuplicateLeads(models.TextChoices):
        WARN = "warn"
        REFUSE = "refuse"
        ALLOW = "allow"

    currency = models.CharField(max_length=3, default="USD", help_text=_("Three-letter code, such as EUR."))
    date_format = models.CharField(max_length=10, choices=DateFormat, default=DateFormat.WORDS)
    time_format = models.CharField(max_length=7, choices=TimeFormat, default=TimeFormat.HOURS_24)
    app_name = models.CharField(
        max_length=100, blank=True, help_text=_("Product name in emails and pages. Defaults to the company.")
    )
    app_description = models.CharField(max_length=300, blank=True)
    app_version = models.CharField(max_length=40, blank=True)
    links = JSONField(default=dict, blank=True, help_text="Network -> address of the company's page there.")
    notification_settings = JSONField(
        default=dict, blank=True, help_text="Notice -> how it is sent; one that is absent has its default."
    )
    mobile_background = JSONField(default=dict, blank=True)
    team_settings = JSONField(default=dict, blank=True, help_text="How leads are dealt out.")
    subscription_policies = JSONField(default=dict, blank=True)
    duplicate_leads = models.CharField(
        max_length=6,
        choices=DuplicateLeads,
        default=DuplicateLeads.WARN,
        db_default=DuplicateLeads.WARN,
        help_text=_("For a second open lead of a contact and product."),
    )
    lost_reason_required = models.BooleanField(
        default=False, db_default=False, help_text="A lead cannot be moved to a lost stage without a reason."
    )
    manual_chatbot = JSONField(default=dict, blank=True, help_text="Defaults of new chatbots.")

    class Meta(CompanyModel.Meta):
        verbose_name_plural = _("company settings")
        constraints = [models.UniqueConstraint(fields=("company",), name="companysettings_once")]

    def __str__(self) -> str:
        return f"Settings of {self.company}"
