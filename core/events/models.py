"""Events, and their deliveries to consumers."""

from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField, ObjectIdField, TransactionIdField
from core.tenancy.models import CompanyModel, CompanyRow, SeenByMember
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class Event(CompanyModel):
    """An event of a record, written in the transaction of the change (core.events.emit)."""

    seen_by = SeenByMember(
        "coalesce({record}, actor_id = {member})", record="object_id", kind="split_part(kind, '.', 1)", checked=False
    )

    sequence = models.BigIntegerField(
        db_default=models.expressions.RawSQL("nextval('core_event_sequence')", ()), editable=False, unique=True
    )
    # The order of commits cannot be read from ids or sequences, which are drawn before.
    tx = TransactionIdField(help_text="The transaction that wrote it; the feed reads behind those that still run.")
    object_sequence = models.PositiveIntegerField(
        db_default=1, editable=False, help_text="Counts the events of the object, without gaps."
    )
    kind = models.CharField(max_length=64, help_text="For example contact.created.")
    object_id = ObjectIdField()
    payload = JSONField(default=dict)
    actor_id = ObjectIdField(null=True, help_text="The member that caused it.")
    automation = models.BooleanField(default=True, help_text="Off when the caller asked not to start workflows.")
    cause = JSONField(null=True, help_text="What caused it, if a workflow did: workflow, and depth in a chain of them.")

    class Meta(CompanyModel.Meta):
        indexes = [
            models.Index(fields=("company", "kind", "-sequence"), name="event_company_kind"),
            models.Index(fields=("company", "tx", "sequence"), name="event_feed"),
            models.Index(fields=("company", "object_id", "sequence"), name="event_object"),
        ]

    def __str__(self) -> str:
        return code_label(self.kind)


class ObjectSequence(CompanyRow):
    """The number of the latest event of an object. Objects without a row have at most the event that made them."""

    object_id = ObjectIdField(primary_key=True)
    number = models.PositiveIntegerField()


class EventDelivery(CompanyModel):
    """An event for one consumer. It exists until that consumer has handled it."""

    class Status(models.TextChoices):
        PENDING = "pending"
        PARKED = "parked"

    consumer = models.CharField(max_length=64)
    event = CompanyForeignKey(Event, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("waiting event")
        constraints = [models.UniqueConstraint(fields=("event", "consumer"), name="eventdelivery_once")]
        # Partial: parked ones would otherwise be passed over at each look.
        indexes = [
            models.Index(fields=("due_at", "id"), condition=models.Q(status="pending"), name="eventdelivery_due")
        ]

    def __str__(self) -> str:
        return f"For {code_label(self.consumer)}"
