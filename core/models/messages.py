from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from core.models.base import BaseModel


class ResponseMessage(BaseModel):
    """Text and HTTP status of a named message; an operator edits it in the back office (contract section 7)."""

    name = models.CharField(max_length=100, unique=True)
    status = models.PositiveSmallIntegerField(validators=[MinValueValidator(200), MaxValueValidator(599)])
    text = models.CharField(max_length=500)

    class Meta:
        ordering = ("name",)
        constraints = [models.CheckConstraint(condition=models.Q(status__gte=200, status__lte=599), name="responsemessage_status")]
