"""Workers killed by kill -9 while they import leads: contacts, leads, links, events and assignments are those of
an undisturbed import."""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from django.conf import settings

from core.models import Event
from crm.models import Contact, Import, ImportRowError, Lead, LeadProduct, LeadTag, LeadValue, TeamMember
from tests.crm.imports.test_leads import HEADER, MAPPING, csv_of, import_file, line, run
from tests.crm.leads.helpers import lead_field, member, product, set_rule, team_of
from tests.flows.import_workers import BATCH, SECONDS, kill_over_the_import, progress, running
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

MEMBERS = ("Ann", "Bob", "Cid")


def content(rows: int) -> bytes:
    """Make new leads, repeated and closed ones, several of one contact, bad rows and rows that name tags, mixed by a
    fixed seed."""
    chance = random.Random(21)
    lines = []
    for number in range(rows):
        who = chance.randrange(number) if number and chance.random() < 0.2 else number
        cells = {
            "Name": f"Person {who} v{number}",
            "Email": "nobody" if chance.random() < 0.05 else f"person{who}@example.org",
            "Status": chance.choice(("", "", "won", "qualified")),
            "Value": str(number),
            "Products": chance.choice(("", "Roof", "Cellar; Roof", "Attic")),
            "Team": "North",
            "Owner": chance.choice(("", "", "Ann")),
            "Tags": chance.choice(("", "VIP", f"Batch {number // 500}")),
        }
        lines.append(f"{line(who, **cells)},{number}")
    return csv_of(lines, HEADER + ",Score")


def prepare(cast: Cast) -> dict[str, Any]:
    """Create what the file names. Returns the mapping of its columns, and the options."""
    with cast.scope():
        lead_field("score", "number", "number")
        for name in ("Roof", "Cellar", "Attic"):
            product(name)
        team_of("North", *(member(name=name) for name in MEMBERS))
        set_rule("roundRobin")
    return {"columnMapping": {**MAPPING, "Score": "score"}, "options": {"existing": "update"}}


def outcome(cast: Cast, job_id: str) -> dict[str, Any]:
    """Return all that an import leaves behind, without the ids and times that are new each time."""
    of_lead = ("contact__email", "first_product", "status", "value", "team_member__name", "custom")
    with cast.scope():
        job = Import.objects.get(pk=job_id)
        names = ("status", "error", "total", "processed", "created", "updated", "skipped", "failed", "next_row")
        return {
            "job": {name: getattr(job, name) for name in names},
            "contacts": list(Contact.objects.order_by("email", "name").values_list("name", "email", "contact_number")),
            "leads": sorted(Lead.objects.values_list(*of_lead), key=str),
            "values": sorted(LeadValue.objects.values_list("lead__contact__email", "number")),
            "products": sorted(LeadProduct.objects.values_list("lead__contact__email", "product_service__name")),
            "tags": sorted(LeadTag.objects.values_list("lead__contact__email", "tag__name")),
            "errors": list(
                ImportRowError.objects.order_by("row", "id").values_list("row", "column", "code", "message", "values")
            ),
            "events": sorted(Event.objects.values_list("kind", flat=True)),
            "turn": list(
                TeamMember.objects.filter(team__name="North")
                .order_by("last_assigned_at")
                .values_list("member__name", flat=True)
            ),
        }


def chaos(rows: int, kills: int) -> dict[str, Any]:
    """Run one import with kills and one without; their outcomes must be equal."""
    calm, stormy = make_cast(), make_cast()
    data, end = content(rows), time.monotonic() + SECONDS
    settings.IMPORT_BATCH_ROWS = BATCH
    lines = data.decode().splitlines()
    try:
        undisturbed = run(calm, lines[1:], lines[0], **prepare(calm))
    finally:
        del settings.IMPORT_BATCH_ROWS
    assert undisturbed["status"] == "completed", undisturbed["error"]
    started = time.monotonic()
    job_id = import_file(stormy, data, pauseImport=False, **prepare(stormy))["_id"]
    with running() as workers:
        kill_over_the_import(workers, stormy, job_id, rows, kills, end)
        while progress(stormy, job_id)[0] in ("queued", "running"):
            assert time.monotonic() < end, progress(stormy, job_id)
            time.sleep(0.05)
    expected, found = outcome(calm, undisturbed["_id"]), outcome(stormy, job_id)
    assert expected["job"]["processed"] == rows
    for name, value in expected.items():
        assert found[name] == value, f"{name} differ"
    assert len(found["leads"]) == found["job"]["created"]
    return {"rows": rows, "kills": kills, **found["job"], "seconds": round(time.monotonic() - started, 1)}


@pytest.mark.django_db(transaction=True)
def test_chaos_of_an_import_of_leads_short() -> None:
    print(chaos(900, 4))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_chaos_of_an_import_of_leads_long() -> None:
    print(chaos(int(os.environ.get("CHAOS_ROWS", "20000")), int(os.environ.get("CHAOS_IMPORT_KILLS", "100"))))
