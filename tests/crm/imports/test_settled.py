"""What an import keeps while others change the company's settings and fields, and rows that repeat others."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.companies.models import Company
from crm.models import Contact, Import
from tests.crm.contacts.helpers import add_field
from tests.crm.imports.helpers import MAPPING, counts, csv_of, make, people, run, work
from tests.kit.cast import Cast

HEADER = "Name,Email,Phone"
TARGETS = {"Name": "name", "Email": "email", "Phone": "number"}


def set_company(cast: Cast, **values: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(**values)


def read(cast: Cast, job: dict[str, Any]) -> dict[str, Any]:
    return dict(cast.key.get(f"/contact/import/{job['_id']}").data)


def found_numbers(cast: Cast) -> set[str]:
    with cast.scope():
        return set(Contact.objects.values_list("contact_number", flat=True))


@pytest.mark.parametrize(
    ("options", "prefix"), [(None, "+33"), ({"existing": "update"}, "+44"), ({"country": None}, "+44")]
)
def test_settings_that_change_after_the_preview_count_with_new_options_alone(
    cast: Cast, settings: Any, options: dict[str, Any] | None, prefix: str
) -> None:
    settings.IMPORT_BATCH_ROWS = 1
    set_company(cast, country="FR", timezone="Europe/Paris")
    lines = [f"P{number},p{number}@example.org,020 7946 09{number}" for number in (10, 11)]
    if prefix == "+33":
        lines = [f"P{number},p{number}@example.org,01 42 68 53 {number}" for number in (10, 11)]
    job = make(cast, csv_of(lines, HEADER), columnMapping=TARGETS)
    set_company(cast, country="GB", timezone="Pacific/Auckland")
    path = f"/contact/import/{job['_id']}"
    if options:
        cast.key.put(path, {"options": options, "pauseImport": True})
    zone = "Pacific/Auckland" if options else "Europe/Paris"
    assert read(cast, job)["detected"]["timeZone"] == zone
    checked = cast.key.post(f"{path}/check").data
    set_company(cast, country="IT", timezone="UTC")
    assert cast.key.put(path, {"tags": []}).status == 200
    set_company(cast, country="AT")
    work()
    found = read(cast, job)
    assert (checked["created"], found["created"], found["detected"]["timeZone"]) == (2, 2, zone)
    assert {number[:3] for number in found_numbers(cast)} == {prefix}
