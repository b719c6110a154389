"""GET /logs/report: numbers that are those of the rows, by every grouping, on the company's clock."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounts.models import Company, Member
from core.reports import REPORTS, Period, query
from core.tenancy import use_owner_role
from core.text.timezones import zone_of
from outreach.insights.reports import selectors
from outreach.messaging.delivery import outcomes
from outreach.models import InboundMessage, SendJob, Suppression
from tests.kit.cast import SESSION, Answer, Caller, Cast, make_cast, session_headers
from tests.kit.examples import thorough, walked
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.rows import kept_for_module
from tests.outreach.insights.reports.population import (
    make_messages,
    make_payments,
    make_people,
    make_runs,
    make_submissions,
)

PATH = "/logs/report"
FIRST, LAST = date(2026, 10, 1), date(2026, 10, 31)


def report(caller: Caller, name: str, **query: Any) -> Any:
    answer = caller.get(PATH, reportType=name, **{"startDate": str(FIRST), "endDate": str(LAST)} | query)
    assert answer.status == 200, answer.body
    return answer.data


def reasons_of(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["warning"]


@pytest.fixture(scope="module")
def cast(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
        with cast.scope():
            make_people(cast)
            make_messages(cast)
            make_runs()
            make_submissions()
            make_payments()
        yield cast


def test_each_number_is_that_of_the_list_it_links_to(cast: Cast, subtests: pytest.Subtests) -> None:
    linked = Counter[str]()
    linked_totals = Counter[str]()
    for one in cast.session.get(f"{PATH}/types").data["reports"]:
        name = one["reportType"]
        for by in walked(grouping["key"] for grouping in one["by"]):
            with subtests.test(f"{name} by {by}"):
                data = report(cast.session, name, by=by)
                columns = [column["key"] for column in data["columns"]]
                assert any(data["totals"][key] for key in columns)
                assert all(row.keys() - columns == {"key", "label", "link", "lists", "isOther"} for row in data["rows"])
                assert all(row["link"] == row["lists"][0] for row in data["rows"] if not row["isOther"])
                linking = [row for row in data["rows"] if row["link"] and any(row[key] for key in columns)]
                for row in linking[:1]:
                    for column in data["columns"]:
                        if column["filter"] is not None:
                            counted = count_of(cast.session, row["link"], column["filter"])
                            assert counted == (row[column["key"]] or 0), (row, column)
                            linked[name] += 1
                listing = [row for row in data["rows"] if any(row["lists"]) and any(row[key] for key in columns)]
                for lists, numbers in [(row["lists"], row) for row in listing[:1]] + [(data["lists"], data["totals"])]:
                    for column in data["columns"]:
                        listed = column["listed"]
                        if listed is not None and lists[listed["place"]] is not None:
                            counted = count_of(cast.session, lists[listed["place"]], listed["filter"])
                            assert counted == (numbers[column["key"]] or 0), (lists, column)
                            linked_totals[name] += 1
                additive = [one["key"] for one in data["columns"] if one["type"] in ("count", "money", "number")]
                for key in additive if by != "tag" else ():
                    assert sum(row[key] or 0 for row in data["rows"]) == pytest.approx(data["totals"][key] or 0), key
    with_lists = {name for name, report in REPORTS.items() if any(source.path for source in report.sources)}
    assert set(REPORTS) - with_lists == {"stages"}
    assert linked.keys() == with_lists
    assert linked_totals.keys() == with_lists


def count_of(caller: Caller, link: str, condition: Any) -> int:
    """Return how many records the list of a link has that meet the condition."""
    path, _, query = link.partition("?")
    tree = json.loads(parse_qs(query)["advancedFilters"][0])
    both = {"operator": "and", "conditions": [tree, *([condition] if condition else [])]}
    answer = caller.get(f"/{path}", advancedFilters=both, p=1, n=1)
    assert answer.status == 200, answer.body
    return int(answer.body["totalCount"])


def test_the_period_before_has_as_many_days(cast: Cast) -> None:
    first, last = FIRST + timedelta(days=24), FIRST + timedelta(days=24)
    data = report(cast.session, "leads", startDate=str(first), endDate=str(last), compare="true")
    before = report(cast.session, "leads", startDate=str(first - timedelta(1)), endDate=str(last - timedelta(1)))
    assert data["before"] == {
        "startDate": "2026-10-24",
        "endDate": "2026-10-24",
        "totals": before["totals"],
    }
    assert (data["totals"]["created"], before["totals"]["created"]) == (2, 1)
    assert before["before"] is None
    now = report(cast.session, "pipeline", by="status", compare="true")["before"]["totals"]
    assert (now["open"], now["openValue"], now["moved"]) == (None, None, 3)


def test_ranges_have_names(cast: Cast) -> None:
    for name, days in (("last7", 7), ("last90", 90)):
        data = cast.session.get(PATH, reportType="leads", range=name).data
        assert len(data["rows"]) == days
    quarter = cast.session.get(PATH, reportType="leads", range="thisQuarter").data
    month = quarter["startDate"][5:7]
    assert (quarter["startDate"][8:], month in ("01", "04", "07", "10")) == ("01", True)


def test_the_numbers_are_those_of_the_rows(cast: Cast) -> None:
    leads = report(cast.session, "leads", by="status")
    assert leads["totals"] == {
        "created": 5,
        "createdValue": 10.0,
        "won": 2,
        "lost": 1,
        "wonValue": 5.0,
        "winRate": 66.67,
    }
    assert [(row["label"], row["created"], row["won"]) for row in leads["rows"]] == [
        ("New", 2, 0),
        ("Won", 2, 2),
        ("Lost", 1, 0),
    ]
    days = {row["key"]: row["created"] for row in report(cast.session, "leads", by="day")["rows"]}
    assert (len(days), {day: number for day, number in days.items() if number}) == (
        31,
        {"2026-10-01": 1, "2026-10-24": 1, "2026-10-25": 2, "2026-10-31": 1},
    )
    moves = report(cast.session, "pipeline", by="move")["rows"]
    assert sum(row["moved"] for row in moves) == report(cast.session, "pipeline", by="day")["totals"]["moved"]
    assert {row["label"] for row in moves} == {
        "New → Contacted",
        *(f"Contacted → {one}" for one in ("New", "Won", "Lost")),
    }
    sent = report(cast.session, "deliverability", by="domain")
    assert {row["label"] for row in sent["rows"]} == {"one.example", "two.example", "No address"}
    assert all(sent["totals"][key] for key in ("delivered", "bouncedHard", "bouncedSoft", "complained", "unsubscribed"))
    assert sent["totals"]["deliveryRate"] == round(100 * sent["totals"]["delivered"] / sent["totals"]["told"], 2)
    labels = {row["label"] for row in report(cast.session, "outreach", by="template")["rows"]}
    assert labels == {"Reminder", "News", "No template"}
    assert {row["label"] for row in report(cast.session, "outreach", by="campaign")["rows"]} == {
        "Spring",
        "No campaign",
    }


def test_many_groups_end_in_one_row_of_all_others(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = report(cast.session, "leads", by="status")
    monkeypatch.setattr(selectors, "read", lambda *args: query.read_report(*args, top=1))
    monkeypatch.setattr("outreach.insights.reports.views.read", selectors.read)
    for name, by in (("leads", "status"), ("pipeline", "status"), ("outreach", "run"), ("contacts", "tag")):
        answer = cast.session.get(PATH, reportType=name, by=by, startDate=str(FIRST), endDate=str(LAST))
        rows, others = [one for one in answer.data["rows"] if not one["isOther"]], answer.data["rows"][1:]
        assert (len(rows), len(others)) == (1, 0 if by == "tag" else 1)
        assert "only the 50 largest" in answer.body["warning"]
        for key in ("created", "won", "moved", "entered", "planned", "replied"):
            if others and key in answer.data["totals"]:
                assert rows[0][key] + others[0][key] == answer.data["totals"][key]
        if name == "leads":
            assert answer.data["totals"] == whole["totals"]


def test_a_download_has_the_same_numbers_and_runs_nothing(cast: Cast) -> None:
    for name, by in (("contacts", "import"), ("leads", "day"), ("deliverability", "sender")):
        data = report(cast.session, name, by=by)
        answer = cast.key.get(PATH, reportType=name, by=by, startDate=str(FIRST), endDate=str(LAST), download="true")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
        assert "attachment" in answer.headers["Content-Disposition"]
        lines = list(csv.reader(io.StringIO(answer.body.decode("utf-8-sig"), newline="")))
        keys = [column["key"] for column in data["columns"]]
        assert lines[0][1:] == [column["title"] for column in data["columns"]]
        told = [[row[key] for key in keys] for row in (*data["rows"], data["totals"])]
        assert [[None if cell == "" else float(cell) for cell in line[1:]] for line in lines[1:]] == told
        if by == "import":
            assert {line[0] for line in lines[1:]} == {"'=people.csv", "Not imported", "Total"}


def test_what_is_wrong_is_named(cast: Cast) -> None:
    for sent, status, said in (
        ({}, 400, "reportType: is required"),
        ({"reportType": "nothing\0"}, 404, "reportType: one of billing, leads"),
        (
            {"reportType": "leads", "by": "vendor"},
            400,
            "by: one of day, status, source, team, member, organization, pipeline, stage, lostReason for leads",
        ),
        ({"reportType": "leads", "startDate": "2026-13-01"}, 400, "startDate: needs a day"),
        ({"reportType": "leads", "endDate": "99999999999"}, 400, "endDate: needs a day"),
        ({"reportType": "leads", "endDate": "0001-01-01"}, 400, "endDate: the years are 1970 to 9990"),
        ({"reportType": "leads", "startDate": "2026-02-02", "endDate": "2026-02-01"}, 400, "startDate: is after"),
        ({"reportType": "leads", "startDate": "2024-01-01", "endDate": "2025-01-01"}, 400, "at most 366 days, got 367"),
        ({"reportType": "leads", "download": "yes"}, 400, "download: needs to be true or false"),
        ({"reportType": "leads", "range": "lastYear"}, 400, "range: one of last7, last30"),
        ({"reportType": "leads", "range": "last7", "endDate": "2026-02-01"}, 400, "those of the range custom"),
        ({"reportType": "leads", "p": "1"}, 400, "p: is an unknown parameter"),
    ):
        found = reasons_of(cast.session.get(PATH, **sent))
        assert (found[0], said in found[1]) == (status, True), (sent, found)
    usual = cast.session.get(PATH, reportType="leads").data
    days = date.fromisoformat(usual["endDate"]) - date.fromisoformat(usual["startDate"])
    assert (days.days, len(usual["rows"]), usual["by"], usual["timeZone"]) == (29, 30, "day", "Europe/Berlin")


def test_a_report_takes_the_permission_of_what_it_counts(cast: Cast) -> None:
    def caller(**modules: Any) -> Caller:
        role = RoleFactory(permission={module.replace("_", "-"): {"GET": True} for module in modules})
        return Caller(SESSION, session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=role)))

    with cast.scope():
        reader, nobody = caller(report=True, lead_activity=True), caller(lead=True)
    refused = reasons_of(reader.get(PATH, reportType="leads"))
    assert (refused[0], "lead.GET" in refused[1]) == (403, True)
    assert reasons_of(nobody.get(PATH, reportType="leads"))[0] == 403
    assert [one["reportType"] for one in reader.get(f"{PATH}/types").data["reports"]] == ["activities"]
    # Changes of status are the lead's, which this role may not read.
    assert [row["label"] for row in report(reader, "activities", by="kind")["rows"]] == ["Notes"]
    assert len(report(cast.session, "activities", by="kind")["rows"]) == 2


moments = st.datetimes(datetime(2026, 3, 1), datetime(2026, 11, 30)).map(lambda at: at.replace(tzinfo=UTC))


@settings(max_examples=thorough(24), deadline=None)
@example("America/Havana", [datetime(2026, 11, 1, 4, 30, tzinfo=UTC), datetime(2026, 11, 1, 5, 30, tzinfo=UTC)], 304, 0)
@example("Africa/Cairo", [datetime(2026, 4, 23, 22, 0, tzinfo=UTC), datetime(2026, 4, 23, 21, 59, tzinfo=UTC)], 113, 0)
@given(
    st.sampled_from(("Europe/Berlin", "America/Havana", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kathmandu")),
    st.lists(moments, max_size=12),
    st.integers(60, 330),
    st.integers(0, 40),
)
def test_days_are_those_of_the_clock_on_the_wall(
    cast: Cast, zone: str, times: list[datetime], first: int, more: int
) -> None:
    begin = date(2026, 1, 1) + timedelta(days=first)
    period = Period(begin, begin + timedelta(days=more), zone_of(zone))
    with cast.scope(), transaction.atomic():
        Suppression.objects.all().delete()
        rows = [Suppression(email=f"{place}@example.org", reason="manual") for place in range(len(times))]
        Suppression.objects.bulk_create(rows)
        for row, at in zip(rows, times, strict=True):
            Suppression.objects.filter(pk=row.pk).update(created_at=at)
        table = query.read_report(REPORTS["suppressions"], None, "day", period)  # type: ignore[arg-type]
        transaction.set_rollback(True)
    expected = Counter(at.astimezone(period.zone).date() for at in times)
    assert {row.key: row.values["addresses"] for row in table.rows} == {day: expected[day] for day in period.days()}
    assert table.totals["addresses"] == sum(expected[day] for day in period.days())


COPY = """
INSERT INTO outreach_sendjob (id, company_id, contact_id, status, channel, step, occurrence, subject, text, created_at,
    updated_at, due_at, sending_at, {others})
