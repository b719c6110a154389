"""Settings of every type of nodes, as somebody would fill them in."""

from __future__ import annotations

from typing import Any

from crm.models import Segment
from outreach.models import AiApp, Campaign, ChatApp, ChatTemplate, EmailTemplate
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory, TagFactory
from tests.workflows.helpers import edges, node, published, when


def examples(cast: Cast) -> dict[str, dict[str, Any]]:
    """Return settings of each type, in the order in which one workflow goes through them."""
    with cast.scope():
        tag = TagFactory().pk
        segment = Segment.objects.create(name="Fixed", kind="static", panel="lead").pk
        SmtpFactory(verified=True)
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        campaign = Campaign.objects.create(name="Spring", subject="Hi", body="Come").pk
    member = cast.owner.pk
    always = when("lead.status", "equals", "new")
    return {
        "trigger": {},
        "condition": {"filter": always},
        "switch": {"cases": [{"id": "true", "filter": always}]},
        "split": {"arms": [{"id": "true", "weight": 1}, {"id": "b", "weight": 1}]},
        "set": {"values": {"a": "{{ lead.status }}", "seconds": 90}},
        "wait": {"until": "{{ lead.createdAt }}"},
        "contact": {"action": "update", "values": {"name": "{{ contact.name }} ({{ vars.a }})"}},
        "lead": {"action": "update", "values": {"status": "contacted"}},
        "tags": {"panel": "lead", "tags": [tag]},
        "segment": {"segment": segment},
        "assign": {"teamMember": member},
        "note": {"notes": "{{ lead.status }}", "panel": "lead"},
        "followUp": {"title": "Call {{ contact.name }}"},
        "notify": {"members": [member], "text": "{{ contact.name }} waits"},
        "find": {"panel": "lead", "filter": when("status", "equals", "contacted"), "fields": ["status"]},
        "meeting": {"title": "With {{ contact.name }}", "startsAt": "{{ now | dateAdd: 1 }}"},
        "call": {"notes": "{{ contact.name }}", "duration": "{{ vars.seconds }}", "startedAt": "{{ now }}"},
        "mail": {"subject": "Hello {{ contact.name }}", "body": "Come, {{ contact.name }}"},
        "genie": {"prompt": "Invite them", "draft": True},
        "campaign": {"campaign": campaign},
        "suppress": {"source": "{{ contact.name }} is silent"},
        "loop": {"items": []},
        "join": {},
        "stop": {"result": "done"},
    }


def asking_examples(cast: Cast) -> dict[str, dict[str, Any]]:
    """Return settings of each type that asks somebody, which `examples` leaves out."""
    with cast.scope():
        AiApp.objects.create(provider="ai-a", name="Model", api_key="k")
        app = ChatApp.objects.create(name="Us", phone_number_id="1", waba_id="2", access_token="t")
        parts = [{"type": "BODY", "text": "Hello {{1}}.", "example": {"body_text": [["Ann"]]}}]
        chat = ChatTemplate.objects.create(
            app=app, name="hi", language="en", components=parts, status="APPROVED", variables={"1": "contact.name"}
        ).pk
    child = published(cast, [node("end", "set", {"values": {"a": "b"}})], edges("trigger > end"))
    week = {"amount": 1, "unit": "weeks"}
    return {
        "http": {"method": "GET", "url": "https://example.org/{{ contact.name }}"},
        "ai": {"task": "Sort it", "app": "ai-a", "output": [{"name": "kind", "type": "text"}]},
        "workflow": {"workflow": child},
        "approval": {"text": "Write to {{ contact.name }}?", "members": [cast.owner.pk]},
        "waitFor": {"event": "contact.updated", "timeout": week},
        "meetingTime": {"when": "before", "for": week, "meeting": "{{ trigger.objectId }}"},
        "meetingResult": {"timeout": week, "meeting": "{{ trigger.objectId }}"},
        "chat": {"template": chat},
    }


def templated_mail(cast: Cast) -> dict[str, Any]:
    """Return settings of a mail by a template, with a value for its variable."""
    with cast.scope():
        template = EmailTemplate.objects.create(
            name="Welcome", subject="Hi {{offer}}", body="Come for {{offer}}", variables=[OFFER]
        ).pk
    return {"template": template, "variables": {"offer": "{{ contact.name }}"}}


OFFER = {"name": "offer", "required": True, "dateType": None}
