"""The hold of this deployment."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Hold(models.Model):
    """The reason and start of a hold. There is one row, or none."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    since = models.DateTimeField(default=timezone.now)
    reason = models.CharField(max_length=300)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="hold_once")]

    def __str__(self) -> str:
        return self.reason
