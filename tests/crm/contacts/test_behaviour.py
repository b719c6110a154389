"""GET /contact by what contacts have done, and when."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from crm.activities.models import LeadActivity
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

pytestmark = pytest.mark.django_db

DAYS = {"amount": 90, "unit": "days"}


def names(cast: Cast, *conditions: dict[str, Any]) -> list[str]:
    tree = json.dumps({"operator": "and", "conditions": list(conditions)})
    answer = cast.key.get("/contact", p=1, n=50, sortBy="name", sortOrder="asc", advancedFilters=tree)
    assert answer.status == 200, answer.body
    return [row["name"] for row in answer.data]


@pytest.fixture
def people(cast: Cast) -> Cast:
    now = timezone.now()
    with cast.scope():
        for name, rows in {
            "Caller": [(LeadActivity.Kind.CALL, {}, 3)],
            "Opener": [("mail", {"event": "sent"}, 200), ("mail", {"event": "opened"}, 10)],
            "Old opener": [("mail", {"event": "opened"}, 91), ("mail", {"event": "sent"}, 5)],
            "Silent": [("mail", {"event": "sent"}, 5), ("mail", {"event": "bounced"}, 5)],
            "Changed": [(LeadActivity.Kind.CHANGED, {"name": {"from": "A", "to": "B"}}, 1)],
            "Unknown": [],
        }.items():
            contact = ContactFactory(name=name)
            for kind, details, days in rows:
                LeadActivity.objects.create(
                    kind=kind, contact=contact, details=details, happened_at=now - timedelta(days=days)
                )
    return cast


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("activity.at", "withinLast", DAYS, ["Caller", "Opener"]),
        ("activity.at", "notWithinLast", DAYS, ["Changed", "Old opener", "Silent", "Unknown"]),
        ("activity.at", "isEmpty", None, ["Changed", "Silent", "Unknown"]),
        ("emails.sentAt", "withinLast", DAYS, ["Old opener", "Silent"]),
        ("emails.openedAt", "notWithinLast", DAYS, ["Caller", "Changed", "Old opener", "Silent", "Unknown"]),
        ("emails.openedAt", "isNotEmpty", None, ["Old opener", "Opener"]),
    ],
)
def test_contacts_are_found_by_their_behaviour(
    people: Cast, field: str, operator: str, value: Any, expected: list[str]
) -> None:
    assert names(people, {"field": field, "operator": operator, "value": value}) == expected


def test_conditions_on_behaviour_go_together(people: Cast) -> None:
    unopened = {"field": "emails.openedAt", "operator": "notWithinLast", "value": DAYS}
    mailed = {"field": "emails.sentAt", "operator": "withinLast", "value": DAYS}
    assert names(people, mailed, unopened) == ["Old opener", "Silent"]
    # Nobody sorts by what a contact has many of.
    answer = people.key.get("/contact", p=1, n=5, sortBy="activity.at")
    assert (answer.status, "sort" in answer.body["warning"]) == (400, True)
