"""The demo's workflows: one that welcomes new contacts, one that answers new leads, and a draft."""

from __future__ import annotations

from accounts.models import Member
from core.lists.selection import BulkSelection
from core.types import JsonObject
from crm.models import Contact, Tag
from workflows.definitions.publishing import publish_workflow
from workflows.definitions.services import create_workflow
from workflows.graphs.models import Workflow
from workflows.triggers.enrolment import enrol

WELCOME = "Call {{ contact.name | firstName }} this week. New contact."
THREE_DAYS = {"amount": 3, "unit": "days"}
ANSWER = {
    "subject": "Thank you, {{ contact.name | firstName }}",
    "body": "Hello {{ contact.name | firstName }},\n\nthank you for your request. We'll call you within three"
    " days.\n\n{{ company.name }}",
}


def create_workflows(member: Member) -> None:
    """Publish two workflows, and write a draft of another."""
    tags = dict(Tag.objects.values_list("name", "pk"))
    welcome = _publish(
        member,
        "Welcome new contacts",
        "contact.created",
        [
            _node("welcome", "note", "Welcome", {"notes": WELCOME}),
            _node("wait", "wait", "Wait three days", {"for": THREE_DAYS}),
            _node("key", "tags", "Key account", {"tags": [tags["Key account"]]}),
        ],
        [("welcome", "out", "wait"), ("wait", "out", "key")],
    )
    first = list(Contact.objects.filter(is_deleted=False).order_by("created_at", "pk").values_list("pk", flat=True)[:5])
    if first:  # so that its drawing shows where runs are
        selection = BulkSelection.of_ids(first)
        enrol(workflow=welcome, member_id=member.pk, panel="contact", selection=selection, given={})
    _publish(
        member,
        "Reply to new leads",
        "lead.created",
        [
            _node("answer", "mail", "Send thank-you email", ANSWER),
            _node("call", "followUp", "Call the lead", {"title": "Call {{ contact.name }}", "due": THREE_DAYS}),
            _node("write", "followUp", "Send a letter", {"title": "Send a letter to {{ contact.name }}"}),
        ],
        [("answer", "out", "call"), ("answer", "suppressed", "write")],
    )
    create_workflow(member_id=member.pk, name="Follow up on inactive leads", trigger_event_type="schedule")


def _node(id: str, type: str, label: str, config: JsonObject) -> JsonObject:
    return {"id": id, "type": type, "data": {"label": label, "config": config}}


def _publish(
    member: Member, name: str, kind: str, nodes: list[JsonObject], ways: list[tuple[str, str, str]]
) -> Workflow:
    """Publish a workflow, and return it; each way leads from a node by a handle to another."""
    edges = [
        {"id": f"{source}-{target}", "source": source, "sourceHandle": handle, "target": target}
        for source, handle, target in ways
    ]
    workflow = create_workflow(member_id=member.pk, name=name, trigger_event_type=kind, nodes=nodes, edges=edges)
    publish_workflow(id=workflow.pk, member_id=member.pk)
    return workflow
