from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import ClaimPolicy, CompanyWork
from core.text.formats import day_text
from core.text.labels.words import code_label


class CalendarConnection(CompanyWork):
    """A member's own Google calendar. The member's meetings are written to it, and its other events block bookings.

    Its work is to read the busy times of the member.
    """

    class Work(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    member = CompanyForeignKey("accounts.Member", on_delete=models.CASCADE, related_name="+", db_index=False)
    email = models.EmailField(max_length=254, blank=True, default="")
    is_active = models.BooleanField(default=False, help_text="A member has logged in, and has not disconnected it.")
    api_key = EncryptedTextField(blank=True, default="", help_text="What new access tokens are asked for by.")
    access_token = EncryptedTextField(blank=True, default="")
    access_ends_at = models.DateTimeField(null=True, editable=False)
    renewing_until = models.DateTimeField(null=True, editable=False)
    scopes = models.CharField(max_length=500, blank=True, default="", editable=False)
    needs_login = models.BooleanField(default=False, editable=False, help_text="Google takes the log-in no more.")
    state_hash = models.CharField(max_length=64, blank=True, default="", editable=False, help_text="Of a log-in begun.")
    login_ends_at = models.DateTimeField(null=True, editable=False)
    busy = JSONField(
        default=list, blank=True, editable=False, help_text="Pairs of moments between which they are busy."
    )
    busy_at = models.DateTimeField(null=True, editable=False, help_text="When Google has said so.")
    status = models.CharField(max_length=8, choices=Work, default=Work.WAITING, editable=False)

    class Meta(CompanyWork.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "member"), name="calendarconnection_once")]
        indexes = [
            models.Index(
                fields=("due_at",), condition=Q(status="waiting", is_active=True), name="calendarconnection_due"
            ),
            models.Index(fields=("status",), condition=Q(status="running"), name="calendarconnection_running"),
            models.Index(fields=("company", "created_at", "id"), name="calendarconnection_newest"),
        ]

    def __str__(self) -> str:
        return self.email or "not connected"

    @property
    def place(self) -> str:
        """Return the calendar's vendor, for people."""
        return "Google"


class CalendarEvent(CompanyWork):
    """A meeting for its organizer's calendar, and the progress of writing it.

    The event's id there derives from the meeting's, so writing it again changes nothing.
    """

    class Work(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    connection = CompanyForeignKey(CalendarConnection, on_delete=models.CASCADE, related_name="events", db_index=False)
    meeting = CompanyForeignKey("crm.Meeting", on_delete=models.CASCADE, related_name="+", db_index=False)
    version = models.PositiveIntegerField(default=1, editable=False, help_text="Counts the changes of the meeting.")
    written = models.CharField(
        max_length=64, blank=True, default="", editable=False, help_text="Hash of what is there."
    )
    written_at = models.DateTimeField(null=True, editable=False)
    link_asks = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="How often its link was not ready."
    )
    status = models.CharField(max_length=8, choices=Work, default=Work.WAITING, editable=False)

    class Meta(CompanyWork.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "meeting"), name="calendarevent_once")]
        indexes = [
            models.Index(fields=("connection",), name="calendarevent_connection"),
            models.Index(fields=("due_at",), condition=Q(status="waiting"), name="calendarevent_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="calendarevent_running"),
            models.Index(fields=("company", "created_at", "id"), name="calendarevent_newest"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.status).capitalize()}, {day_text(self.created_at)}"
