"""Days in filters of pages are the company's days. In the API they are days in UTC, unless a condition names a zone."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Company
from crm.models import CallLog, Contact, Lead, SavedView, Segment
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

AUCKLAND, ANGELES = "Pacific/Auckland", "America/Los_Angeles"
NIGHT = datetime(2026, 11, 26, 22, 50, 50, tzinfo=UTC)
"""27 November, 11:50 in Auckland."""


def set_zone(cast: Cast, zone: str) -> Any:
    Company.objects.filter(pk=cast.company.pk).update(timezone=zone)
    return enter(cast.owner)


def names(page: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(page))


@pytest.mark.parametrize(
    ("operator", "day", "found"),
    [
        ("equals", "2026-11-27", True),
        ("equals", "2026-11-26", False),
        ("notEquals", "2026-11-27", False),
        ("notEquals", "2026-11-26", True),
        ("before", "2026-11-27", False),
        ("before", "2026-11-28", True),
        ("after", "2026-11-26", True),
        ("after", "2026-11-27", False),
        ("greaterThanOrEqual", "2026-11-27", True),
        ("greaterThanOrEqual", "2026-11-28", False),
        ("lessThanOrEqual", "2026-11-27", True),
        ("lessThanOrEqual", "2026-11-26", False),
    ],
)
def test_moments_fall_on_the_companys_days(scope: Cast, operator: str, day: str, found: bool) -> None:
    client = set_zone(scope, AUCKLAND)
    lead = LeadFactory(contact=ContactFactory(name="Ann"))
    Contact.objects.update(created_at=NIGHT)
    Lead.objects.filter(pk=lead.pk).update(created_at=NIGHT)
    for path in ("contacts", "leads"):
        page = client.get(at(scope.owner, f"{path}?f=createdAt:{operator}:{day}"))
        assert names(page) == (["Ann"] if found else []), path


@pytest.mark.parametrize("zone", ["UTC", AUCKLAND, ANGELES])
@pytest.mark.parametrize(
    ("stored", "day"),
    [
        ("2026-01-31", {"UTC": "2026-01-31", AUCKLAND: "2026-01-31", ANGELES: "2026-01-31"}),
        ("2026-01-31T00:00:00.000Z", {"UTC": "2026-01-31", AUCKLAND: "2026-01-31", ANGELES: "2026-01-30"}),
        ("2026-01-31T22:00:00.000Z", {"UTC": "2026-01-31", AUCKLAND: "2026-02-01", ANGELES: "2026-01-31"}),
    ],
)
def test_a_custom_field_holds_days_and_times(scope: Cast, zone: str, stored: str, day: dict[str, str]) -> None:
    """A day is the same day everywhere; a time falls on the day that it has in the company's zone."""
    add_field("visit", "date", "date")
    client = set_zone(scope, zone)
    made = scope.session.post(
        "/contact", {"formData": {"email": "a@x.de", "countryCode": "+49", "number": "1701", "name": "Ann"}}
    )
    assert scope.session.put(f"/contact/{made.data['_id']}", {"formData": {"visit": stored}}).status == 200
    before, after = "2026-01-29", "2026-02-02"
    expected = {
        f"equals:{day[zone]}": True,
        f"notEquals:{day[zone]}": False,
        f"notEquals:{before}": True,
        f"before:{day[zone]}": False,
        f"after:{day[zone]}": False,
        f"greaterThanOrEqual:{day[zone]}": True,
        f"lessThanOrEqual:{day[zone]}": True,
        f"after:{before}": True,
        f"before:{after}": True,
    }
    others = {"2026-01-30", "2026-01-31", "2026-02-01"} - {day[zone]}
    expected |= {f"equals:{other}": False for other in others}
    for asked, found in expected.items():
        page = client.get(at(scope.owner, f"contacts?f=visit:{asked}"))
        assert names(page) == (["Ann"] if found else []), asked


def listed(cast: Cast, condition: dict[str, Any]) -> int:
    tree = json.dumps({"operator": "and", "conditions": [condition]})
    answer = cast.key.get("/contact", advancedFilters=tree, p=1, n=10)
    assert answer.status == 200, answer.body
    return int(answer.body["totalCount"])


def test_the_api_means_days_in_utc_or_in_the_zone_that_a_condition_names(scope: Cast) -> None:
    ContactFactory()
    Contact.objects.update(created_at=NIGHT)
    day = {"field": "createdAt", "operator": "equals"}
    assert listed(scope, {**day, "value": "2026-11-26"}) == 1
    assert listed(scope, {**day, "value": "2026-11-27"}) == 0
    assert listed(scope, {**day, "value": "2026-11-27", "timeZone": AUCKLAND}) == 1
    between = {"field": "createdAt", "operator": "between", "timeZone": AUCKLAND}
    assert listed(scope, {**between, "value": ["2026-11-27", "2026-11-27"]}) == 1
    assert listed(scope, {**between, "value": ["2026-11-25", "2026-11-26"]}) == 0
    assert listed(scope, {"field": "createdAt", "operator": "in", "value": ["2026-11-27"], "timeZone": AUCKLAND}) == 1
    tree = json.dumps({"field": "createdAt", "operator": "equals", "value": "2026-11-27", "timeZone": "Mars"})
    refused = scope.key.get("/contact", advancedFilters=tree)
    assert (refused.status, "timeZone is a name of the tz database" in refused.body["warning"]) == (400, True)


def test_saved_views_and_segments_keep_the_companys_days(scope: Cast) -> None:
    client = set_zone(scope, AUCKLAND)
    ContactFactory(name="Ann")
    Contact.objects.update(created_at=NIGHT)
    path = at(scope.owner, "contacts")
    saved = client.post(f"{path}?f=createdAt:equals:2026-11-27", {"do": "new_view", "name": "Friday"})
    assert names(client.get(saved["Location"])) == ["Ann"]
    assert "Save view" not in text_of(client.get(saved["Location"]))
    condition = SavedView.objects.get().query["advancedFilters"]["conditions"][0]
    assert condition == {"field": "createdAt", "operator": "equals", "value": "2026-11-27", "timeZone": AUCKLAND}

    new = at(scope.owner, "segments/new?f=createdAt:equals:2026-11-27")
    assert "1 contact" in text_of(client.get(new))
    assert client.post(new, {"name": "Friday"}).status_code == 303
    segment = Segment.objects.get()
    page = text_of(client.get(at(scope.owner, f"segments/{segment.pk}")))
    assert ("1 contact" in page, "Added is 27 Nov 2026" in page) == (True, True)
    filters = re.search(
        r'href="([^"]+/filters\?[^"]+)"', html_of(client.get(at(scope.owner, f"segments/{segment.pk}")))
    )
    assert filters is not None
    address = filters[1].replace("&amp;", "&")
    assert client.post(address, {"do": "save"}).status_code == 303
    assert Segment.objects.get().filters["conditions"][0]["timeZone"] == AUCKLAND


def test_other_lists_mean_the_companys_days(scope: Cast) -> None:
    client = set_zone(scope, AUCKLAND)
    contact = ContactFactory(name="Ann Lee")
    CallLog.objects.create(contact=contact, started_at=NIGHT)
    for day, found in (("2026-11-27", True), ("2026-11-26", False)):
        page = text_of(client.get(at(scope.owner, f"calls?f=startedAt:equals:{day}")))
        assert ("Ann Lee" in page) is found
