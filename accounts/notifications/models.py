from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, ObjectIdField
from core.models import CompanyModel
from core.tenancy.models import SeenByMember


class Notification(CompanyModel):
    """A notice as a member sees it in the product, kept for NOTIFICATION_DAYS."""

    seen_by = SeenByMember(
        "member_id = {member} AND coalesce({record}, true)", record="record_id", kind="resource", checked=False
    )

    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=64, help_text="The notice's name, for example import.finished.")
    text = models.CharField(max_length=300)
    resource = models.CharField(max_length=64, blank=True, help_text="What it is about, as the API's paths call it.")
    record_id = ObjectIdField(null=True)
    read_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        indexes = [
            models.Index(fields=("member", "-created_at", "id"), name="notification_newest"),
            models.Index(fields=("member",), condition=models.Q(read_at=None), name="notification_unread"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
