from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class StartBucket(CompanyModel):
    """Use of the start rate of a company, or of a workflow, and the number of starts this month."""

    key = models.CharField(max_length=24, blank=True, default="", help_text="A workflow; empty: the whole company.")
    next_at = models.DateTimeField(help_text="When the next start is due at an even pace.")
    month = models.DateField(help_text="The month that is counted, in UTC.")
    started = models.PositiveIntegerField(default=0)

    class Meta(CompanyModel.Meta):
        verbose_name = _("start rate")
        verbose_name_plural = _("start rates")
        constraints = [models.UniqueConstraint(fields=("company", "key"), name="startbucket_once")]


class PlaceNotice(CompanyModel):
    """A notice that places of a workflow, or of the company's quota, may be free. There may be several."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("free run slot")
