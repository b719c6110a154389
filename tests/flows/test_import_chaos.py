"""Workers killed by kill -9 while they import: the end result is that of an undisturbed import, to the last count.

CHAOS_ROWS and CHAOS_IMPORT_KILLS set the size; `make chaos` runs the long form.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Mail
from core.models import Event
from crm.models import Contact, ContactTag, CustomField, CustomFieldValue, Import, ImportRowError
from tests.crm.imports.helpers import HEADER, MAPPING, csv_of, make, run
from tests.flows.import_workers import BATCH, SECONDS, kill_over_the_import, progress, running
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]


def content(rows: int) -> bytes:
    """Make good rows, bad ones, repeated ones and rows that name tags, mixed by a fixed seed."""
    chance = random.Random(20)
    lines = []
    for number in range(rows):
        who = chance.randrange(number) if number and chance.random() < 0.1 else number
        email = f"person{who}@example.org" if chance.random() > 0.05 else "nobody"
        tags = chance.choice(("", "VIP", "Fair 2026;VIP", f"Batch {number // 500}"))
        lines.append(f"Person {who} v{number},{email},+49,151{who:08},{number},{tags}")
    return csv_of(lines, HEADER + ",Score,Tags")


def prepare(cast: Cast) -> dict[str, Any]:
    """Create a custom field. Returns the mapping of the file's columns, and the options."""
    with cast.scope():
        CustomField.objects.create(name="Score", unique_field_id="score", field_type="number", value_type="number")
    return {"columnMapping": {**MAPPING, "Score": "score", "Tags": "tags"}, "options": {"existing": "update"}}


def outcome(cast: Cast, job_id: str) -> dict[str, Any]:
    """Return all that an import leaves behind, without the ids and times that are new each time."""
    with cast.scope():
        job = Import.objects.get(pk=job_id)
        names = ("status", "error", "total", "processed", "created", "updated", "skipped", "failed", "next_row")
        return {
            "job": {name: getattr(job, name) for name in names},
            "contacts": list(
                Contact.objects.order_by("email", "name").values_list("name", "email", "contact_number", "custom")
            ),
            "values": list(
                CustomFieldValue.objects.order_by("contact__email", "number").values_list("contact__email", "number")
            ),
            "tags": sorted(ContactTag.objects.values_list("contact__email", "tag__name")),
            "errors": list(
                ImportRowError.objects.order_by("row", "id").values_list("row", "column", "code", "message", "values")
            ),
            "mails": list(Mail.objects.values_list("kind", "subject")),
            "events": sorted(Event.objects.values_list("kind", "object_id").values_list("kind", flat=True)),
        }


def chaos(rows: int, kills: int) -> dict[str, Any]:
    """Run one import with kills and one without; their outcomes must be equal."""
    calm, stormy = make_cast(), make_cast()
    data, end = content(rows), time.monotonic() + SECONDS
    settings.IMPORT_BATCH_ROWS = BATCH
    try:
        undisturbed = run(calm, data, **prepare(calm))
    finally:
        del settings.IMPORT_BATCH_ROWS
    assert undisturbed["status"] == "completed", undisturbed["error"]
    started = time.monotonic()
    job_id = make(stormy, data, pauseImport=False, **prepare(stormy))["_id"]
    with running() as workers:
        kill_over_the_import(workers, stormy, job_id, rows, kills, end)
        while progress(stormy, job_id)[0] in ("queued", "running"):
            assert time.monotonic() < end, progress(stormy, job_id)
            time.sleep(0.05)
    expected, found = outcome(calm, undisturbed["_id"]), outcome(stormy, job_id)
    assert expected["job"]["processed"] == rows
    assert found["job"] == expected["job"]
    for name, value in expected.items():
        assert found[name] == value, f"{name} differ"
    assert len(found["contacts"]) == found["job"]["created"]
    assert [kind for kind, _ in found["mails"]] == ["notice_import_finished"]
    return {"rows": rows, "kills": kills, **found["job"], "seconds": round(time.monotonic() - started, 1)}


@pytest.mark.django_db(transaction=True)
def test_chaos_of_an_import_short() -> None:
    print(chaos(1500, 5))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_chaos_of_an_import_long() -> None:
    print(chaos(int(os.environ.get("CHAOS_ROWS", "20000")), int(os.environ.get("CHAOS_IMPORT_KILLS", "100"))))
