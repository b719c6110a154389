"""The answer of the board of a pipeline."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from core.api.output import Computed, IdField, Output
from crm.pipelines.models import Stage
from crm.tags.serializers import NamedModelSnapshot

PIPELINE = OpenApiParameter("pipeline", str, description="id of the pipeline; the default one unless given")


class BoardStage(Output):
    """A stage with the leads in it that the request selects."""

    _id = IdField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Stage.Kind.values)
    probability = serializers.IntegerField(help_text="percent")
    status = serializers.CharField(allow_null=True, help_text="in the default pipeline alone")
    count = Computed(serializers.IntegerField())
    sum = Computed(serializers.FloatField(help_text="of the leads' value, in the company's currency"))
    weighted = Computed(serializers.FloatField(help_text="the sum weighted by the probability"))


class BoardPipeline(NamedModelSnapshot):
    """A pipeline that the company has."""

    isDefault = serializers.BooleanField()


class BoardOut(Output):
    """The stages of a pipeline, and what a move needs to offer."""

    pipeline = Computed(BoardPipeline())
    stages = Computed(serializers.ListField(child=BoardStage()))
    pipelines = Computed(serializers.ListField(child=BoardPipeline(), help_text="all pipelines, the default one first"))
    lostReasons = Computed(serializers.ListField(child=NamedModelSnapshot(), help_text="by name, at most 200"))
    lostReasonRequired = Computed(serializers.BooleanField(help_text="the company's setting"))
