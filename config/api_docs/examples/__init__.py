"""Bodies that the pages show for each operation, by its method and path below the mount.

Ids, and what else is the reader's own, are names in capitals, such as CONTACT_ID. A test sends each body to the API
(tests/config/test_api_examples.py).
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping

from config.api_docs.examples import apps, billing, chats, company, meetings, open_access, outreach, records, workflows
from core.types import Values

Body = Values

COMPANY: Mapping[str, Body] = ChainMap(
    *(part.BODIES for part in (apps, billing, chats, company, meetings, outreach, records, workflows))
)
"""Example bodies of a company's operations, by key and by session."""
PRIVATE: Mapping[str, Body] = open_access.PRIVATE
PUBLIC: Mapping[str, Body] = open_access.PUBLIC
BY_MOUNT: Mapping[str, Mapping[str, Body]] = {"key": COMPANY, "session": COMPANY, "private": PRIVATE, "public": PUBLIC}
PARAMETER = re.compile(r"\{(\w+)\}")
NAMES: Mapping[str, str] = {
    "apps/chatapp": "CHAT_APP_ID",
    "calllog": "CALL_LOG_ID",
    "contact/import": "CONTACT_IMPORT_ID",
    "contact/scan": "SCAN_ID",
    "coupons": "COUPON_ID",
    "form/lead": "FORM_ANSWER_ID",
    "genie": "RUN_ID",
    "genie/send-jobs": "SEND_JOB_ID",
    "lead/import": "LEAD_IMPORT_ID",
    "lead/lead-gen-ai": "LEAD_GENERATION_ID",
    "manual-payment": "PAYMENT_ID",
    "organization/import": "ORGANIZATION_IMPORT_ID",
    "plans": "PLAN_ID",
    "subscription/credit-notes": "CREDIT_NOTE_ID",
    "subscription/invoices": "INVOICE_ID",
    "subscription/payment-methods": "PAYMENT_METHOD_ID",
    "subscription/transactions": "TRANSACTION_ID",
    "suppression/import": "SUPPRESSION_IMPORT_ID",
    "template/chatapp": "CHAT_TEMPLATE_ID",
    "template/email": "EMAIL_TEMPLATE_ID",
    "webhook/deliveries": "DELIVERY_ID",
    "workflow/approvals": "APPROVAL_ID",
    "workflow/runs": "WORKFLOW_RUN_ID",
    "workflow/secrets": "SECRET_ID",
}
"""Address of a list -> the name of its records' ids, where the last word of the address is none."""
VALUES: Mapping[str, str] = {"type": "smtp", "number": "1"}
"""Parameter of paths -> its value in examples."""
TREE: Body = {
    "operator": "and",
    "conditions": [{"field": "createdAt", "operator": "withinLast", "value": {"amount": 30, "unit": "days"}}],
}
"""A tree of `advancedFilters` that lists of records take."""
TREES: Mapping[str, Body] = {
    "contact": {
        "operator": "and",
        "conditions": [
            {"field": "email", "operator": "contains", "value": "example.com"},
            {
                "operator": "or",
                "conditions": [
                    {"field": "tags", "operator": "in", "value": ["TAG_ID"]},
                    {"field": "createdAt", "operator": "withinLast", "value": {"amount": 30, "unit": "days"}},
                ],
            },
        ],
    },
    **{
        f"{kind}/import/{{id}}/errors": {
            "operator": "and",
            "conditions": [{"field": "message", "operator": "contains", "value": "email"}],
        }
        for kind in ("contact", "lead", "organization", "suppression")
    },
    "currencies": {"operator": "and", "conditions": [{"field": "code", "operator": "in", "value": ["EUR", "USD"]}]},
}
"""Path -> the tree of a list that has a better one."""
HEADERS: Mapping[str, tuple[str, ...]] = {
    f"POST widget/{{token}}/{call}": ("Origin: https://www.example.com",)
    for call in ("start", "messages", "offline", "poll", "read")
}
"""Operation -> headers that it needs besides."""
NEEDS: Mapping[str, str] = {
    "POST answer-time": "`team`",
    "POST api": "`durationMinutes` with `type: temporary`",
    "POST calllog": "`lead`, `contact` or `number`",
    "POST calllog/bulk": "`formData`",
    "POST contact": "`email`, `countryCode`, `number`, in `formData` or at the top, unless the company changed that",
    "POST contact/bulk": "`formData`, whose items need what POST /contact needs",
    "POST contact/restore": "`ids`, or `selectAll`",
    "POST conversation/{id}/messages": "`text`, `template` or `file`",
    "POST file/recycle-bin/restore": "`ids`, or `selectAll`",
    "POST genie/from-contacts": "people: `contactIds`, `leadIds`, `segments`, `tags` or `categories`",
    "POST lead": "`contact`",
    "POST lead/bulk": "`formData`, whose items need a `contact` unless the body has one",
    "POST lead/restore": "`ids`, or `selectAll`",
    "POST manual-payment": "`planID` and `interval`, or an order's `paymentID`, and `reference` or `proof`",
    "POST organization": "`formData.name`",
    "POST organization/bulk": "`formData`, whose items need a `name`",
    "POST organization/restore": "`ids`, or `selectAll`",
    "POST product-service": "`formData.name`",
    "POST role": "`name` and `permission`",
    "POST suppression/bulk": "`formData`",
    "POST workflow": "`name`",
    "POST workflow/{id}/enrol": "`ids`, `selectAll` or `withoutRecord`",
    "POST workflow/runs/redrive": "`ids`, or `selectAll`",
}
"""Operation -> keys of its body that it needs, where the schema cannot say so."""
QUERIES: Mapping[str, Mapping[str, str]] = {
    "GET logs/report": {"reportType": "leads"},
    "GET search": {"q": "ann"},
    "GET segment/execute": {"id": "SEGMENT_ID"},
    "GET workflow/{id}/references": {"node": "trigger"},
    "GET workflow/{id}/versions/diff": {"a": "1", "b": "draft"},
}
"""Operation -> parameters of its query that the example has."""


def body_of(mount: str, method: str, path: str, *, bulk: bool = False) -> Body | None:
    """Return the example of an operation's body. Operations on many records take ids, unless they have another."""
    example = BY_MOUNT[mount].get(f"{method} {path}")
    if example is None and bulk:
        return {"ids": [placeholder(path.split("/"), "id")]}
    return example


def placeholder(segments: list[str], parameter: str) -> str:
    """Return the name in capitals that stands for a parameter after these segments of a path."""
    names = [segment for segment in segments if segment and not segment.startswith("{")]
    if parameter.lower().endswith("id") and (name := NAMES.get("/".join(names))):
        return name
    if parameter != "id":
        return VALUES.get(parameter) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", parameter).upper()
    return f"{names[-1].replace('-', '_').upper()}_ID"


def fill_path(path: str) -> str:
    """Return a path with a name in capitals for each of its parameters."""
    segments = path.split("/")
    return "/".join(
        placeholder(segments[:position], match[1]) if (match := PARAMETER.fullmatch(segment)) else segment
        for position, segment in enumerate(segments)
    )
