"""A company with a record of everything, whose pages tests walk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.test import Client

from accounts.models import ApiKey, Member, Role
from billing.models import Payment
from core.web.pages import Page, PersonPage
from crm.models import (
    BulkJob,
    CallLog,
    Comment,
    Contact,
    ContactCategory,
    CustomField,
    CustomSection,
    Export,
    File,
    FollowUp,
    Import,
    Lead,
    LostReason,
    Meeting,
    Organization,
    Pipeline,
    ProductService,
    Segment,
    Tag,
    Team,
    Webhook,
    WebhookDelivery,
)
from outreach.messaging.email_templates.designs.ready import ready_template
from outreach.models import (
    AnswerTime,
    BookingPage,
    Campaign,
    CannedAnswer,
    CardScan,
    ChatApp,
    ChatTemplate,
    ChatWidget,
    Conversation,
    CrmChatThread,
    Dashboard,
    EmailTemplate,
    Form,
    GenieScheduler,
    InboundMessage,
    MailApp,
    ManualChatbot,
    PersonalMail,
    Quote,
    SendJob,
    Smtp,
    SuppressionImport,
)
from tests.guards.population import populate
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, MemberFactory
from tests.web.helpers import at, enter
from workflows.models import RunApproval, Workflow, WorkflowRun, WorkflowSecret

PARAMETER = re.compile(r"<str:\w+>")
EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
ROLES = ("Owner", "Manager", "Member", "Viewer")
FRAMED = ("campaign-preview", "email-template-ready", "message-preview")
"""What others wrote, as it is, in a frame with a policy of its own."""

REDIRECTS = ("comment",)
"""Ways to another page, which have none of their own."""

KEYS = {"workflow-ready": "mail-welcome-series", "email-template-ready": "welcome"}
"""The page's name -> what its address has in place of a record."""

ADDRESSES: dict[str, type[Any]] = {
    "booking-page": BookingPage,
    "booking-page-hours": BookingPage,
    "booking-questions": BookingPage,
    "call": CallLog,
    "campaign": Campaign,
    "campaign-preview": Campaign,
    "campaign-edit": Campaign,
    "card-scan": CardScan,
    "category": ContactCategory,
    "comment": Comment,
    "comment-edit": Comment,
    "contact": Contact,
    "contact-cell": Contact,
    "contact-related": Contact,
    "dashboard": Dashboard,
    "dashboard-edit": Dashboard,
    "email-template": EmailTemplate,
    "email-template-design": EmailTemplate,
    "email-template-files": EmailTemplate,
    "export": Export,
    "field": CustomField,
    "file": File,
    "follow-up": FollowUp,
    "form": Form,
    "form-answers": Form,
    "form-field": Form,
    "form-settings": Form,
    "import": Import,
    "answer-time": AnswerTime,
    "assistant-thread": CrmChatThread,
    "canned-answer": CannedAnswer,
    "conversation": Conversation,
    "conversation-people": Conversation,
    "chat-app": ChatApp,
    "chat-template": ChatTemplate,
    "chatbot": ManualChatbot,
    "chatbot-add": ManualChatbot,
    "chatbot-step": ManualChatbot,
    "chatbot-test": ManualChatbot,
    "email": PersonalMail,
    "inbound-mail": InboundMessage,
    "import-check": Import,
    "import-columns": Import,
    "job": BulkJob,
    "job-progress": BulkJob,
    "key": ApiKey,
    "lead": Lead,
    "lead-cell": Lead,
    "lead-move": Lead,
    "lead-related": Lead,
    "meeting": Meeting,
    "member": Member,
    "lost-reason": LostReason,
    "message": SendJob,
    "message-preview": SendJob,
    "organization": Organization,
    "organization-cell": Organization,
    "organization-related": Organization,
    "pipeline-edit": Pipeline,
    "outreach-approve": GenieScheduler,
    "outreach-draft": SendJob,
    "outreach-review": GenieScheduler,
    "outreach-run": GenieScheduler,
    "quote": Quote,
    "quote-send": Quote,
    "product": ProductService,
    "role": Role,
    "plan-pay": Payment,
    "run-replies": GenieScheduler,
    "secret": WorkflowSecret,
    "section": CustomSection,
    "segment": Segment,
    "segment-filters": Segment,
    "sender": Smtp,
    "sender-mailbox": Smtp,
    "suppression-import": SuppressionImport,
    "tag": Tag,
    "team": Team,
    "vendor-app": MailApp,
    "webhook": Webhook,
    "widget": ChatWidget,
    "webhook-delivery": WebhookDelivery,
    "webhook-filter": Webhook,
    "workflow": Workflow,
    "workflow-approval": RunApproval,
    "workflow-add": Workflow,
    "workflow-compare": Workflow,
    "workflow-live": Workflow,
    "workflow-publish": Workflow,
    "workflow-run": WorkflowRun,
    "workflow-runs-of": Workflow,
    "workflow-settings": Workflow,
    "workflow-step": Workflow,
    "workflow-test": Workflow,
    "workflow-values": Workflow,
    "workflow-versions": Workflow,
}
"""The page's name -> the model of the record that its parameter is the id of."""


TILES = [
    {"title": EVIL, "reportType": name, "by": by, "chart": chart, "metric": metric, "range": "last30"}
    for name, by, chart, metric in (
        ("contacts", "day", "line", "added"),
        ("leads", "status", "bar", "created"),
        ("outreach", "day", "number", "sent"),
    )
]


@dataclass
class World:
    cast: Cast
    ids: dict[type[Any], str]
    members: dict[str, Member]
    clients: dict[str, Client]


def make_world() -> World:
    """Make a company with a record of everything, texts that try to break out, and a member of each role."""
    cast = make_cast()
    ids = populate(cast)
    with cast.scope():
        Organization.objects.update(name=EVIL)
        Contact.objects.update(name=EVIL, organization=ids[Organization])
        Export.objects.update(resource="contact")
        EmailTemplate.objects.update(design=ready_template("newsletter")["design"])
        Dashboard.objects.update(name=EVIL, shared=True, tiles=TILES)
        ContactFactory.create_batch(10)
        members = {"Owner": cast.owner} | {
            name: MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name=name)) for name in ROLES[1:]
        }
    return World(cast, ids, members, {name: enter(member) for name, member in members.items()})


def address(world: World, page: type[Page]) -> str:
    """Return an address of the page, of the world's own company and records."""
    path = PARAMETER.sub(lambda _: KEYS.get(page.name) or world.ids[ADDRESSES[page.name]], page.path)
    return f"/{path}" if issubclass(page, PersonPage) else at(world.cast.owner, path)
