from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class LeadActivity(CompanyModel):
    """An activity of a lead, its contact or an organization, created from a domain event or written by a person."""

    class Kind(models.TextChoices):
        CREATED = "created"
        CHANGED = "changed"
        STATUS = "status"
        ASSIGNED = "assigned"
        NOTE = "note"
        COMMENT = "comment"
        MAIL = "mail"
        CALL = "call"
        MEETING = "meeting"
        FOLLOW_UP = "follow_up"
        MERGED = "merged"
        DELETED = "deleted"
        RESTORED = "restored"
        IMPORTED = "imported"
        QUOTE = "quote"

    kind = models.CharField(max_length=12, choices=Kind)
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, null=True, related_name="activities", db_index=False)
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, related_name="activities", db_index=False
    )
    organization = CompanyForeignKey(
        "crm.Organization",
        on_delete=models.CASCADE,
        null=True,
        related_name="activities",
        db_index=False,
        help_text="The organization that it happened to itself; those of its people name these.",
    )
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    details = JSONField(default=dict, help_text="What happened: for a change, field -> {from, to}.")
    workflow = JSONField(null=True, editable=False, help_text="The workflow that did it: _id, and name as it was then.")
    notes = models.TextField(blank=True)
    happened_at = models.DateTimeField()
    event_id = ObjectIdField(
        null=True,
        editable=False,
        help_text="The domain event it was made from: one activity of a kind for each event and record.",
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("activity")
        verbose_name_plural = _("activities")
        constraints = [
            models.UniqueConstraint(
                fields=("event_id", "lead", "kind"),
                condition=Q(event_id__isnull=False),
                name="leadactivity_once",
                nulls_distinct=False,
            )
        ]
        indexes = [
            models.Index(
                fields=("company", "created_at", "id"), condition=Q(lead__isnull=False), name="leadactivity_created"
            ),
            models.Index(
                fields=("company", "happened_at", "id"), condition=Q(lead__isnull=False), name="leadactivity_newest"
            ),
            models.Index(
                fields=("lead", "happened_at", "id"), condition=Q(lead__isnull=False), name="leadactivity_lead"
            ),
            models.Index(
                fields=("contact", "happened_at", "id"), condition=Q(contact__isnull=False), name="leadactivity_contact"
            ),
            models.Index(
                fields=("organization", "happened_at", "id"),
                condition=Q(organization__isnull=False),
                name="leadactivity_organization",
            ),
            models.Index(
                fields=("lead", "created_at", "id"), condition=Q(lead__isnull=False), name="leadactivity_lead_created"
            ),
            models.Index(
                fields=("contact", "created_at", "id"),
                condition=Q(contact__isnull=False),
                name="leadactivity_contact_created",
            ),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.kind).capitalize()}, {day_text(self.happened_at)}"


