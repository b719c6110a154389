"""Opens and clicks are measured of the messages that were sent with tracking."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from outreach.models import Campaign, GenieScheduler, GenieSettings, SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory

OPENS = {"opens_tracked": True}
BOTH = {"opens_tracked": True, "clicks_tracked": True}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def begun(*messages: dict[str, Any], **run: Any) -> tuple[Campaign, GenieScheduler]:
    """Return a campaign and its run, whose messages were sent with the columns."""
    campaign = Campaign.objects.create(name="Spring", status="completed", subject="x", body="x")
    scheduler = GenieScheduler.objects.create(ai_type="offline", of_campaign=campaign, status="completed", **run)
    for columns in messages:
        SendJob.objects.create(
            run=scheduler, contact=ContactFactory(), status="sent", sent_at=timezone.now(), **columns
        )
    return campaign, scheduler


def told(cast: Cast, campaign: Campaign, run: GenieScheduler, path: str) -> tuple[Any, ...]:
    """Return opened and clicked, of how many, and whether they are tracked now, the same for campaign and run."""
    caller = getattr(cast, path)
    of_campaign = caller.get(f"/campaign/{campaign.pk}").data
    with cast.scope():
        GenieScheduler.objects.filter(pk=run.pk).update(of_campaign=None)
    of_run = caller.get(f"/genie/{run.pk}").data
    numbers, alike = of_campaign["funnel"], of_run["outcomes"]
    assert all(of_campaign[name] == of_run[name] for name in ("measured", "tracking", "byDay"))
    assert (numbers["opened"], numbers["clicked"]) == (alike["opened"], alike["clicked"])
    days = {(day["opened"] is None, day["clicked"] is None) for day in of_run["byDay"]}
    assert days == {(numbers["opened"] is None, numbers["clicked"] is None)}
    measured, tracking = of_run["measured"], of_run["tracking"]
    return (
        *((numbers["opened"], measured["opened"], tracking["opened"])),
        *((numbers["clicked"], measured["clicked"], tracking["clicked"])),
    )


@pytest.mark.parametrize("path", ["key", "session"])
@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{}, {}], (None, 0, True, None, 0, True)),
        ([{}, {}, {}, BOTH, {**BOTH, "open_count": 2}], (1, 2, True, 0, 2, True)),
        ([{}, OPENS], (0, 1, True, None, 0, True)),
        ([{**OPENS, "open_count": 1}, {**BOTH, "click_count": 1}], (1, 2, True, 1, 1, True)),
        # A vendor's own tracking, and earlier versions, left no mark.
        ([{"open_count": 1}, {}, {}], (1, 3, True, None, 0, True)),
        ([{"open_count": 1, "click_count": 1}, {}, BOTH], (1, 3, True, 1, 3, True)),
    ],
)
def test_messages_that_were_sent_untracked_are_not_measured(
    cast: Cast, path: str, messages: list[dict[str, Any]], expected: tuple[Any, ...]
) -> None:
    with cast.scope():
        GenieSettings.objects.create(track_opens=True, track_clicks=True)
        campaign, run = begun(*messages)
    assert told(cast, campaign, run, path) == expected


def test_tracked_messages_stay_measured_when_tracking_is_turned_off(cast: Cast) -> None:
    with cast.scope():
        campaign, run = begun(BOTH, {**BOTH, "open_count": 1}, {})
    assert told(cast, campaign, run, "key") == (1, 2, False, 0, 2, False)


def test_a_run_that_turns_tracking_off_is_not_tracked(cast: Cast) -> None:
    with cast.scope():
        GenieSettings.objects.create(track_opens=True, track_clicks=True)
        campaign, run = begun({}, track_opens=False)
    assert told(cast, campaign, run, "key") == (None, 0, False, None, 0, True)
