"""Bodies and answers of webhooks and their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.filter_tree import FilterTreeField, FilterTreeInput
from core.api.input import Input, LineInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.webhooks.models import Webhook, WebhookDelivery

URL = "https://host/path, of a host on the public internet"
KINDS_HELP = "kinds of events such as contact.created, contact.* or *"
FILTER = "a tree of conditions as advancedFilters has it, on the record that an event is about; {} takes it away"
FIELDS = "events of kind ….updated are told only where one of these fields has changed"
PAYLOAD = "full (default): the record as it is when the delivery is made, and what changed; thin: its _id alone"
ORDERING = "object (default): of one record, the next event waits until the one before is delivered or given up; none"


class WebhookUpdate(Input):
    """Any of the values of a webhook. `filter` and `headers` are replaced as a whole."""

    url = LineInput(required=False, max_length=2000, help_text=URL)
    description = LineInput(required=False, allow_blank=True, max_length=200)
    kinds = serializers.ListField(
        child=TextInput(max_length=64), required=False, allow_empty=False, max_length=100, help_text=KINDS_HELP
    )
    filter = FilterTreeInput(required=False, allow_null=True, help_text=FILTER)
    fields = serializers.ListField(  # type: ignore[assignment]
        child=TextInput(max_length=100), required=False, max_length=100, help_text=FIELDS
    )
    payload = serializers.ChoiceField(required=False, choices=Webhook.Payload.values, help_text=PAYLOAD)
    ordering = serializers.ChoiceField(required=False, choices=Webhook.Ordering.values, help_text=ORDERING)
    status = serializers.ChoiceField(
        required=False,
        choices=Webhook.Status.values,
        help_text="enabled (default); paused: deliveries wait; disabled: none are made",
    )
    headers = ObjectInput(
        required=False, write_only=True, help_text="header -> value, sent along; needed anew for another url"
    )


class WebhookCreate(WebhookUpdate):
    """A webhook to make."""

    url = LineInput(max_length=2000, help_text=URL)
    kinds = serializers.ListField(
        child=TextInput(max_length=64), allow_empty=False, max_length=100, help_text=KINDS_HELP
    )


class WebhookDelete(SelectionInput):
    """Webhooks to delete."""


WebhookReplay: type[Input] = type(
    "WebhookReplay",
    (Input,),
    {
        "__doc__": "Which events are delivered again.",
        "__module__": __name__,
        # `from` is no name that a class body can have.
        "from": TextInput(source="begin", max_length=200, help_text="a cursor of GET /events, or a time (ISO 8601)"),
        "to": TextInput(source="end", required=False, max_length=200, help_text="the same; until now unless given"),
        "kinds": serializers.ListField(
            child=TextInput(max_length=64),
            required=False,
            allow_empty=False,
            max_length=100,
            help_text="of the webhook's kinds, these alone",
        ),
    },
)


class WebhookOut(Output):
    """A webhook. Neither its secret nor the values of its headers go out."""

    moving = frozenset({"failures", "failingSince", "lastSuccessAt", "retryAt", "updatedAt"})

    _id = IdField()
    url = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    kinds = serializers.ListField(child=serializers.CharField())
    filter = FilterTreeField(allow_null=True)
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]
    payload = serializers.ChoiceField(choices=Webhook.Payload.values)
    ordering = serializers.ChoiceField(choices=Webhook.Ordering.values)
    status = serializers.ChoiceField(choices=Webhook.Status.values)
    disabledReason = serializers.ChoiceField(choices=["", *Webhook.DisabledReason.values], source="disabled_reason")
    headerNames = serializers.ListField(child=serializers.CharField())
    failures = serializers.IntegerField(help_text="attempts in a row that failed")
    failingSince = serializers.DateTimeField(allow_null=True)
    retryAt = serializers.DateTimeField(allow_null=True, help_text="when one delivery is tried, and the others wait")
    lastSuccessAt = serializers.DateTimeField(allow_null=True)
    formerSecretUntil = serializers.DateTimeField(allow_null=True, help_text="until then two secrets sign")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class WebhookMade(WebhookOut):
    """A webhook with its secret, this once."""

    conceals = ("secret",)
    secret = Computed(serializers.CharField(help_text="whsec_…; keep it, nobody is shown it again"))


class WebhookTestOut(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    status = Computed(serializers.IntegerField(allow_null=True, help_text="HTTP status of the answer"))
    milliseconds = Computed(serializers.IntegerField())
    answer = Computed(serializers.CharField(help_text="how the answer begins"))
    detail = Computed(serializers.CharField(help_text="what went wrong, for people"))
    body = Computed(serializers.CharField(help_text="what was sent"))


class WebhookReplayOut(Output):
    """The number of events that are delivered again."""

    replayedCount = Computed(serializers.IntegerField())
    nextCursor = Computed(serializers.CharField(allow_null=True, help_text="go on from here; null when that was all"))


class DeliveryOut(Output):
    """An event on its way to a webhook."""

    _id = IdField()
    webhook = IdField(source="webhook_id")
    messageId = Computed(serializers.CharField(help_text="the header webhook-id, the same each time"))
    eventId = IdField()
    kind = serializers.CharField()
    objectId = IdField()
    objectSequence = serializers.IntegerField()
    status = serializers.ChoiceField(choices=WebhookDelivery.Status.values)
    attempts = serializers.IntegerField()
    dueAt = serializers.DateTimeField(help_text="when it is tried next, while it is pending")
    triedAt = serializers.DateTimeField(allow_null=True)
    milliseconds = serializers.IntegerField(allow_null=True)
    responseStatus = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "messageId": f"{data['eventId']}-{data['webhook']}"}


class DeliveryDetail(DeliveryOut):
    """A delivery with its body and how the answer begins."""

    body = serializers.CharField()
    responseBody = serializers.CharField(allow_blank=True)
