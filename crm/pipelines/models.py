from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, NameField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class Pipeline(CompanyModel):
    """A way of selling, with stages of its own."""

    name = NameField(max_length=200)
    is_default = models.BooleanField(
        default=False, editable=False, help_text="Its stages are the options of the leads' system field status."
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint("company", Lower("name"), name="pipeline_name_unique"),
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="pipeline_one_default"),
        ]


class Stage(CompanyModel):
    """A step of a pipeline."""

    class Kind(models.TextChoices):
        OPEN = "open"
        WON = "won"
        LOST = "lost"

    pipeline = CompanyForeignKey(Pipeline, on_delete=models.CASCADE, related_name="stages", db_index=False)
    name = NameField(max_length=200)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=4, choices=Kind, default=Kind.OPEN)
    probability = models.PositiveSmallIntegerField(help_text="Percent; 100 of a won stage, 0 of a lost one.")
    status = models.CharField(
        max_length=100, null=True, help_text="The status of its leads, in the default pipeline; null in others."
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "status"), name="stage_status_unique"),
            models.CheckConstraint(
                condition=Q(kind="won", probability=100)
                | Q(kind="lost", probability=0)
                | Q(kind="open", probability__lte=100),
                name="stage_probability",
            ),
        ]
        indexes = [models.Index(fields=("company", "pipeline", "position"), name="stage_order")]


class LostReason(CompanyModel):
    """A reason for which leads are lost."""

    name = NameField(max_length=200)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("reason for loss")
        verbose_name_plural = _("reasons for loss")
        constraints = [models.UniqueConstraint("company", Lower("name"), name="lostreason_name_unique")]
