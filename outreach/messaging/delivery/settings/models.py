from __future__ import annotations

from django.db import models

from core.fields import JSONField
from core.models import CompanyModel

APPROVAL_DAYS = 14
INBOX_DAYS = 365
BOUNCE_PERCENT = 5.0
COMPLAINT_PERCENT = 0.1
GUARD_FROM = 50


class GenieSettings(CompanyModel):
    """A company's defaults for runs: sending hours and language, the validity of approvals, and the retention of
    replies.

    They also have the limits that stop or slow its senders.
    """

    window_days = JSONField(default=list, blank=True, help_text="ISO weekdays 1 to 7; empty: every day.")
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    recipient_timezone = models.BooleanField(
        default=True, help_text="The window is read on the recipient's clock, otherwise on the company's."
    )
    approval_days = models.PositiveSmallIntegerField(
        default=APPROVAL_DAYS, db_default=APPROVAL_DAYS, help_text="How long a person's approval of a message holds."
    )
    inbox_days = models.PositiveSmallIntegerField(
        default=INBOX_DAYS, db_default=INBOX_DAYS, help_text="How long received mail is kept."
    )
    bounce_percent = models.FloatField(
        default=BOUNCE_PERCENT, db_default=BOUNCE_PERCENT, help_text="Bounces at which a sender is stopped."
    )
    complaint_percent = models.FloatField(
        default=COMPLAINT_PERCENT, db_default=COMPLAINT_PERCENT, help_text="Complaints at which a sender is stopped."
    )
    guard_from = models.PositiveSmallIntegerField(
        default=GUARD_FROM, db_default=GUARD_FROM, help_text="A sender of fewer messages is not stopped."
    )
    provider_limits = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="Key of a mail provider, or other -> most messages an hour to it; without one: no limit.",
    )
    vendor_limits = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="Key of a mail vendor -> most messages an hour by all apps of it; without one: no limit.",
    )
    track_opens = models.BooleanField(default=False, db_default=False, help_text="Messages tell that they are opened.")
    track_clicks = models.BooleanField(default=False, db_default=False, help_text="Links tell that they are clicked.")
    language = models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        help_text="Code of the language that is written in where a contact's is not known; empty: the prompt's.",
    )

    class Meta(CompanyModel.Meta):
        verbose_name = verbose_name_plural = "sending hours"
        constraints = [models.UniqueConstraint(fields=("company",), name="geniesettings_once")]

    def __str__(self) -> str:
        return f"Sending hours of {self.company}"
