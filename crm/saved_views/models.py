from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class SavedView(CompanyModel):
    """A view of a list, for a member or everybody in the company: search, filters, sort and columns."""

    class Layout(models.TextChoices):
        TABLE = "table"
        BOARD = "board"

    resource = models.CharField(max_length=40, help_text="Path of the list, such as contact.")
    name = models.CharField(max_length=100)
    query = JSONField(default=dict, blank=True, help_text="The list's query parameters but for paging.")
    columns = JSONField(default=list, blank=True, help_text="Names of the columns, in their order; none: the usual.")
    layout = models.CharField(max_length=8, choices=Layout, default=Layout.TABLE)
    shared = models.BooleanField(default=False, help_text="Everybody who may read the list sees it.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint("company", "created_by", "resource", Lower("name"), name="savedview_name_unique")
        ]
        indexes = [models.Index(fields=("company", "resource"), condition=Q(shared=True), name="savedview_shared")]
