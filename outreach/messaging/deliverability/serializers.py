"""Bodies and answers of deliverability checks and DKIM keys."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input
from core.api.output import Computed, Output
from core.types import JsonObject, Values
from outreach.messaging.deliverability.models import DkimKey
from outreach.messaging.deliverability.results import Light

LIGHTS = [one.value for one in Light]


class RecordOut(Output):
    """A record to publish in the domain name system."""

    name = Computed(serializers.CharField())
    type = Computed(serializers.CharField())
    value = Computed(serializers.CharField())


class CheckOut(Output):
    """The result of one check."""

    name = Computed(serializers.ChoiceField(["mx", "spf", "dkim", "dmarc", "alignment"]))
    light = Computed(serializers.ChoiceField(LIGHTS))
    text = Computed(serializers.CharField(help_text="For people."))
    record = Computed(RecordOut(allow_null=True, help_text="What to publish; null: nothing."))
    found = Computed(serializers.ListField(child=serializers.CharField(), help_text="What is published now."))


class DkimCreate(Input):
    """A key to make."""

    algorithm = serializers.ChoiceField(
        DkimKey.Algorithm.choices,
        default=DkimKey.Algorithm.RSA,
        help_text="ed25519 is shorter, but many receivers cannot verify it.",
    )


class DkimOut(Output):
    """The key of a sender's domain; its private part never goes out."""

    domain = serializers.CharField()
    selector = serializers.CharField()
    algorithm = serializers.ChoiceField(DkimKey.Algorithm.choices)
    status = serializers.ChoiceField(
        DkimKey.Status.choices, help_text="active: it signs; pending: its record is to be published; lost: it is gone."
    )
    record = Computed(RecordOut())
    createdAt = serializers.DateTimeField()
    reads = ("public_record",)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        name = f"{data['selector']}._domainkey.{data['domain']}"
        return {**data, "record": {"name": name, "type": "TXT", "value": row["public_record"]}}


class DeliverabilityOut(Output):
    """The last check of a sender's domain, and its key."""

    domain = Computed(serializers.CharField())
    light = Computed(serializers.ChoiceField(LIGHTS, allow_null=True, help_text="The worst; null: not checked yet."))
    checkedAt = Computed(serializers.DateTimeField(allow_null=True))
    checks = Computed(CheckOut(many=True))
    dkim = Computed(DkimOut(allow_null=True, help_text="The key by which this service signs; null: none."))
