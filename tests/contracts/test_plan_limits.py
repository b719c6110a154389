"""Plan limits bind what sessions make, to the last record, and never what keys make (contract sections 5 and 8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from drf_spectacular.generators import SchemaGenerator

from billing.models import Plan, Subscription
from billing.subscriptions.services import change_subscription, grant_subscription, override_subscription
from core.access import USAGE, used_quota
from crm.models import Import, ImportRowError, Tag
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.models import AiApp
from tests.crm.imports.helpers import MAPPING, counts, csv_of, people, upload, work
from tests.guards.routes import operations
from tests.kit.cast import SESSION, Answer, Caller, Cast
from tests.kit.factories import ContactFactory, SmtpFactory


def contact(n: int) -> dict[str, Any]:
    return {"email": f"person{n}@example.org", "countryCode": "+49", "number": f"151{n:08}", "name": f"Person {n}"}


def _member(caller: Caller, n: int) -> Answer:
    return caller.post("/member", {"email": f"invited{n}@example.com"})


def _role(caller: Caller, n: int) -> Answer:
    return caller.post("/role", {"name": f"Made {n}", "permission": {"contact": {"GET": True}}})


def _file(caller: Caller, n: int) -> Answer:
    return caller.upload("/upload", SimpleUploadedFile(f"note{n}.txt", f"note {n}".encode()))


def _run(caller: Caller, n: int) -> Answer:
    if not AiApp.objects.filter(provider=OfflineComposer.key).exists():
        AiApp.objects.create(provider=OfflineComposer.key, name="Composer", is_default=True)
        SmtpFactory()
    return caller.post("/genie/from-contacts", {"contactIds": [ContactFactory().pk], "prompt": "Say hello"})


def _generation(caller: Caller, n: int) -> Answer:
    if not AiApp.objects.exists():
        AiApp.objects.create(provider=OfflineComposer.key, name="Composer", is_default=True)
    return caller.post("/lead/lead-gen-ai", {"prompt": f"gardeners of Berlin {n}"})


def _thread(caller: Caller, n: int) -> Answer:
    return caller.post("/ai-crm-chat", {"title": f"Conversation {n}"})


MAKERS: dict[str, Callable[[Caller, int], Answer]] = {
    "ai-crm-chat": _thread,
    "api": lambda caller, n: caller.post("/api", {}),
    "apps": lambda caller, n: caller.post("/apps/ai-offline", {"name": f"Composer {n}"}),
    "campaign": lambda caller, n: caller.post("/campaign", {"name": f"Campaign {n}"}),
    "workflow": lambda caller, n: caller.post("/workflow", {"name": f"Workflow {n}"}),
    "chat-widget": lambda caller, n: caller.post("/chat-widget", {"name": f"Site {n}"}),
    "contact": lambda caller, n: caller.post("/contact", {"formData": contact(n)}),
    "contact-category": lambda caller, n: caller.post("/contact-category", {"name": f"Category {n}"}),
    "custom-field": lambda caller, n: caller.post("/custom-field", {"name": f"Field {n}", "fieldType": "text"}),
    "custom-section": lambda caller, n: caller.post("/custom-section", {"name": f"Section {n}"}),
    "domain-tracking": lambda caller, n: caller.post("/domain-tracking", {"name": f"go{n}.example.org"}),
    "file": _file,
    "genie": _run,
    "lead": lambda caller, n: caller.post("/lead", {"contact": ContactFactory().pk}),
    "lead-gen-ai": _generation,
    "meeting": lambda caller, n: caller.post(
        "/meeting", {"title": f"Meeting {n}", "startsAt": "2090-03-09T14:00Z", "durationMinutes": 5}
    ),
    "manual-chatbot": lambda caller, n: caller.post("/manual-chatbot", {"name": f"Bot {n}"}),
    "member": _member,
    "product-service": lambda caller, n: caller.post("/product-service", {"formData": {"name": f"Product {n}"}}),
    "role": _role,
    "segment": lambda caller, n: caller.post("/segment", {"name": f"Segment {n}", "kind": "static"}),
    "report": lambda caller, n: caller.post("/dashboard", {"name": f"Dashboard {n}"}),
    "tag": lambda caller, n: caller.post("/tag", {"name": f"Tag {n}"}),
    "template": lambda caller, n: caller.post(
        "/template/email", {"name": f"Mail {n}", "subject": "Hello", "body": "Hi"}
    ),
    "team": lambda caller, n: caller.post("/team", {"name": f"Team {n}"}),
}
"""Module -> how a record of it is made by POST; inside the company's scope."""
NOT_COUNTED = {
    "organization": "contacts are, and firms come with them",
    "organization/import": "contacts are, and firms come with them",
    "pipeline": "leads are, and their stages are free",
    "lost-reason": "leads are, and reasons for losses are free",
    "manual-payment": "there is one open order",
    "subscription": "there is one open order",
    "subscription/payment-methods/setup": "ways to pay are free",
    "subscription/seats": "seats are, when it is paid",
    "webhook": "there are 50 at most, whatever the plan",
    "workflow/secrets": "workflows are, and what they log in with belongs to them",
    "workflow/<str:id>/enrol": "runs are limited by what workflows there are",
    "apps/mailvendor-c/authorize": "the app that the log-in ends in is",
    "apps/smtp/<str:id>/dkim": "senders are, and a domain has one key",
    "ai-crm-chat/<str:id>/messages": "conversations are, and answers of a model are metered",
    "answer-time": "how soon members are to answer is free",
    "canned-answer": "words that members answer with are free",
    "conversation": "messages are counted where they go",
    "conversation/<str:id>/messages": "messages are counted where they go",
    "conversation/<str:id>/notes": "notes are free",
    "calllog": "leads and contacts are, and what is said with them is free",
    "form": "the leads that come by them are",
    "booking-page": "the meetings that are booked by it are",
    "my-calendar/connection": "the meetings that are written there are",
    "my-calendar/connection/authorize": "the meetings that are written there are",
    "bulk-job/<str:id>/undo": "it gives back what there was",
    "contact/import": "its rows are",
    "contact/scan": "the contact that somebody makes of it is",
    "contact/import/<str:id>/undo": "it takes back what was made",
    "lead/import": "its rows are",
    "lead/import/<str:id>/undo": "it takes back what was made",
    "organization/import/<str:id>/undo": "it takes back what was made",
    "lead-activity": "leads and contacts are, and notes on them are free",
    "lead-activity/follow-up": "leads are, and what is to be done about them is free",
    "comment": "the records are, and comments on them are free",
    "quote": "leads are, and quotes on them are free",
    "task": "leads and contacts are, and what is to be done about them is free",
    "message": "the message is, when it goes",
    "saved-view": "they are limited by member, whatever the plan",
    "suppression/import": "whoever must not be written to is told for free",
    "suppression": "whoever must not be written to is told for free",
}
"""Routes that answer a POST with 201 and whose records no plan counts."""
COUNTED_AS = dict.fromkeys(("videocall", "my-videocall", "offline-meeting"), "meeting")
"""Routes whose records are counted by another module than theirs."""


