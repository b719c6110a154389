"""Bodies and answers of templates of workflows."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import BooleanInput, Input, LineInput, ObjectInput
from core.api.output import Computed, Output
from workflows.definitions.serializers import EDGE, NODE, WorkflowDetail


class WorkflowTemplates(Output):
    """Graphs to start from."""

    templates = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="key, name, description, triggerEventType, config, schedule, nodes and edges of each, and emails"
            " and settings of those that send emails; @me stands for the member who uses it.",
        )
    )


class WorkflowTemplate(Output):
    """A graph to start from, with its emails and settings."""

    key = Computed(serializers.CharField())
    name = Computed(serializers.CharField())
    description = Computed(serializers.CharField())
    triggerEventType = Computed(serializers.CharField())
    config = Computed(serializers.DictField())
    schedule = Computed(serializers.DictField(allow_null=True))
    nodes = Computed(serializers.ListField(child=serializers.DictField(), help_text=NODE))
    edges = Computed(serializers.ListField(child=serializers.DictField(), help_text=EDGE))
    settings = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="name, kind (sender, segment, field or days), default, and choices (_id and name of each, or"
            " null) of each.",
        )
    )
    emails = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="key, name, subject, body, html and text of each."
        )
    )
    missing = Computed(
        serializers.ListField(
            child=serializers.CharField(),
            help_text="senderMissing: no sender works yet; opensOff: opens are not tracked.",
        )
    )
    running = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="_id and name of the published workflows that have its name, with or without a number.",
        )
    )


class WorkflowInstall(Input):
    """Settings for a template that is installed."""

    settings = ObjectInput(required=False, default=dict, help_text="Name -> value; absent ones get their defaults.")
    publish = BooleanInput(default=False, help_text="It runs at once.")
    requestId = LineInput(
        required=False,
        max_length=64,
        help_text="Your own id of this installation: the second request with it installs nothing.",
    )


class WorkflowInstalled(WorkflowDetail):
    """A workflow, with the email templates that were created for it."""

    templates = Computed(serializers.ListField(child=serializers.DictField(), help_text="_id and name of each."))
