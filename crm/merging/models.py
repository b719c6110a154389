from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel
from core.tenancy.models import MADE_BY_MEMBER, SeenByMember
from core.text.translation import gettext_lazy as _


class Merge(CompanyModel):
    """Two or more contacts, leads or organizations that became one. A merge can be undone for 30 days."""

    seen_by = MADE_BY_MEMBER

    panel = models.CharField(max_length=16)
    winner_id = ObjectIdField()
    loser_ids = JSONField(default=list)
    choices = JSONField(default=dict, help_text="Field -> the record whose value was taken, or the value itself.")
    moved = JSONField(
        default=dict,
        help_text="Table.column -> the rows whose reference went from a loser to the winner, with what it was.",
    )
    undo_until = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    undone_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="merge_newest")]

    def __str__(self) -> str:
        return f"{len(self.loser_ids) + 1} {self.panel}s into one"


class DuplicateDismissal(CompanyModel):
    """A pair of records that a member has marked as different."""

    seen_by = SeenByMember("coalesce({record}, true)", record="first_id", kind="panel")

    panel = models.CharField(max_length=16)
    first_id = ObjectIdField()
    second_id = ObjectIdField()
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("dismissed duplicate")
        verbose_name_plural = _("dismissed duplicates")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "panel", "first_id", "second_id"), name="duplicatedismissal_once"
            )
        ]

    def __str__(self) -> str:
        return f"Two {self.panel}s"
