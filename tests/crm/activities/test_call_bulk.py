"""POST /calllog/bulk (contract 4.4)"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Event
from crm.models import CallLog
from tests.crm.activities.call_helpers import MISSING, PATH, SENT, refused, shared_number
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast


def test_bulk(cast: Cast, outsiders: Cast) -> None:
    lead, foreign = make(cast), make(outsiders, 2)
    two = shared_number(cast, 5)
    items: list[Any] = [
        {"lead": lead["_id"], "duration": 5},
        {"number": "+49 170 1000001", "startedAt": SENT},
        "no object",
        {"lead": foreign["_id"]},
        {"number": "+491701000009"},
        {"number": "+491701000005"},
        {"contact": two[1], "duration": -3},
        {"contact": two[1], "colour": "red"},
        {"contact": two[1], "automation": "skip"},
        {"contact": two[1], "number": "12"},
        {"lead": lead["_id"], "member": MISSING},
    ]
    answer = cast.session.post(f"{PATH}/bulk", {"formData": items})
    assert (answer.status, answer.body["message"]) == (200, "Calls processed. See the failed ones in the result.")
    assert set(answer.data) == {"created", "failed", "errors"}
    assert [(row["contact"]["_id"], row["duration"]) for row in answer.data["created"]] == [
        (lead["contact"]["_id"], 5),
        (lead["contact"]["_id"], 0),
    ]
    assert [(row["index"], row["name"], row["message"]) for row in answer.data["failed"]] == [
        (2, "ValidationError_400", "Validation error"),
        (3, "LeadNotFound_400", "Lead not found."),
        (4, "ContactNotFound_400", "Contact not found."),
        (5, "InvalidInput_400", "Some values are missing or wrong."),
        (6, "ValidationError_400", "Validation error"),
        (7, "ValidationError_400", "Validation error"),
        (8, "ValidationError_400", "Validation error"),
        (9, "InvalidInput_400", "Some values are missing or wrong."),
        (10, "MemberNotFound_404", "Member not found."),
    ]
    assert [row["formData"] for row in answer.data["failed"]] == items[2:]
    keys = ["formData", "lead", "number", "number", "duration", "colour", "automation", "number", "member"]
    assert [(row["index"], row["key"]) for row in answer.data["errors"]] == list(enumerate(keys, 2))
    assert [row["name"] for row in answer.data["errors"]] == [row["name"] for row in answer.data["failed"]]
    with cast.scope():
        assert CallLog.objects.count() == Event.objects.filter(kind="calllog.created").count() == 2
    for bad in ({}, {"formData": []}, {"formData": [{"lead": lead["_id"]}] * 501}):
        refused(cast.key.post(f"{PATH}/bulk", bad), "The request is not complete or has wrong values.")
    for bad in ({"formData": {}}, {"formData": "x"}, {"calls": []}):
        assert cast.key.post(f"{PATH}/bulk", bad).status == 400


def test_a_bulk_that_takes_all_calls_or_none(cast: Cast) -> None:
    good, bad = {"lead": make(cast)["_id"]}, {"lead": MISSING}
    refused(cast.key.post(f"{PATH}/bulk", {"formData": [good, bad], "skipInvalid": False}), "Lead not found.")
    with cast.scope():
        assert not CallLog.objects.exists()
    kept = cast.key.post(f"{PATH}/bulk", {"formData": [good, bad], "skipInvalid": True}).data
    assert (len(kept["created"]), [row["index"] for row in kept["failed"]]) == (1, [1])


def test_bulk_costs_as_many_statements_for_one_as_for_many(cast: Cast) -> None:
    lead = make(cast)
    items = [
        {"lead": lead["_id"], "startedAt": "2026-03-09T12:00"},
        {"number": "+491701000001"},
        {"contact": lead["contact"]["_id"], "member": cast.owner.pk},
    ]
    cast.key.post(f"{PATH}/bulk", {"formData": items})
    counts = []
    for times in (1, 100):
        with CaptureQueriesContext(connection) as captured:
            assert len(cast.key.post(f"{PATH}/bulk", {"formData": items * times}).data["created"]) == 3 * times
        counts.append(len(captured))
    assert counts[0] == counts[1]
