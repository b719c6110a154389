from __future__ import annotations

from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from accounts.models import Member
from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel, Job
from core.tenancy.models import SeenByMember
from core.text.translation import gettext_lazy as _

MAX_QUESTION = 2000


class CrmChatThread(CompanyModel):
    """Questions of one member about the company's records, and their answers. Nobody else sees them."""

    seen_by = SeenByMember("owner_id = {member}", parts=True)

    owner = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+", db_index=False)
    title = models.CharField(max_length=200, blank=True, default="", help_text="By default the first question.")
    last_message_at = models.DateTimeField(default=timezone.now)

    class Meta(CompanyModel.Meta):
        verbose_name = _("assistant conversation")
        indexes = [
            models.Index(fields=("owner", "last_message_at", "id"), name="crmchatthread_of_owner"),
            models.Index(fields=("last_message_at",), name="crmchatthread_old"),
        ]

    def __str__(self) -> str:
        return self.dated_title()


class CrmChatMessage(Job):
    """One question and its answer, which a worker makes."""

    thread = CompanyForeignKey(CrmChatThread, on_delete=models.CASCADE, related_name="messages", db_index=False)
    question = models.TextField(max_length=MAX_QUESTION)
    answer = models.TextField(blank=True, default="")
    evidence = JSONField(
        default=list,
        db_default=Value([], output_field=JSONField()),
        blank=True,
        help_text="What was read for it: list, filters, number, and the records that were seen.",
    )
    rounds = JSONField(
        default=list,
        db_default=Value([], output_field=JSONField()),
        blank=True,
        editable=False,
        help_text="What the model has said and was told so far, so that another worker goes on without asking again.",
    )
    unproved = JSONField(
        default=list,
        db_default=Value([], output_field=JSONField()),
        blank=True,
        help_text="Figures of the answer that stand in nothing that was read.",
    )
    ai_type = models.CharField(max_length=32, blank=True, default="", help_text="The type of the AI app.")
    error_name = models.CharField(max_length=64, blank=True, default="")
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)

    class Meta(Job.Meta):
        verbose_name = _("assistant question")
        indexes = [
            models.Index(fields=("thread", "created_at", "id"), name="crmchatmessage_of_thread"),
            models.Index(fields=("due_at",), condition=Q(status="queued"), name="crmchatmessage_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="crmchatmessage_running"),
        ]

    def __str__(self) -> str:
        return self.dated_title()

    @property
    def maker(self) -> Member:
        """The member in whose scope of records it runs."""
        owner: Member = self.thread.owner
        return owner
