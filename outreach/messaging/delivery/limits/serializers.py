from __future__ import annotations

from rest_framework import serializers

from core.api.output import Computed, Output


class GuardrailRate(Output):
    """Number of messages that count against a sender."""

    what = Computed(serializers.ChoiceField(choices=("bounces", "complaints")))
    count = Computed(serializers.IntegerField())
    of = Computed(
        serializers.IntegerField(
            help_text="Messages that went out in the last 7 days, since it was resumed; for bounces the last 200."
        )
    )
    percent = Computed(serializers.FloatField())
    stopsAt = Computed(serializers.FloatField(help_text="Percent, as in GET /genie/settings."))


class GuardrailOut(Output):
    """A sender's guardrail."""

    stoppedAt = Computed(serializers.DateTimeField(allow_null=True))
    sentence = Computed(serializers.CharField(help_text="Why it was stopped; empty if it was not."))
    rampPause = Computed(serializers.BooleanField(help_text="Its ramp waits too, and goes on where it was."))
    countedSince = Computed(
        serializers.DateTimeField(allow_null=True, help_text="When it was resumed: what went before counts no more.")
    )
    rates = Computed(GuardrailRate(many=True))