def limit(cast: Cast, **limits: int) -> None:
    named = {name.replace("_", "-"): number for name, number in limits.items()}
    override_subscription(company_id=cast.company.pk, modules=None, limits=named)


def test_every_counter_has_a_maker_here() -> None:
    assert set(MAKERS) == set(USAGE)
    assert len(MAKERS) >= 10


def test_every_route_that_makes_records_is_counted() -> None:
    making = [
        operation
        for operation in operations(SESSION[1:] + "/")
        if operation.method == "POST" and operation.endpoint.default[0] == 201
    ]
    assert len(making) > 10
    paths = {operation.path.removeprefix("api/protected/"): operation for operation in making}
    assert set(NOT_COUNTED) <= set(paths)
    for path, operation in paths.items():
        assert operation.endpoint.quota_module == (
            "" if path in NOT_COUNTED else COUNTED_AS.get(path, operation.module)
        ), path
    assert {operation.endpoint.quota_module for operation in making} | {"contact", "lead"} == {*USAGE, ""}


def test_the_schema_tells_of_the_limit_on_the_session_path_alone() -> None:
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    session, key = (paths[f"/api/{mount}/tag"]["post"] for mount in ("protected", "key/protected"))
    assert "Counts against the plan's limit of `tag`." in session["description"]
    assert "PlanLimitExceeded_403, PlanSubscriptionLimitExceeded_403" in session["responses"]["403"]["description"]
    assert "limit" not in key.get("description", "")
    assert "PlanMaxUsers_400" in paths["/api/protected/member"]["post"]["responses"]["400"]["description"]