SELECT lpad(n::text, 24, '0'), company_id, contact_id, status, channel, step, 1000 + n, subject, repeat('x', 500), at,
    at, at, at, {others}
FROM outreach_sendjob, generate_series(1, 3000) AS n, LATERAL (SELECT timestamptz '2025-10-01' + n * interval '3 hours')
    AS t (at)
WHERE id = %s
"""


def test_messages_are_found_by_their_time(cast: Cast) -> None:
    """Among many more, under the role and the policies of requests."""
    known = {"id", "company_id", "contact_id", "status", "channel", "step", "occurrence", "subject", "text"}
    known |= {"created_at", "updated_at", "due_at", "sending_at", "refused_at"}
    others = ", ".join(f'"{one.column}"' for one in SendJob._meta.local_concrete_fields if one.column not in known)
    with cast.scope(), transaction.atomic():
        one = SendJob.objects.filter(sending_at__isnull=False).first()
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute(COPY.format(others=others), [one.pk])
            cursor.execute("ANALYZE outreach_sendjob")
        with CaptureQueriesContext(connection) as asked:
            for name, by in (("outreach", "run"), ("outreach", "day"), ("deliverability", "domain")):
                assert report(cast.session, name, by=by)["totals"]
        found = [one["sql"] for one in asked if "number_" in one["sql"] and "sendjob" in one["sql"]]
        assert len(found) == 5  # outreach has two sources
        with connection.cursor() as cursor:
            for statement in found:
                cursor.execute(f"EXPLAIN {statement}")
                plan = "\n".join(line for (line,) in cursor.fetchall())
                assert re.search(r"Index Cond: .*(created_at|END\)?) >=", plan), plan
                assert "Seq Scan on outreach_sendjob" not in plan
        transaction.set_rollback(True)


def test_outcomes_name_the_kinds_of_received_mails() -> None:
    """Messages stand below received mails, and know their kinds by name."""
    kinds = InboundMessage.Kind
    assert (outcomes.REPLY, outcomes.BOUNCE, outcomes.COMPLAINT) == (kinds.REPLY, kinds.BOUNCE, kinds.COMPLAINT)
    assert outcomes.SOFT_SEVERITY == InboundMessage.Severity.SOFT


def test_organizations_are_told_by_month_in_order(cast: Cast) -> None:
    data = report(cast.session, "organizations", by="month", startDate="2026-09-30", endDate="2026-11-30")
    assert [(row["label"], row["added"], row["owned"]) for row in data["rows"]] == [
        ("September 2026", 1, 1),
        ("October 2026", 5, 2),
        ("November 2026", 1, 0),
    ]
    for row in data["rows"]:
        assert count_of(cast.key, row["link"], None) == row["added"]


def test_contacts_and_won_leads_are_told_by_organization(cast: Cast) -> None:
    contacts = report(cast.session, "contacts", by="organization")
    assert {row["label"]: row["added"] for row in contacts["rows"]} == {
        "Firm 0": 2,
        "Firm 1": 2,
        "No organization": 1,
    }
    leads = report(cast.key, "leads", by="organization")
    assert {row["label"] for row in leads["rows"]} == {"Firm 0", "Firm 1", "No organization"}
    assert sum(row["wonValue"] for row in leads["rows"]) == leads["totals"]["wonValue"] > 0
    for row in leads["rows"]:
        assert count_of(cast.key, row["link"], None) == row["created"]
