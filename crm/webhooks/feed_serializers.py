"""Answers of the feed of events."""

from __future__ import annotations

from rest_framework import serializers

from core.api.output import Computed, IdField, Output
from core.events.kinds import EVENT_KINDS
from core.models import Event
from core.types import JsonObject, Values


class EventOut(Output):
    """An event of a record."""

    _id = IdField()
    kind = serializers.ChoiceField(choices=sorted(EVENT_KINDS))
    object = Computed(serializers.CharField(help_text="What kind of record it happened to, such as contact."))
    objectId = IdField()
    sequence = serializers.IntegerField(help_text="Rises in the order of writing; cursors go by more than that.")
    objectSequence = serializers.IntegerField(help_text="Counts the events of the object, without gaps.")
    happenedAt = serializers.DateTimeField(source="created_at")
    actor = IdField(source="actor_id", allow_null=True, help_text="_id of the member that caused it")
    cause = serializers.DictField(allow_null=True, help_text="The workflow that caused it")
    payload = serializers.DictField(help_text="What happened: `changes` by field, or what the kind has to tell")

    @classmethod
    def from_event(cls, event: Event) -> JsonObject:
        """Return the output of an event."""
        row = {
            "id": event.pk,
            "kind": event.kind,
            "object_id": event.object_id,
            "sequence": event.sequence,
            "object_sequence": event.object_sequence,
            "created_at": event.created_at,
            "actor_id": event.actor_id,
            "cause": event.cause,
            "payload": event.payload,
        }
        return cls.render(row)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "object": row["kind"].partition(".")[0]}
