from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class File(CompanyModel):
    """A stored file. Deleting moves it to the recycle bin (`trashed_at`); clearing the bin removes the content."""

    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    mime = models.CharField(max_length=127)
    hashes = JSONField(default=dict, help_text="md5, sha1, sha256 and sha512, in hex.")
    path = models.CharField(
        max_length=300, blank=True, editable=False, help_text="Key of the content in the storage; empty once removed."
    )
    read_module = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The permission module of the list that the file is an export of; empty: none.",
    )
    chatapp_handle = models.CharField(max_length=200, null=True, blank=True)
    trashed_at = models.DateTimeField(null=True, blank=True)
    trashed_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    is_deleted = models.BooleanField(default=False, help_text="Cleared from the bin, or not yet completely stored.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        indexes = [
            models.Index(
                fields=("company", "created_at", "name", "id"), condition=Q(is_deleted=False), name="file_newest"
            ),
            models.Index(fields=("created_at",), condition=Q(is_deleted=True) & ~Q(path=""), name="file_leftover"),
        ]
