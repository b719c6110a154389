"""Guards: the TypedDicts that pages read answers by have the fields of the API's outputs."""

from __future__ import annotations

import types
from importlib import import_module
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from django.conf import settings
from rest_framework import serializers

from billing.checkout import order_serializers as orders
from billing.checkout.types import LimitLostData, LineData, LossesData, OrderedData, PaymentData, QuoteData
from billing.entitlements import serializers as entitlements
from billing.entitlements.types import (
    NamedPlanData,
    PeriodData,
    ScheduledChangeData,
    SeatsData,
    SubscriptionData,
    SubscriptionPlansData,
)
from core.api.output import Computed, Output
from core.types import Values
from crm.contacts.serializers import ContactOut
from crm.contacts.types import ContactData
from crm.leads.board_serializers import BoardOut, BoardStage
from crm.leads.serializers import LeadContact, LeadOut
from crm.leads.types import BoardData, BoardStageData, LeadContactData, LeadData
from crm.organizations.serializers import OrganizationOut
from crm.organizations.types import OrganizationData
from outreach.chat.conversations import serializers as conversations
from outreach.chat.conversations.types import ConversationData, ConversationLeadData, ConversationMessageData
from outreach.messaging.delivery import serializers as delivery
from outreach.messaging.delivery.types import ListedMessageData, MessageData, MessageDetailData
from outreach.runs.campaigns.serializers import CampaignDetail
from outreach.runs.campaigns.types import CampaignData
from outreach.runs.genie.serializers import RunDetail, RunOut
from outreach.runs.genie.types import RunData, RunDetailData
from workflows.runs.serializers import WorkflowRunDetail, WorkflowRunOut, WorkflowStepOut
from workflows.runs.types import WorkflowRunData, WorkflowRunDetailData, WorkflowStepData

OUTPUTS: dict[type, type[Output]] = {
    BoardData: BoardOut,
    BoardStageData: BoardStage,
    CampaignData: CampaignDetail,
    ContactData: ContactOut,
    ConversationData: conversations.ConversationOut,
    ConversationLeadData: conversations.ConversationLead,
    ConversationMessageData: conversations.ConversationMessageOut,
    LeadContactData: LeadContact,
    OrganizationData: OrganizationOut,
    LeadData: LeadOut,
    LimitLostData: orders.LimitLost,
    LineData: orders.LineOut,
    ListedMessageData: delivery.ListedMessage,
    LossesData: orders.LossesOut,
    MessageData: delivery.MessageOut,
    MessageDetailData: delivery.MessageDetail,
    NamedPlanData: entitlements.NamedPlan,
    OrderedData: orders.OrderedOut,
    PaymentData: orders.PaymentOut,
    PeriodData: entitlements.PeriodOut,
    QuoteData: orders.QuoteOut,
    RunData: RunOut,
    RunDetailData: RunDetail,
    ScheduledChangeData: entitlements.ScheduledOut,
    SeatsData: entitlements.SeatsOut,
    SubscriptionData: entitlements.SubscriptionOut,
    SubscriptionPlansData: entitlements.SubscriptionPlans,
    WorkflowRunData: WorkflowRunOut,
    WorkflowRunDetailData: WorkflowRunDetail,
    WorkflowStepData: WorkflowStepOut,
}
"""TypedDict of an answer -> its output."""
TYPED = {output: typed for typed, output in OUTPUTS.items()}
ADDED = {"id"}
"""Names that pages have in addition (core.web.ask.with_ids)."""
SCALARS: tuple[tuple[type, type], ...] = (
    (serializers.BooleanField, bool),
    (serializers.IntegerField, int),
    (serializers.FloatField, float),
    (serializers.CharField, str),
    (serializers.ChoiceField, str),
    (serializers.DateTimeField, str),
    (serializers.DateField, str),
    (serializers.TimeField, str),
)


def type_of(field: Any) -> Any:
    """Return the type of a field's value in JSON; None for a field that may hold anything."""
    field = field.schema if isinstance(field, Computed) else field
    if isinstance(field, Output):
        return TYPED.get(type(field), Values) | None
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        child = TYPED.get(type(field.child), Values) if isinstance(field.child, Output) else type_of(field.child)
        item: Any = Any if child is None else child
        typed: Any = list[item]
    elif isinstance(field, serializers.DictField):
        value: Any = type_of(field.child)
        typed = Values if value is None else dict[str, value]
    else:
        typed = next((kind for base, kind in SCALARS if isinstance(field, base)), None)
    return typed | None if typed is not None and field.allow_null else typed


def without_none(annotation: Any) -> Any:
    """Return an annotation without `| None`."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    return kinds[0] if len(kinds) == 1 else annotation


@pytest.mark.parametrize("typed", OUTPUTS, ids=lambda typed: typed.__name__)
def test_a_typed_answer_has_the_fields_of_its_output(typed: type) -> None:
    output, annotations = OUTPUTS[typed], get_type_hints(typed)
    assert annotations.keys() - ADDED == output._declared_fields.keys()
    for name, field in output._declared_fields.items():
        expected = type_of(field)
        shape = field.schema if isinstance(field, Computed) else field
        if isinstance(shape, Output):  # a reference that a record always has is never null
            assert without_none(annotations[name]) == without_none(expected), name
        elif expected is not None:
            assert annotations[name] == expected, name


def test_every_typed_answer_has_an_output() -> None:
    modules = [
        ".".join(path.relative_to(settings.BASE_DIR).with_suffix("").parts)
        for app in ("accounts", "billing", "crm", "outreach", "workflows")
        for path in (settings.BASE_DIR / app).rglob("types.py")
    ]
    declared = [
        value
        for module in map(import_module, modules)
        for value in vars(module).values()
        if is_typeddict(value) and value.__module__ == module.__name__
    ]
    assert declared
    assert set(declared) == set(OUTPUTS)
