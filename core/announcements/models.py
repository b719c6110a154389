from __future__ import annotations

from django.db import models

from core.tenancy.models import BaseModel


class Announcement(BaseModel):
    """A text of the staff above the pages of all companies, for a time."""

    class Level(models.TextChoices):
        INFO = "info"
        WARNING = "warning"

    text = models.CharField(max_length=300)
    level = models.CharField(max_length=7, choices=Level, default=Level.INFO)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(ends_at__gt=models.F("starts_at")), name="announcement_order")
        ]

    def __str__(self) -> str:
        return str(self.text)
