from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _

TIMEOUT_SECONDS = 20


class DataApp(CompanyModel):
    """A connected service that knows people and is asked by HTTP: a source of leads, or one that completes contacts."""

    class Kind(models.TextChoices):
        LEAD_SOURCE = "lead-source"
        ENRICH = "enrich"

    class Method(models.TextChoices):
        GET = "GET"
        POST = "POST"

    kind = models.CharField(max_length=16, choices=Kind)
    name = models.CharField(max_length=100, help_text=_("Shown to members as the source of results."))
    method = models.CharField(max_length=4, choices=Method, default=Method.POST)
    url = models.CharField(max_length=1000)
    header_name = models.CharField(max_length=100, blank=True, default="", help_text="The header that has the key.")
    api_key = EncryptedTextField(blank=True, default="", bound_to=("url", "header_name"))
    result_path = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="Where the result stands in an answer; empty: it is all of it.",
    )
    field_paths = JSONField(default=dict, help_text="Field -> where its value stands in a result.")
    timeout_seconds = models.PositiveSmallIntegerField(default=TIMEOUT_SECONDS)
    is_active = models.BooleanField(default=True)
    last_error = models.TextField(blank=True, default="", editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("data source")
        indexes = [models.Index(fields=("company", "kind", "created_at", "id"), name="dataapp_kind")]

    def __str__(self) -> str:
        return self.name