class FollowUp(CompanyModel):
    """A task with a due time, about one record or none. An open task past its due time is overdue. A deleted one can be
    restored for some days.

    The API shows all tasks at /task, and those of leads at /lead-activity/follow-up too.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        CANCELLED = "cancelled"

    class Type(models.TextChoices):
        TODO = "todo"
        CALL = "call"
        EMAIL = "email"
        MEETING = "meeting"

    class Priority(models.TextChoices):
        LOW = "low"
        NORMAL = "normal"
        HIGH = "high"

    class Recurrence(models.TextChoices):
        DAILY = "daily"
        WEEKDAYS = "weekdays"
        WEEKLY = "weekly"
        MONTHLY = "monthly"
        YEARLY = "yearly"

    lead = CompanyForeignKey(
        "crm.Lead", on_delete=models.CASCADE, null=True, blank=True, related_name="follow_ups", db_index=False
    )
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, blank=True, related_name="tasks", db_index=False
    )
    organization = CompanyForeignKey(
        "crm.Organization", on_delete=models.CASCADE, null=True, blank=True, related_name="tasks", db_index=False
    )
    title = models.CharField(max_length=300)
    notes = models.TextField(blank=True)
    type = models.CharField(max_length=7, choices=Type, default=Type.TODO, db_default=Type.TODO)
    priority = models.CharField(max_length=6, choices=Priority, default=Priority.NORMAL, db_default=Priority.NORMAL)
    due_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=Status, default=Status.OPEN)
    done_at = models.DateTimeField(null=True)
    recurrence = models.CharField(max_length=8, choices=Recurrence, null=True, blank=True)
    recurrence_start = models.CharField(
        max_length=16,
        null=True,
        editable=False,
        help_text="The local time of the first occurrence, such as 2026-01-31T02:30: day and time repeat.",
    )
    next_task = ObjectIdField(
        null=True, editable=False, help_text="The next occurrence, which was created when this one was completed."
    )
    assignee = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    remind_minutes = models.PositiveIntegerField(
        null=True, blank=True, help_text="How long before it is due the assignee gets a mail; empty: none."
    )
    remind_at = models.DateTimeField(null=True, editable=False)
    reminded_at = models.DateTimeField(null=True, editable=False)
    notice_at = models.DateTimeField(
        null=True, editable=False, help_text="When the assignee is told that it is overdue; empty: told, or nobody is."
    )
    deleted_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("task")
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="followup_newest"),
            models.Index(fields=("company", "due_at", "id"), name="followup_due"),
            models.Index(
                fields=("assignee", "due_at", "id"), condition=Q(assignee__isnull=False), name="followup_assignee"
            ),
            models.Index(fields=("lead", "due_at"), name="followup_lead"),
            models.Index(
                fields=("contact", "due_at", "id"), condition=Q(contact__isnull=False), name="followup_contact"
            ),
            models.Index(
                fields=("organization", "due_at", "id"),
                condition=Q(organization__isnull=False),
                name="followup_organization",
            ),
            models.Index(
                fields=("notice_at",), condition=Q(status="open", notice_at__isnull=False), name="followup_noticing"
            ),
            models.Index(
                fields=("remind_at",), condition=Q(status="open", reminded_at__isnull=True), name="followup_reminding"
            ),
            models.Index(fields=("deleted_at",), condition=Q(deleted_at__isnull=False), name="followup_deleted"),
        ]

    def __str__(self) -> str:
        return self.title


class CallLog(CompanyModel):
    """A telephone call with a lead or contact."""

    class Direction(models.TextChoices):
        INBOUND = "inbound"
        OUTBOUND = "outbound"

    class Outcome(models.TextChoices):
        CONNECTED = "connected"
        NO_ANSWER = "no_answer"
        BUSY = "busy"
        VOICEMAIL = "voicemail"
        WRONG_NUMBER = "wrong_number"
        FAILED = "failed"

    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, null=True, related_name="calls", db_index=False)
    contact = CompanyForeignKey(
        "crm.Contact", on_delete=models.CASCADE, null=True, related_name="calls", db_index=False
    )
    member = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    direction = models.CharField(max_length=8, choices=Direction, default=Direction.OUTBOUND)
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.CONNECTED)
    number = models.CharField(max_length=20, blank=True, help_text="E.164.")
    started_at = models.DateTimeField()
    duration_seconds = models.PositiveIntegerField(default=0)
    notes = models.TextField(blank=True)
    recording = models.URLField(max_length=1000, blank=True)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("call")
        constraints = [
            models.CheckConstraint(
                condition=Q(lead__isnull=False) | Q(contact__isnull=False), name="calllog_is_with_somebody"
            )
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="calllog_created"),
            models.Index(fields=("company", "started_at", "id"), name="calllog_newest"),
            models.Index(fields=("lead",), condition=Q(lead__isnull=False), name="calllog_lead"),
            models.Index(fields=("contact",), condition=Q(contact__isnull=False), name="calllog_contact"),
        ]

    def __str__(self) -> str:
        return f"Call with {self.number}" if self.number else self.dated_title()
