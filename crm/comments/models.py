from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _

RECORD_KINDS = ("contact", "lead", "organization", "task")
"""The kinds of records that people comment on; each is the name of a reference."""


def _of_one_record() -> Q:
    """Match the comments that refer to exactly one record."""
    condition = Q()
    for kind in RECORD_KINDS:
        condition |= Q(**{f"{other}__isnull": other != kind for other in RECORD_KINDS})
    return condition


class Comment(CompanyModel):
    """A comment of a member on a record. A deleted one can be restored for some days."""

    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, related_name="comments", db_index=False
    )
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, null=True, related_name="comments", db_index=False)
    organization = CompanyForeignKey(
        "crm.Organization", on_delete=models.CASCADE, null=True, related_name="comments", db_index=False
    )
    task = CompanyForeignKey(
        "crm.FollowUp", on_delete=models.CASCADE, null=True, related_name="comments", db_index=False
    )
    text = models.TextField()
    edited_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("comment")
        constraints = [models.CheckConstraint(condition=_of_one_record(), name="comment_of_one_record")]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="comment_newest"),
            *(
                models.Index(
                    fields=(kind, "created_at", "id"), condition=Q(**{f"{kind}__isnull": False}), name=f"comment_{kind}"
                )
                for kind in RECORD_KINDS
            ),
            models.Index(
                fields=("created_by", "created_at", "id"),
                condition=Q(created_by__isnull=False),
                name="comment_created_by",
            ),
            models.Index(fields=("deleted_at",), condition=Q(deleted_at__isnull=False), name="comment_deleted"),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class CommentMention(CompanyModel):
    """A member whom a comment mentions. The row stays when the mention is removed, so that nobody is notified twice."""

    comment = CompanyForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions", db_index=False)
    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+")
    label = models.CharField(
        max_length=254, blank=True, help_text="The name or address after the @ in the text; empty: mentioned by id."
    )
    is_current = models.BooleanField(default=True, help_text="Off: the comment was edited and mentions them no more.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("mention")
        constraints = [models.UniqueConstraint(fields=("comment", "member"), name="commentmention_once")]

    def __str__(self) -> str:
        return self.label
