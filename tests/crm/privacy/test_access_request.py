"""An access request tells all that is known of a contact, and nothing of others."""

from __future__ import annotations

import json
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from crm.models import CustomField, LeadActivity
from crm.privacy.registry import PERSONAL_DATA
from tests.crm.privacy.helpers import EMAIL, FORM, NAME, NUMBER, scatter
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory

SECTIONS = {
    *(
        "contacts",
        "workflowRuns",
        "workflowSteps",
        "workflowCalls",
        "workflowApprovals",
        "webhookDeliveries",
        "leads",
        "contactTags",
        "leadTags",
        "stageChanges",
        "leadProducts",
        "segments",
        "activities",
        "followUps",
        "comments",
        "calls",
        "meetings",
    ),
    *("attendances", "imports", "importRowErrors", "events", "journal", "merges", "bulkJobs", "mails"),
    *(
        "messages",
        "personalMails",
        "messageSteps",
        "leadGenerations",
        "enrichmentProposals",
        "receivedMail",
        "mailEvents",
        "mailOpensAndClicks",
        "suppressions",
        "chatEvents",
        "formLeads",
        "widgetVisitors",
        "bookings",
        "quotes",
        "chatOptOuts",
        "conversationMessages",
        "conversations",
        "questions",
        "savedViews",
        "files",
        "cardScans",
    ),
}


def ask(caller: Caller, id: str) -> Any:
    return caller.get(f"/contact/{id}/access-request")


def test_it_tells_of_every_place(scope: Cast) -> None:
    id = scatter(scope)
    answer = ask(scope.key, id)
    assert (answer.status, answer.body["success"], answer.data["contactId"]) == (200, True, id)
    sections = answer.data["sections"]
    assert set(sections) == SECTIONS == {table.name for table in PERSONAL_DATA.values() if table.exported}
    empty = {name for name, rows in sections.items() if not rows}
    assert empty == {"leadTags", "leadProducts", "stageChanges", "segments"}
    (contact,) = [row for row in sections["contacts"] if row["_id"] == id]
    assert {"name": NAME, "email": EMAIL, "number": NUMBER, "contactNumber": f"+49{NUMBER}"}.items() <= contact.items()
    assert contact["custom"]["Nickname"] == "Quillfeather the Great"
    assert sections["leads"][0]["custom"] == {"Remark": f"call {EMAIL}"}
    assert sections["leads"][0]["notes"] == f"Met {NAME} again"
    assert [row["tag.name"] for row in sections["contactTags"]] != []
    assert [row["title"] for row in sections["meetings"]] == [f"Lunch with {NAME}"]
    assert len(sections["messages"]) == 9
    assert {row["text"] for row in sections["messages"]} == {f"Dear {NAME}"}
    assert [row["email"] for row in sections["suppressions"]] == [EMAIL]
    assert [(row["name"], row["query"]) for row in sections["savedViews"]] == [("Both", [EMAIL])]


def test_it_tells_nothing_of_others(scope: Cast) -> None:
    id = scatter(scope)
    text = json.dumps(ask(scope.key, id).data)
    assert "person1@example.org" not in text
    assert "digs" not in text
    assert "beside@example.org" not in text
    assert "company" not in {
        key.lower() for rows in ask(scope.key, id).data["sections"].values() for row in rows for key in row
    }
    assert '"lease"' not in text


def test_who_may(cast: Cast, outsiders: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": FORM}).data["_id"]
    assert ask(outsiders.key, contact).body == ask(outsiders.key, new_id()).body
    assert ask(outsiders.key, contact).status == 400
    assert ask(cast.key, "xyz").status == 400
    refused = ask(cast.narrow_session, contact)
    others = "ai-crm-chat, chatapp, genie, lead, lead-activity, meeting, workflow"
    lacking = f"your role lacks the permission to read {others}, which the answer tells of"
    assert (refused.status, refused.body["warning"]) == (403, lacking)
    with cast.scope():
        role = RoleFactory(permission={module: {"GET": True} for module in ("contact", *others.split(", "))})
        member = Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role)))
    assert ask(member, contact).data["sections"] == ask(cast.session, contact).data["sections"]


def test_a_deleted_contact_is_told_of_and_the_queries_do_not_grow(scope: Cast) -> None:
    contact = ContactFactory(is_deleted=True)
    CustomField.objects.create(name="Note", unique_field_id="note", field_type="text", value_type="string")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ask(scope.key, contact.pk).status == 200
        return len(captured)

    queries()
    few = queries()
    for _ in range(20):
        LeadActivity.objects.create(kind="note", contact=contact, happened_at=contact.created_at)
    assert queries() == few
    assert len(ask(scope.key, contact.pk).data["sections"]["activities"]) == 20
