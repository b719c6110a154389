"""Open and click rates of reports: shares of the messages whose visits are measured."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from core.tenancy import use_owner_role
from outreach.models import GenieScheduler, SendJob
from outreach.runs.genie.reports import channels_with_reports
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactFactory

pytestmark = pytest.mark.django_db
BOTH = {"opens_tracked": True, "clicks_tracked": True}
OPENED = {**BOTH, "open_count": 2}
CLICKED = {**OPENED, "click_count": 1}
VENDOR = {"channel": channels_with_reports()[0]}


@pytest.mark.parametrize("path", ["key", "session"])
@pytest.mark.parametrize("name", ["outreach", "deliverability"])
@pytest.mark.parametrize(
    ("messages", "opens", "clicks"),
    [
        ([{}, {}], (0, 0, None), (0, 0, None)),
        ([{}, {}, BOTH, OPENED], (1, 2, 50.0), (0, 2, 0.0)),
        ([{}, {"opens_tracked": True}, CLICKED], (1, 2, 50.0), (1, 1, 100.0)),
        ([{"channel": "chatapp"}, {"channel": "chatapp", "open_count": 1}, {}], (1, 2, 50.0), (0, 0, None)),
        ([VENDOR, {**VENDOR, "open_count": 1}, {}], (1, 2, 50.0), (0, 2, 0.0)),
        ([{"open_count": 1}, {}], (1, 1, 100.0), (0, 0, None)),
    ],
)
def test_rates_divide_by_measured_messages(
    cast: Cast, path: str, name: str, messages: list[dict[str, Any]], opens: tuple[Any, ...], clicks: tuple[Any, ...]
) -> None:
    now = timezone.now()
    with cast.scope():
        run = GenieScheduler.objects.create(ai_type="offline", status="completed")
        for columns in messages:
            contact = ContactFactory()
            SendJob.objects.create(run=run, contact=contact, status="sent", sending_at=now, sent_at=now, **columns)
    caller: Caller = getattr(cast, path)
    data = caller.get("/logs/report", reportType=name, by="run", range="last7").data
    totals = data["totals"]
    assert (totals["opened"], totals["openedMeasured"], totals["openRate"]) == opens
    assert (totals["clicked"], totals["clickedMeasured"], totals["clickRate"]) == clicks
    titles = {column["key"]: column["title"] for column in data["columns"]}
    assert (titles["openedMeasured"], titles["clickedMeasured"]) == ("Opens measured", "Clicks measured")
    assert [row["openedMeasured"] for row in data["rows"]] == [opens[1]]


def test_migration_marks_runs_of_which_one_message_was_visited(cast: Cast) -> None:
    now = timezone.now()
    with cast.scope():
        runs = [GenieScheduler.objects.create(ai_type="offline", status="completed") for _ in range(2)]
        for run, opens in ((runs[0], 1), (runs[0], 0), (runs[1], 0)):
            SendJob.objects.create(
                run=run, contact=ContactFactory(), status="sent", sending_at=now, sent_at=now, open_count=opens
            )
        SendJob.objects.create(run=runs[0], contact=ContactFactory(), status="failed")
    sql = import_module("outreach.migrations.0047_mark_tracked_messages").MARK
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(sql.format(mark="opens_tracked", visits="open_count"))
    with cast.scope():
        marked = list(SendJob.objects.filter(opens_tracked=True).values_list("run", flat=True))
    assert marked == [runs[0].pk] * 2
