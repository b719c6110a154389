"""A company with the rows that the examples of /api/docs name, and callers that send them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from accounts.auth.sessions import tokens
from accounts.models import Member
from billing.models import BillingDetails, Currency, Plan, PlanPrice
from config.api_docs.examples import HEADERS, PARAMETER, VALUES, body_of, placeholder
from config.urls import key, private, public
from core.api import routers
from core.api.routers import Operation
from core.ids import new_id
from outreach.models import BookingPage, ChatWidget, Conversation, Form, SendJob
from tests.contracts.records import create_records
from tests.guards.population import populate
from tests.kit.cast import Answer, Caller, Cast, make_cast
from tests.kit.factories import (
    ContactFactory,
    LeadFactory,
    MemberFactory,
    OrganizationFactory,
    RoleFactory,
    SmtpFactory,
    UserFactory,
)
from tests.workflows.helpers import edges, node, work
from workflows.models import Workflow

ROUTERS = {"key": key.router, "private": private.router, "public": public.router}
NAME = re.compile(r"[A-Z]+(_[A-Z]+)*_(ID|TOKEN)|VISITOR|START_OF_SLOT|YOUR_EMAIL")
PEOPLE = b"""Name,Email,Country code,Phone,Shoe size
Ann Lee,ann.lee@example.com,+44,7400123456,38
Bob Ray,bob.ray@example.com,+44,7400123457,44
"""
REPLACED: Mapping[str, str] = {
    "https://hooks.example.com/crm": "http://127.0.0.1:9/",
    "https://register.example.com/search": "http://127.0.0.1:9/",
    "THE-PRESENT-PASSWORD": "correct horse battery",
}
"""Values of examples that are others in a test, which has no network and passwords of its own."""
NO_HOST = "could not be found. Check its spelling."
NO_LINK = "The link is no longer valid"
NO_GMAIL = "Gmail is not set up here"
REFUSED: Mapping[str, str] = {
    "POST apps/bucket": NO_HOST,
    "POST apps/social-a": NO_HOST,
    "POST template/chatapp/sync": NO_HOST,
    "POST apps/mailvendor-c": NO_GMAIL,
    "POST apps/mailvendor-c/authorize": NO_GMAIL,
    "POST my-calendar/connection": "state: this log-in was ended",
    "POST campaign/test/{type}": "The email could not be sent. Check the sender.",
    "POST campaign/{id}/winner": "the campaign has no variants to choose from",
    "POST chat-widget": "'Website' is already in use",
    "POST conversation": "choose an approved template of this chat app",
    "POST form": "'Ask for an offer' is already in use",
    "POST form/{token}": "this page was for another or is old",
    "POST manual-payment": "has no price for a month in USD",
    "POST subscription": "has no price for a month in USD",
    "POST subscription/preview": "has no price for a month in USD",
    "POST widget/{token}/offline": "somebody is there now; begin a chat by start",
    "POST workflow/runs/{runId}/resume": "the run is completed, it cannot be resumed",
    "POST conversation/{id}/messages": "The chat app of the conversation is switched off",
    "POST genie/send-jobs/{sendJobId}/regenerate": "its run writes nothing any more",
    "POST template/chatapp/handle": "enter the App ID of the chat app first",
    "POST workflow/approvals/{id}/answer": "Approval not found.",
    "PUT bulk-job/{id}": "a job that is completed cannot be cancelled",
    "PUT manual-payment/{id}": "there is no such payment by bank",
    "POST coupons": "the order is being paid",
    "POST subscription/payment-methods/setup": "gateway-a is not on offer",
    "POST subscription/seats": "this subscription has no seats to be paid for",
    "POST subscription/seats/preview": "this subscription has no seats to be paid for",
    **{f"POST gateway-{letter}": "there is no such order to be paid" for letter in "abcde"},
    **{f"POST gateway-{letter}/capture": "nothing was begun at gateway-" for letter in "abcde"},
    **{f"POST {name}": NO_LINK for name in ("invite", "accept-invite", "decline-invite", "reset-password")},
    "POST verify-email": NO_LINK,
    "GET campaign/{id}/preview": "choose a template, or enter subject and text",
    "DELETE message": "It may have been deleted.",
    "GET subscription/invoices/{id}/pdf": "the order has not been paid yet",
    "GET workflow/approvals/{id}": "there is no such question to you",
}
"""Operations whose example needs what a test has not, such as a vendor's answer -> the words of the refusal."""

ABSENT = frozenset(
    (
        "agent/{id}",
        "apps/social-a/{id}/pages/{page}/forms",
        "contact/merge/{id}",
        "contact/scan/{id}",
        "genie/templates/{templateId}",
        "lead/merge/{id}",
        "organization/merge/{id}",
        "unsubscribe/{token}",
    )
)
"""Paths of records that the company has none of, so that GET cannot be sent."""


