from __future__ import annotations

from django.db import models
from django.utils import timezone

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.formats import moment_text
from core.text.translation import gettext_lazy as _


class StaffVisit(CompanyModel):
    """A staff member's visit to a company: read-only, for an hour, with the reason on record."""

    staff = models.ForeignKey("accounts.User", on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "-created_at"), name="staffvisit_newest")]

    def __str__(self) -> str:
        return f"Visit by {self.staff} on {moment_text(self.created_at)}"

    @property
    def is_open(self) -> bool:
        """Return whether further pages can be opened."""
        return self.ended_at is None and self.expires_at > timezone.now()

    @property
    def state(self) -> str:
        """open, ended (by hand) or over (by time)."""
        if self.ended_at:
            return "ended"
        return "open" if self.is_open else "over"


class StaffVisitPage(CompanyModel):
    """A page that was opened on a visit."""

    visit = CompanyForeignKey(StaffVisit, on_delete=models.CASCADE, related_name="pages")
    path = models.CharField(max_length=500)

    class Meta(CompanyModel.Meta):
        verbose_name = _("visited page")
        verbose_name_plural = _("visited pages")

    def __str__(self) -> str:
        return self.path