@pytest.mark.parametrize("module", sorted(MAKERS))
def test_a_session_makes_as_many_as_the_plan_allows(module: str, scope: Cast) -> None:
    make, before = MAKERS[module], used_quota(module)
    most = before + 2
    plan = Plan.objects.create(name="Small", limits={module: most}, max_seats=most if module == "member" else None)
    grant_subscription(company_id=scope.company.pk, plan=plan)
    for number in (1, 2):
        assert make(scope.session, number).status in (200, 201), number
        assert used_quota(module) == before + number
    refused = make(scope.session, 3)
    seats = (400, "Your plan has no free seat for another member.")
    expected = seats if module == "member" else (403, "Your plan's limit is reached. Choose a larger plan.")
    assert (refused.status, refused.body["message"]) == expected
    assert re.search(rf"allows {most} [A-Za-z]", refused.body["warning"])
    assert used_quota(module) == most
    assert make(scope.key, 4).status in (200, 201)
    assert used_quota(module) == most + 1
    assert make(scope.session, 5).status == expected[0]


@pytest.mark.parametrize("module", sorted(set(MAKERS) - {"member"}))
def test_a_limit_of_the_subscriptions_own_says_so(module: str, scope: Cast) -> None:
    plan = Plan.objects.create(name="Large", limits={module: 1_000_000})
    grant_subscription(company_id=scope.company.pk, plan=plan)
    limit(scope, **{module: used_quota(module)})
    refused = MAKERS[module](scope.session, 1)
    assert (refused.status, refused.body["message"]) == (403, "Your plan's limit is reached. Choose a larger plan.")


def test_an_own_limit_may_be_larger_than_the_plans(scope: Cast) -> None:
    grant_subscription(company_id=scope.company.pk, plan=Plan.objects.create(name="Small", limits={"tag": 0}))
    assert MAKERS["tag"](scope.session, 1).status == 403
    limit(scope, tag=1)
    assert MAKERS["tag"](scope.session, 1).status == 201


def test_seats_of_the_subscription_bind_within_the_plans(scope: Cast) -> None:
    grant_subscription(company_id=scope.company.pk, plan=Plan.objects.create(name="Team", max_seats=10), seats=2)
    refused = _member(scope.session, 1)
    assert (refused.status, refused.body["message"]) == (400, "Your plan has no free seat for another member.")
    change_subscription(company_id=scope.company.pk, seats=3)
    assert _member(scope.session, 1).status == 201
    assert _member(scope.session, 2).status == 400


def test_what_is_deleted_makes_room(scope: Cast) -> None:
    limit(scope, contact=1)
    made = MAKERS["contact"](scope.session, 1)
    assert MAKERS["contact"](scope.session, 2).status == 403
    assert scope.session.delete("/contact", {"ids": [made.data["_id"]]}).status == 200
    assert MAKERS["contact"](scope.session, 2).status == 200


def test_a_change_is_no_new_record(scope: Cast) -> None:
    limit(scope, contact=1)
    made = MAKERS["contact"](scope.session, 1)
    assert scope.session.put(f"/contact/{made.data['_id']}", {"formData": {"name": "New"}}).status == 200
    updated = scope.session.post("/contact", {"formData": {**contact(1), "name": "Newer"}, "existingError": False})
    assert (updated.status, updated.data["_id"], updated.data["name"]) == (200, made.data["_id"], "Newer")
    assert scope.session.post("/contact", {"formData": contact(2), "existingError": False}).status == 403


def test_an_upload_of_several_files_is_taken_whole_or_not_at_all(scope: Cast) -> None:
    limit(scope, file=1)
    two = {"file": [SimpleUploadedFile("a.txt", b"a"), SimpleUploadedFile("b.txt", b"b")]}
    response = scope.session.client.post(SESSION + "/upload", two, headers=scope.session.headers)
    assert (response.status_code, used_quota("file")) == (403, 0)


# In bulk


def bulk(caller: Caller, numbers: Any, **body: Any) -> Any:
    return caller.post("/contact/bulk", {"formData": [contact(n) for n in numbers], **body})


def test_bulk_takes_what_fits_and_fails_the_rest_one_by_one(scope: Cast) -> None:
    limit(scope, contact=3)
    answer = bulk(scope.session, range(5))
    assert answer.status == 200
    assert [row["email"] for row in answer.data["created"]] == [f"person{n}@example.org" for n in range(3)]
    assert [(row["index"], row["name"], row["message"]) for row in answer.data["failed"]] == [
        (index, "PlanSubscriptionLimitExceeded_403", "Your plan's limit is reached. Choose a larger plan.")
        for index in (3, 4)
    ]
    assert used_quota("contact") == 3
    assert len(bulk(scope.key, range(5, 8)).data["created"]) == 3


