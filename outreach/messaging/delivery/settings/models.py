from __future__ import annotations

from django.db import models

from core.fields import JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _

APPROVAL_DAYS = 14
INBOX_DAYS = 365
BOUNCE_PERCENT = 5.0
COMPLAINT_PERCENT = 0.1
GUARD_FROM = 50
MAX_UTM = 100


class GenieSettings(CompanyModel):
    """A company's defaults for runs: sending hours and language, the validity of approvals, and the retention of
    replies.

    They also have the limits that stop or slow its senders.
    """

    window_days = JSONField(default=list, blank=True, help_text="ISO weekdays 1 to 7; empty: every day.")
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    recipient_timezone = models.BooleanField(
        default=True, help_text=_("Use the recipient's time zone, not the company's.")
    )
    approval_days = models.PositiveSmallIntegerField(
        default=APPROVAL_DAYS, db_default=APPROVAL_DAYS, help_text=_("Days after which messages need approval again.")
    )
    inbox_days = models.PositiveSmallIntegerField(
        default=INBOX_DAYS, db_default=INBOX_DAYS, help_text=_("Days after which received email is deleted.")
    )
    bounce_percent = models.FloatField(
        default=BOUNCE_PERCENT, db_default=BOUNCE_PERCENT, help_text=_("Percent of bounces to stop a sender.")
    )
    complaint_percent = models.FloatField(
        default=COMPLAINT_PERCENT, db_default=COMPLAINT_PERCENT, help_text=_("Percent of complaints to stop a sender.")
    )
    guard_from = models.PositiveSmallIntegerField(
        default=GUARD_FROM, db_default=GUARD_FROM, help_text=_("Senders with fewer messages never stop.")
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
    utm_tags = models.BooleanField(default=False, db_default=False, help_text="Links of campaigns have UTM tags.")
    utm_source = models.CharField(max_length=MAX_UTM, blank=True, default="", db_default="")
    utm_medium = models.CharField(max_length=MAX_UTM, blank=True, default="", db_default="")
    personal_unsubscribe = models.BooleanField(
        default=False, db_default=False, help_text="Members' own mails have a link to unsubscribe, too."
    )
    language = models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        help_text=_("Default for contacts without a language. Empty means the prompt's."),
    )

    class Meta(CompanyModel.Meta):
        verbose_name = verbose_name_plural = _("sending hours")
        constraints = [models.UniqueConstraint(fields=("company",), name="geniesettings_once")]

    def __str__(self) -> str:
        return f"Sending hours of {self.company}"
