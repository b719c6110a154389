from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _
from outreach.messaging.delivery.models import SendJob


class TrackingEvent(CompanyModel):
    """An open of a message, or a click on one of its links: once for each visitor and day.

    Visitors are only distinguishable within a day.
    """

    class Kind(models.TextChoices):
        OPENED = "opened"
        CLICKED = "clicked"

    class Machine(models.TextChoices):
        HEAD = "head"
        SCANNER = "scanner"
        TOO_SOON = "too_soon"
        ALL_LINKS = "all_links"
        MEMBER = "member"

    send_job = CompanyForeignKey(SendJob, on_delete=models.CASCADE, related_name="tracking_events", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind)
    link = models.PositiveSmallIntegerField(help_text="Number of the link among those of the message, from 1; 0: none.")
    of_links = models.PositiveSmallIntegerField(default=0, help_text="How many links of the message are tracked.")
    place = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Place of the link among all links of the message, from 1; 0: not known."
    )
    of_places = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many links the message has, with repeats and untracked ones."
    )
    visitor = models.CharField(max_length=32, help_text="Hash of address and browser with the message and the day.")
    machine = models.CharField(
        max_length=10, choices=Machine, blank=True, default="", help_text="Why no recipient did it; empty: one did."
    )
    happened_at = models.DateTimeField()
    applied_at = models.DateTimeField(null=True, help_text="When the message has counted it.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("open or click")
        verbose_name_plural = _("opens and clicks")
        # A reload, or several fetches of a proxy, are one visit; the database decides, without a read before.
        constraints = [
            models.UniqueConstraint(
                fields=("company", "send_job", "kind", "link", "visitor", "place"), name="trackingevent_once"
            )
        ]
        indexes = [
            models.Index(
                fields=("company", "happened_at"), condition=models.Q(applied_at=None), name="trackingevent_waiting"
            ),
            models.Index(fields=("happened_at",), name="trackingevent_age"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.kind).capitalize()}, {day_text(self.happened_at)}"