def test_of_a_full_plan_each_row_is_told_what_is_wrong_with_it(scope: Cast) -> None:
    limit(scope, contact=2)
    MAKERS["contact"](scope.session, 1)
    items = [contact(1), contact(2), contact(2), contact(3), contact(3), {"email": "x"}]
    answer = scope.session.post("/contact/bulk", {"formData": items})
    assert [row["email"] for row in answer.data["created"]] == ["person2@example.org"]
    assert [(row["index"], row["name"]) for row in answer.data["failed"]] == [
        (0, "ContactAlreadyExists_400"),
        (2, "ContactAlreadyExists_400"),
        (3, "PlanSubscriptionLimitExceeded_403"),
        (4, "PlanSubscriptionLimitExceeded_403"),
        (5, "ContactDataRequired_400"),
    ]


def test_an_upsert_in_bulk_updates_what_is_there_and_takes_room_for_the_rest(scope: Cast) -> None:
    limit(scope, contact=3)
    bulk(scope.key, range(2))
    items = [{**contact(n), "name": "Changed"} for n in (3, 0, 4, 1, 3, 4)]
    answer = scope.session.post("/contact/bulk", {"formData": items, "existingError": False})
    assert [row["email"] for row in answer.data["created"]] == ["person3@example.org"]
    assert sorted(row["email"] for row in answer.data["updated"]) == [f"person{n}@example.org" for n in (0, 1, 3)]
    assert [row["index"] for row in answer.data["failed"]] == [2, 5]
    assert used_quota("contact") == 3


# By import


def start(caller: Caller, cast: Cast, lines: list[str], header: str | None = None, **body: Any) -> str:
    content = csv_of(lines) if header is None else csv_of(lines, header)
    file_id = upload(cast, content)
    body = {"importType": "contact", "fileId": file_id, "columnMapping": MAPPING, "pauseImport": False, **body}
    answer = caller.post("/contact/import", body)
    assert answer.status == 201, answer.body
    return str(answer.data["import"]["_id"])


def finished(cast: Cast, job_id: str) -> dict[str, Any]:
    return dict(cast.key.get(f"/contact/import/{job_id}").data)


def row_errors(cast: Cast, job_id: str) -> list[tuple[int, str]]:
    with cast.scope():
        return list(ImportRowError.objects.filter(job=job_id).order_by("row").values_list("row", "code"))


def test_an_import_of_a_session_obeys_the_limit_in_the_worker(cast: Cast) -> None:
    limit(cast, contact=4)
    MAKERS["contact"](cast.session, 1)
    job = start(cast.session, cast, people(6))
    work()
    assert counts(finished(cast, job)) == ("completed", 6, 3, 0, 1, 2)
    assert row_errors(cast, job) == [
        (2, "ContactAlreadyExists_400"),
        (6, "PlanSubscriptionLimitExceeded_403"),
        (7, "PlanSubscriptionLimitExceeded_403"),
    ]
    unlimited = start(cast.key, cast, people(6, start=20))
    work()
    assert counts(finished(cast, unlimited)) == ("completed", 6, 6, 0, 0, 0)


def test_an_import_in_batches_stops_creating_at_the_limit_and_goes_on_updating(cast: Cast, settings: Any) -> None:
    settings.IMPORT_BATCH_ROWS = 4
    grant_subscription(company_id=cast.company.pk, plan=Plan.objects.create(name="Small", limits={"contact": 6}))
    job = start(cast.session, cast, [*people(10), *people(4)], options={"existing": "update"})
    work()
    assert counts(finished(cast, job)) == ("completed", 14, 6, 4, 0, 4)
    assert [code for _, code in row_errors(cast, job)] == ["PlanLimitExceeded_403"] * 4


def test_tags_that_rows_name_count_too(cast: Cast) -> None:
    limit(cast, tag=2)
    lines = [f"{line},{tag}" for line, tag in zip(people(4), ("One", "Two", "Three", "one"), strict=True)]
    header = "Name,Email,Country code,Phone,Tags"
    job = start(cast.session, cast, lines, header, columnMapping={**MAPPING, "Tags": "tags"})
    work()
    assert counts(finished(cast, job)) == ("completed", 4, 3, 0, 0, 1)
    assert [code for _, code in row_errors(cast, job)] == ["TagNotFound_400"]
    with cast.scope():
        assert Tag.objects.count() == 2


def test_an_import_of_a_session_waits_for_a_company_that_has_lapsed(cast: Cast) -> None:
    job = start(cast.session, cast, people(3))
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.EXPIRED)
    work()
    with cast.scope():
        stopped = Import.objects.get(pk=job)
        assert (stopped.status, stopped.processed, "subscription has ended" in stopped.error) == ("failed", 0, True)
        Subscription.objects.update(status=Subscription.Status.ACTIVE)
    assert cast.session.put(f"/contact/import/{job}", {"status": "running"}).status == 200
    work()
    assert counts(finished(cast, job)) == ("completed", 3, 3, 0, 0, 0)
