from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from core.tenancy.models import BaseModel
from core.text.translation import gettext_lazy as _


class ResponseMessage(BaseModel):
    """Text and HTTP status of a named message, which operators edit in the back office (contract section 7)."""

    name = models.CharField(max_length=100, unique=True)
    status = models.PositiveSmallIntegerField(validators=[MinValueValidator(200), MaxValueValidator(599)])
    text = models.CharField(max_length=500)
    default_status = models.PositiveSmallIntegerField(null=True, editable=False)
    default_text = models.CharField(max_length=500, null=True, editable=False)
    """The default as of the last migrate (core.messages.defaults); null for a name without one."""

    class Meta:
        verbose_name = _("message text")
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(condition=models.Q(status__gte=200, status__lte=599), name="responsemessage_status")
        ]

    @property
    def default(self) -> tuple[int, str] | None:
        """The default status and text."""
        if self.default_status is None or self.default_text is None:
            return None
        return self.default_status, self.default_text

    @property
    def is_edited(self) -> bool:
        """Return whether it differs from its default."""
        return self.default is not None and self.default != (self.status, self.text)
