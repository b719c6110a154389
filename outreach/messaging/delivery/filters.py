"""The fields by which lists of messages are filtered, searched and sorted."""

from __future__ import annotations

from django.db.models import Case, CharField, F, Func, TextField, Value, When
from django.db.models.functions import Cast, Coalesce

from core.lists import FieldSet, ListField
from outreach.messaging.delivery.approving.approvals import address, reason_now
from outreach.messaging.delivery.models import HANDED_AT, SendJob
from outreach.messaging.delivery.outcomes import OUTCOME_FIELDS


def _message_fields(name: str, recipient: str | Case, reason: str | Case) -> list[ListField]:
    return [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("reason", "text", reason, nullable=False),
        ListField(name, "text", recipient, searchable=True, nullable=False, ignore_case=True),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("messageId", "text", "message_id", nullable=False),
        ListField("deliveryStatus", "text", "delivery_status", nullable=False),
        ListField("openCount", "number", "open_count", nullable=False),
        ListField("clickCount", "number", "click_count", nullable=False),
        ListField("attempts", "number", "attempts", nullable=False),
        ListField("run", "id", "run_id"),
        ListField("campaign", "id", "run__of_campaign_id"),
        ListField("workflow", "text", "run__of_workflow"),
        ListField("workflowRun", "text", "workflow_run", nullable=False),
        ListField("variant", "number", "variant"),
        ListField("step", "number", "step", nullable=False),
        ListField("occurrence", "number", "occurrence", nullable=False),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True, nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("mailApp", "id", "mail_app_id"),
        ListField("chatApp", "id", "chat_app_id"),
        ListField("chatTemplate", "id", "chat_template_id"),
        ListField("conversation", "id", "conversation_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("approvalEndsAt", "date", "approval_ends_at"),
        ListField("sendingAt", "date", "sending_at"),
        ListField("handedAt", "date", HANDED_AT),
        ListField("sentAt", "date", "sent_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ]


def _recipient() -> Case:
    """Return the address as messages show it."""
    return Case(When(status__in=SendJob.TO_SEND, then=address()), default="recipient", output_field=CharField())


# A message has one sender at most, so the first that is not null is its sender.
SENDER = Coalesce("smtp_id", "mail_app_id", "chat_app_id")
"""The message's sender, of any kind."""
# A negative number would count from the end.
TEMPLATE = Case(
    When(
        step__gt=1,
        then=Func(
            F("run__outreach_cadence"),
            Value("steps"),
            Cast(F("step") - 2, TextField()),
            Value("template"),
            function="jsonb_extract_path_text",
        ),
    ),
    When(
        run__of_campaign__isnull=False,
        then=Coalesce(
            Func(
                F("run__of_campaign__variants"),
                Cast("variant", TextField()),
                Value("templateId"),
                function="jsonb_extract_path_text",
            ),
            "run__of_campaign__template_id",
        ),
    ),
    output_field=CharField(),
)
"""The email template of the message: that of a cadence's step, or of a campaign or its variant."""

MESSAGE_FIELDS = FieldSet(
    [
        *_message_fields("recipient", _recipient(), reason_now()),
        ListField("sender", "id", SENDER),
        ListField("template", "id", TEMPLATE),
        ListField("channel", "text", "channel", nullable=False),
        *OUTCOME_FIELDS,
    ],
    default_sort=("createdAt",),
    default_search=("recipient", "subject"),
)
LOG_FIELDS = FieldSet(
    _message_fields("to", "recipient", "reason"), default_sort=("createdAt",), default_search=("to", "subject")
)
VENDOR_LOG_FIELDS = FieldSet(
    [
        *_message_fields("recipient", "recipient", "reason"),
        ListField("providerMessageId", "text", "provider_message_id", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("recipient", "subject"),
)
CHAT_LOG_FIELDS = FieldSet(
    [
        *_message_fields("recipient", "recipient", "reason"),
        ListField("wamid", "text", "provider_message_id", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("recipient",),
)
