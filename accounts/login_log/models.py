from __future__ import annotations

from django.db import models

from core.models import BaseModel, MaybeCompanyRow
from core.text.translation import gettext_lazy as _


class LoginLog(BaseModel, MaybeCompanyRow):
    """An attempt to log in, one row for each company of the user.

    An attempt by an unknown address has one row without company, for the staff.
    """

    class Status(models.TextChoices):
        SUCCESS = "success"
        FAILED = "failed"
        LIMITED = "limited"

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, null=True, related_name="+")
    email = models.CharField(max_length=254, help_text="The address that was tried.")
    status = models.CharField(max_length=8, choices=Status)
    reason = models.CharField(max_length=100, blank=True)
    ip = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=300, blank=True)

    class Meta(MaybeCompanyRow.Meta):
        verbose_name = _("log-in")
        indexes = [models.Index(fields=("company", "-created_at", "-id"), name="loginlog_newest")]

    def __str__(self) -> str:
        return self.email
