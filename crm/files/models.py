from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel
from core.tenancy.models import SeenByMember
from core.text.translation import gettext_lazy as _


class Bucket(CompanyModel):
    """A bucket that a company has connected (outreach.storage): its new files go to the active one."""

    PLACE = ("endpoint", "region")
    """Fields that define the destination of the keys."""

    name = models.CharField(max_length=255, help_text="As the storage calls it.")
    region = models.CharField(max_length=40)
    endpoint = models.CharField(
        max_length=300, blank=True, default="", help_text="The storage's address; empty: Amazon S3 of the region."
    )
    subpath = models.CharField(max_length=200, blank=True, default="", help_text="Folder of the bucket for the files.")
    accesskey = EncryptedTextField(bound_to=PLACE)
    secretkey = EncryptedTextField(bound_to=PLACE)
    key_hint = models.CharField(max_length=4, blank=True, editable=False, help_text="The end of the access key.")
    is_active = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    verified = models.BooleanField(default=False, editable=False)
    last_error = models.TextField(blank=True, default="", editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("file storage")
        constraints = [
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="bucket_one_default")
        ]


class File(CompanyModel):
    """A stored file. Deleting moves it to the recycle bin (`trashed_at`); clearing the bin removes the content."""

    # Sheets and texts may hold records of others; pictures and PDFs are attached to templates and records.
    seen_by = SeenByMember(
        "created_by_id = {member} OR (read_module = ''"
        " AND (mime ~ '^(image|audio|video)/' OR mime = 'application/pdf'))"
    )

    class Storage(models.TextChoices):
        LOCAL = "local"
        SERVICE = "service"
        BUCKET = "bucket"

    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    mime = models.CharField(max_length=127)
    hashes = JSONField(default=dict, help_text="md5, sha1, sha256 and sha512, in hex.")
    path = models.CharField(
        max_length=300, blank=True, editable=False, help_text="Key of the content in the storage; empty once removed."
    )
    storage = models.CharField(
        max_length=8,
        choices=Storage,
        default=Storage.LOCAL,
        db_default=Storage.LOCAL,
        editable=False,
        help_text="Where the content is: on this service's disk, in its bucket, or in the company's.",
    )
    bucket = CompanyForeignKey(
        Bucket,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        db_index=False,
        help_text="The company's bucket that the content is in.",
    )
    remove_at = models.DateTimeField(
        null=True, editable=False, help_text="The content of a cleared file is not removed before; empty: at once."
    )
    removals = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False, help_text="Failed attempts to remove the content."
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
            models.Index(fields=("company", "bucket"), condition=Q(bucket__isnull=False), name="file_in_bucket"),
            models.Index(fields=("created_at",), condition=Q(is_deleted=True) & ~Q(path=""), name="file_leftover"),
        ]
