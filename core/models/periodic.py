from __future__ import annotations

from django.db import models
from django.utils import timezone


class Chore(models.Model):
    """When a chore (core.periodic) comes round next, and how it went last."""

    name = models.CharField(max_length=64, primary_key=True)
    due_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.name
