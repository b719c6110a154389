"""Reports, segments' numbers and outcomes of campaigns read the rows of their company by indexes, among many of
another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.db import connection, models, transaction
from django.test.utils import CaptureQueriesContext

from core.tenancy import use_owner_role
from crm.models import Contact, Lead, LeadActivity, Segment
from crm.segments.services import segment_members
from outreach.models import Campaign, GenieScheduler, SendJob
from outreach.runs.campaigns.selectors import campaign_detail
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, SmtpFactory

OWN, OTHERS = 400, 12_000
AT = "now() - n * interval '3 hours'"
STATUS = "(array['new', 'contacted', 'won', 'lost'])[1 + n %% 4]"
BIG = r"(?:crm_contact|crm_lead|crm_leadactivity|outreach_sendjob)\b"


def multiply(record: models.Model, count: int, first: int, **values: str) -> None:
    """Copy a row so many times, with values as SQL in which n is the number of the copy."""
    columns = [field.column for field in record._meta.local_concrete_fields if not field.generated]
    values = {"id": f"lpad(to_hex({first} + n), 24, '0')", "created_at": AT, **values}
    names = ", ".join(f'"{column}"' for column in columns)
    sources = ", ".join(values.get(column, f'"{column}"') for column in columns)
    table = record._meta.db_table
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) SELECT {sources} FROM {table}, generate_series(1, {count}) AS n"
            " WHERE id = %s",
            [record.pk],
        )


def fill(cast: Cast, count: int, first: int) -> Campaign:
    """Give a company so many contacts, leads, changes of their status, and messages of a campaign."""
    with cast.scope():
        contact, smtp = ContactFactory(), SmtpFactory()
        lead = LeadFactory(contact=contact)
        campaign = Campaign.objects.create(name="Spring")
        run = GenieScheduler.objects.create(name="Spring", ai_type="x", of_campaign=campaign)
        job = SendJob.objects.create(status="sent", contact=contact, run=run, smtp=smtp, recipient=contact.email)
        change = {"status": {"from": "new", "to": "won"}}
        move = LeadActivity.objects.create(
            kind="status", lead=lead, contact=contact, details=change, happened_at=lead.created_at
        )
        number = f"'+49' || ({first} + n)::text"
        email = f"'p' || {first} + n || '@one.example'"
        multiply(contact, count, first, email=email, email_key=email, contact_number=number, number_key=number)
        # Each person has a lead and a message.
        person = f"lpad(to_hex({first} + n), 24, '0')"
        multiply(
            lead,
            count,
            first,
            contact_id=person,
            status=STATUS,
            status_changed_at=f"CASE WHEN n %% 3 = 0 THEN {AT} END",
        )
        multiply(move, count, first, happened_at=AT)
        multiply(job, count, first, contact_id=person, occurrence="1000 + n", sending_at=AT, sent_at=AT)
    return campaign


@pytest.fixture
def campaign(cast: Cast, outsiders: Cast) -> Iterator[Campaign]:
    """The campaign of a company of 400 rows each, next to one of 12,000."""
    with transaction.atomic():
        fill(outsiders, OTHERS, 2_000_000)
        campaign = fill(cast, OWN, 1_000_000)
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for model in (Contact, Lead, LeadActivity, SendJob):
                cursor.execute(f"ANALYZE {model._meta.db_table}")
        yield campaign
        transaction.set_rollback(True)


def plans(cast: Cast, statements: Sequence[Any]) -> list[str]:
    """Return the plans of the statements that read the large tables, which no plan reads whole."""
    found = []
    with cast.scope(), connection.cursor() as cursor:
        for statement in (entry["sql"] for entry in statements):
            if statement.startswith(("SELECT", "(SELECT")) and re.search(rf'FROM "{BIG}', statement):
                cursor.execute(f"EXPLAIN {statement}")
                found.append("\n".join(line for (line,) in cursor.fetchall()))
    assert found
    for plan in found:
        assert not re.search(rf"Seq Scan on {BIG}", plan), plan
        assert re.search(r"Index Cond: .*(company_id|run_id)", plan), plan
    return found


@pytest.mark.parametrize(
    ("report", "by", "indexes"),
    [
        ("leads", "status", ("lead_newest", "lead_status")),
        ("leads", "day", ("lead_newest", "lead_status")),
        ("contacts", "category", ("contact_newest",)),
        ("outreach", "campaign", ("sendjob_planned", "sendjob_handed_at")),
        ("activities", "member", ("leadactivity_newest",)),
        ("campaigns", "campaign", ("sendjob_handed_at", "lead_same_contact")),
    ],
)
@pytest.mark.usefixtures("campaign")
def test_reports_with_the_period_before(cast: Cast, report: str, by: str, indexes: tuple[str, ...]) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer = cast.session.get("/logs/report", reportType=report, by=by, range="last7", compare="true")
    assert (answer.status, answer.data["before"] is not None) == (200, True)
    read = [entry for entry in queries.captured_queries if "number_" in entry["sql"] or "COUNT" in entry["sql"]]
    text = "\n".join(plans(cast, read))
    assert [index for index in indexes if index not in text] == [], text


@pytest.mark.parametrize(
    ("panel", "condition", "index"),
    [
        ("lead", {"field": "status", "operator": "equals", "value": "won"}, "lead_status"),
        ("contact", {"field": "createdAt", "operator": "greaterThan", "value": "2026-01-01T00:00:00Z"}, "contact_"),
    ],
)
@pytest.mark.usefixtures("campaign")
def test_numbers_of_segments(cast: Cast, panel: str, condition: dict[str, str], index: str) -> None:
    with cast.scope():
        segment = Segment.objects.create(
            name="Some", panel=panel, kind="dynamic", filters={"operator": "and", "conditions": [condition]}
        )
        with CaptureQueriesContext(connection) as queries:
            assert segment_members(segment).count() > 0
    assert index in plans(cast, queries.captured_queries)[0]


def test_outcomes_of_a_campaign(cast: Cast, campaign: Campaign) -> None:
    with cast.scope(), CaptureQueriesContext(connection) as queries:
        detail = campaign_detail(Campaign.objects.get(pk=campaign.pk))
    assert detail["funnel"]["planned"] == OWN + 1
    text = "\n".join(plans(cast, queries.captured_queries))
    # The leads of recipients, not those of the whole company.
    assert "lead_same_contact" in text, text
