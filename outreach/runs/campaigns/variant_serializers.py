"""Bodies of the variants of campaigns, and of the rule for their winner."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.input import Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.errors import NamedError
from core.spans import read_span
from core.types import JsonObject
from outreach.chat.chat_templates.frozen import read_given

METRICS = ("replied", "opened", "clicked", "manual")
BODY_LENGTH = 200_000


class VariablesInput(ObjectInput):
    """Variable of a chat template -> its text."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        return read_given(super().to_internal_value(data), self.field_name or "variables")


class VariantInput(Input):
    """A variant, as campaigns store it."""

    name = LineInput(max_length=60)
    share = IntegerInput(min_value=1, max_value=99, help_text="Percent; together they are 100.")
    templateId = ObjectIdInput(required=False, allow_null=True)
    subject = LineInput(max_length=200, required=False, allow_blank=True)
    body = TextInput(max_length=BODY_LENGTH, required=False, allow_blank=True, trim_whitespace=False)
    variables = VariablesInput(required=False, help_text="By chat: as the campaign's.")

    def to_internal_value(self, data: Any) -> JsonObject:
        values = super().to_internal_value(data)
        template = values.get("template_id")
        subject = values.get("subject", "")
        body = values.get("body", "")
        if template and (subject or body):
            raise serializers.ValidationError({"templateId": ["a variant has a template, or subject and body"]})
        named = {"name": values["name"], "share": values["share"]}
        variables = {"variables": values["variables"]} if values.get("variables") else {}
        return {**named, "templateId": template, "subject": subject, "body": body, **variables}


class WinnerInput(Input):
    """The rule for the winner of the variants."""

    metric = TextInput(
        max_length=20,
        help_text="replied: the most replies per message; opened, clicked: the most messages that were, where"
        " that is tracked; manual: a member chooses.",
    )
    after = ObjectInput(
        required=False,
        allow_null=True,
        help_text='Of others than manual: how long after the last message of the test, {"amount": 2, "unit": "days"}.',
    )
    testShare = IntegerInput(
        default=20, min_value=1, max_value=90, help_text="Percent of the recipients who get the test."
    )

    def to_internal_value(self, data: Any) -> JsonObject:
        values = super().to_internal_value(data)
        metric, span = values["metric"], values.get("after")
        if metric not in METRICS:
            raise NamedError("InvalidPayload_400", f"choose one of {', '.join(METRICS)}", field="winner.metric")
        if metric == "manual" and span is not None:
            raise NamedError("InvalidPayload_400", "leave it out where a member chooses", field="winner.after")
        after = None if metric == "manual" else read_span(span, "winner.after")
        return {"metric": metric, "after": after, "testShare": values["test_share"]}