def path_of(operation: Operation) -> str:
    """Return the path as the pages show it."""
    return routers.PARAMETER.sub(r"{\1}", operation.path).removeprefix("/")


@dataclass
class World:
    """The company, its callers and the ids that stand for names in capitals."""

    cast: Cast
    callers: dict[str, Caller]
    ids: dict[str, str]

    def send(self, mount: str, method: str, path: str, body: Any) -> Answer:
        """Send an example with the ids of this company."""
        segments = path.split("/")
        for position, segment in enumerate(segments):
            if found := PARAMETER.fullmatch(segment):
                segments[position] = self.parameter(mount, "/".join(segments[:position]), found[1])
        caller = self.callers[mount]
        for header in HEADERS.get(f"{method} {path}", ()):
            caller = Caller(caller.prefix, {**caller.headers, **dict([header.split(": ")])})
        return caller.call(method, "/" + "/".join(segments), self.filled(body))

    def parameter(self, mount: str, head: str, name: str) -> str:
        """Return the value of a path's parameter: that of the examples, or the newest record of the list before it."""
        known = VALUES.get(name) or self.ids.get(f"{head}/{{{name}}}")
        return known or self.newest(mount, head)

    def newest(self, mount: str, path: str) -> str:
        answer = self.callers[mount].get(f"/{path}")
        assert answer.status == 200, (path, answer.body)
        return str(answer.data[0]["_id"])

    def filled(self, value: Any) -> Any:
        """Return a value with ids in place of names in capitals."""
        if isinstance(value, Mapping):
            return {key: self.filled(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.filled(inner) for inner in value]
        if isinstance(value, str):
            return self.ids[value] if NAME.fullmatch(value) else REPLACED.get(value, value)
        return value


def make_world() -> World:
    """Make the company with a record of everything, and then those that examples name."""
    permission = {module: {"GET": True, "POST": True} for module in ("contact", "chatapp", "calendar")}
    cast = make_cast(permission)
    create_records(cast)
    populate(cast)
    callers = {
        "key": cast.key,
        "private": Caller("/api/private", cast.session.headers),
        "public": Caller("/api/public", {}),
    }
    world = World(cast, callers, {})
    with cast.scope():
        _rows(world)
    _by_api(world)
    _lists(world)
    return world


def _rows(world: World) -> None:
    """Make what the API makes in several steps only."""
    ids = world.ids
    other, gone = ContactFactory(), ContactFactory()
    lead, deleted = LeadFactory(contact=other), LeadFactory(contact=other)
    ids |= {"OTHER_CONTACT_ID": other.pk, "OTHER_LEAD_ID": lead.pk}
    firm, other_firm, old_firm = OrganizationFactory.create_batch(3)
    ids |= {"OTHER_ORGANIZATION_ID": other_firm.pk, "DELETED_ORGANIZATION_ID": old_firm.pk}
    ids["ORGANIZATION_ID"] = firm.pk
    ids |= {"DELETED_CONTACT_ID": gone.pk, "DELETED_LEAD_ID": deleted.pk}
    number = {"country_code": "+44", "number": "7400123499", "contact_number": "+447400123499"}
    carl = ContactFactory(name="Carl May", email="carl.may@example.com", **number)
    LeadFactory(contact=carl)
    Conversation.objects.update(contact=carl, address=carl.contact_number)
    SmtpFactory(verified=True)
    RoleFactory(name="Unused")
    MemberFactory(status=Member.Status.INVITED, user=UserFactory())
    BillingDetails.objects.update(vat_id="", country="GB")
    SendJob.objects.update(status="draft")
    plan = Plan.objects.create(name="Example", min_seats=1)
    PlanPrice.objects.create(plan=plan, currency=Currency.objects.get(code="USD"), interval="month", amount=20)
    ids["plans/{id}"] = plan.pk
    ids["workflow/templates/{key}"] = "mail-welcome-series"
    ids["template/ready/{key}"] = "welcome"
    ids["genie/leads/{leadId}"] = lead.pk
    member = world.cast.narrow.pk
    ids |= {"PLAN_ID": plan.pk, "MEMBER_ID": member, "member/{id}": member, "workflow/approvals/{id}": new_id()}
    ids["book/{token}"] = BookingPage.objects.order_by("-created_at")[0].token
    ids["YOUR_EMAIL"] = world.cast.owner.user.email
    ids["REFRESH_TOKEN"] = tokens.issue(world.cast.owner.user).refresh
    UserFactory(email="ann.lee@example.com")


def done(answer: Answer) -> Answer:
    """Return an answer that is a success."""
    assert 200 <= answer.status < 300, answer.body
    return answer


def _by_api(world: World) -> None:
    """Make records by the examples themselves where others build on them."""
    api, ids = world.cast.key, world.ids
    ids["FILE_ID"] = api.upload("/upload", SimpleUploadedFile("people.csv", PEOPLE)).data["_id"]
    picture = BytesIO()
    Image.new("RGB", (40, 40)).save(picture, "PNG")
    ids["PICTURE_ID"] = api.upload("/upload", SimpleUploadedFile("card.png", picture.getvalue())).data["_id"]
    ids["DELETED_FILE_ID"] = api.upload("/upload", SimpleUploadedFile("old.txt", b"old")).data["_id"]
    done(api.delete("/file", {"ids": [ids["DELETED_FILE_ID"]]}))
    done(api.delete("/contact", {"ids": [ids["DELETED_CONTACT_ID"]]}))
    done(api.delete("/lead", {"ids": [ids["DELETED_LEAD_ID"]]}))
    done(api.delete("/organization", {"ids": [ids["DELETED_ORGANIZATION_ID"]]}))
    task = {"title": "Old", "dueAt": "2090-01-01T10:00:00Z"}
    ids["DELETED_TASK_ID"] = done(api.post("/task", task)).data["_id"]
    done(api.delete("/task", {"ids": [ids["DELETED_TASK_ID"]]}))
    comment = {"text": "Old", "record": {"kind": "contact", "id": ids["OTHER_CONTACT_ID"]}}
    ids["DELETED_COMMENT_ID"] = done(api.post("/comment", comment)).data["_id"]
    done(api.delete("/comment", {"ids": [ids["DELETED_COMMENT_ID"]]}))
    done(api.post("/comment", comment))
    quote = {"lead": ids["OTHER_LEAD_ID"], "lines": [{"name": "Design", "unitPrice": 90}]}
    ids["DELETED_QUOTE_ID"] = done(api.post("/quote", quote)).data["_id"]
    done(api.delete("/quote", {"ids": [ids["DELETED_QUOTE_ID"]]}))
    sent = done(api.post("/quote", quote)).data["_id"]
    done(api.post(f"/quote/{sent}/mark-sent"))
    ids["QUOTE_ID"] = ids["quote/{id}"] = sent
    for kind in ("contact", "lead", "organization"):
        done(api.post(f"/{kind}/import", {"importType": kind, "fileId": ids["FILE_ID"]}))
    done(api.post("/tag", {"name": "Newest"}))
    _public(world)
    workflow = done(api.post("/workflow", body_of("key", "POST", "workflow"))).data["_id"]
    done(api.post(f"/workflow/{workflow}/publish"))
    done(api.post(f"/workflow/{workflow}/enrol", {"ids": [ids["OTHER_CONTACT_ID"]]}))
    work()


def _public(world: World) -> None:
    """Make a form, a widget and a hook, by the examples, and an invite of the owner to another company."""
    api, ids = world.cast.key, world.ids
    form = done(api.post("/form", body_of("key", "POST", "form"))).data["_id"]
    done(api.post(f"/form/{form}/publish"))
    widget = done(api.post("/chat-widget", body_of("key", "POST", "chat-widget"))).data["_id"]
    hook = {
        "name": "By a hook",
        "triggerEventType": "webhook",
        "nodes": [node("trigger", "trigger"), node("end", "stop", {"result": "done"})],
        "edges": edges("trigger > end"),
    }
    hooked = done(api.post("/workflow", hook)).data["_id"]
    done(api.post(f"/workflow/{hooked}/publish"))
    with world.cast.scope():
        ids["form/{token}"] = Form.objects.get(pk=form).token
        ids["widget/{token}"] = ChatWidget.objects.get(pk=widget).token
        ids["workflow-hooks/{token}"] = Workflow.objects.get(pk=hooked).hook_token
    start = "widget/{token}/start"
    ids["VISITOR"] = done(world.send("public", "POST", start, body_of("public", "POST", start))).data["visitor"]
    invited = make_cast().session.post("/member", {"email": world.cast.owner.user.email})
    ids["invite/{id}"] = invited.data["_id"]
    week = [{"day": day, "from": "09:00", "to": "17:00"} for day in range(1, 8)]
    done(world.cast.session.put("/my-calendar/hours", {"timezone": "UTC", "days": week, "away": []}))
    slots = api.get(f"/booking-page/{world.newest('key', 'booking-page')}/slots").data["slots"]
    ids["START_OF_SLOT"] = next((one["startsAt"] for one in slots), "")


def _lists(world: World) -> None:
    """Remember the newest record of each list under its name."""
    for operation in ROUTERS["key"].operations():
        if operation.method == "GET" and operation.endpoint.many and not operation.parameters:
            path = path_of(operation)
            answer = world.cast.key.get(f"/{path}")
            rows = answer.data if answer.status == 200 else []
            if isinstance(rows, list) and rows and isinstance(rows[0], dict) and "_id" in rows[0]:
                world.ids.setdefault(placeholder(path.split("/"), "id"), rows[0]["_id"])
