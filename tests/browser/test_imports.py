"""The journey of an import: a file with wrong rows, checked, imported, mended in place, undone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Contact
from tests.crm.bulk_jobs import helpers as jobs
from tests.crm.imports import helpers as imports
from tests.crm.imports.helpers import HEADER, csv_of, people
from tests.kit.cast import Cast, make_cast
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
BAD = ["Ann Lee,nobody,+49,15112345678", "Bob Ray,bob@example.org,+49,x", "Cleo Ott,cleo@,+49,15112345680"]


def open_imports(page: Page, cast: Cast) -> None:
    """Log in and open the page of a new import."""
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/imports/new")


@pytest.mark.parametrize("page", [1280, 390], indirect=True)
def test_headers_questions_and_an_optional_phone_number(page: Page, live_server: Any) -> None:
    cast = make_cast()
    open_imports(page, cast)
    lines = ["Members of the club,,", "Email,Value,First contact"]
    rows = ["ada@fern.example,1.234,3/9/2024", "bo@fern.example,2.500,4/5/2024", "cy@fern.example,7.100,6/7/2024"]
    content = csv_of([*lines[1:], *rows], lines[0])
    page.locator("input[type=file]").set_input_files({"name": "club.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Upload and continue").click()

    # The row of the headers is chosen by hand.
    page.get_by_text("How the file is read").click()
    page.get_by_label("Row 2", exact=True).check()
    page.get_by_role("button", name="Read the file again").click()
    expect(page.get_by_label("Email", exact=True)).to_have_value("email")

    # No column has phone numbers: they become optional, and what was chosen stays.
    page.get_by_label("Value", exact=True).select_option("+")
    page.get_by_label("First contact", exact=True).select_option("+")
    page.get_by_role("button", name="Make the phone number optional for contacts").click()
    expect(page.get_by_text("Contacts need a phone number")).to_have_count(0)
    expect(page.get_by_label("First contact", exact=True)).to_have_value("+")

    # Numbers and days that can be read in two ways are asked about.
    page.get_by_role("button", name="Check before importing").click()
    expect(page.get_by_role("heading", name="Please check")).to_be_visible()
    page.get_by_label("1234 – the comma is the decimal mark").check()
    page.get_by_label("9 March 2024").check()
    page.get_by_role("button", name="Check before importing").click()
    expect(page.locator(".stat-value")).to_have_text(["3", "0", "0", "0"])
    expect(page.get_by_text("These records will have no name.")).to_be_visible()
    page.get_by_role("button", name="Import 3 contacts").click()
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    imports.work()
    expect(page.get_by_text("3 rows: 3 created.")).to_be_visible()
    with cast.scope():
        values = set(Contact.objects.get(email="ada@fern.example").custom.values())
        assert 1234 in values
        assert any(str(value).startswith("2024-03-09") for value in values)


@pytest.mark.parametrize("page", [1280], indirect=True)
def test_upload_check_run_mend_and_undo(page: Page, live_server: Any) -> None:
    cast = make_cast()
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
    page.get_by_role("main").get_by_role("link", name="Imports").click()
    page.get_by_role("link", name="Choose a file").click()

    # The file, its columns (one becomes a new field), and what it would do.
    lines = [f"{line},{number}" for number, line in enumerate([*people(20), *BAD], 1)]
    content = csv_of(lines, HEADER + ",Seats")
    page.locator("input[type=file]").set_input_files({"name": "fair.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Upload and continue").click()
    expect(page.get_by_label("Email", exact=True)).to_have_value("email")
    expect(page.get_by_label("Seats", exact=True)).to_have_value("+")
    page.get_by_role("button", name="Check before importing").click()
    expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
    expect(page.locator(".stat-value")).to_have_text(["20", "0", "0", "3"])
    with cast.scope():
        assert not Contact.objects.exists()

    # It runs while the page looks on.
    page.get_by_role("button", name="Import 20 contacts").click()
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    imports.work()
    expect(page.get_by_text("23 rows: 20 created, 3 refused.")).to_be_visible()

    # One row is mended, then the others together; what is typed into one of these meanwhile stays.
    row = {number: page.locator(f"#row-{number}") for number in (22, 23, 24)}
    email = row[22].get_by_label("Email")
    expect(email).to_have_attribute("aria-invalid", "true")
    row[24].get_by_label("Email").fill("cleo@example.org")
    email.fill("ann@example.org")
    page.get_by_role("button", name="Save row 22").click()
    expect(page.locator(".toast")).to_contain_text("1 row: 1 created")
    expect(row[22]).to_have_count(0)
    expect(row[24].get_by_label("Email")).to_have_value("cleo@example.org")
    row[23].get_by_label("Phone").fill("15112345679")
    page.get_by_role("button", name="Save changed rows").click()
    expect(page.locator(".toast")).to_contain_text("2 rows: 2 created")
    expect(page.get_by_text("23 rows: 23 created.")).to_be_visible()
    with cast.scope():
        assert Contact.objects.filter(email="ann@example.org", import_job__isnull=False).exists()

    # All of it is taken back.
    page.get_by_role("button", name="Undo the import").click()
    expect(page.get_by_text("Undoing.")).to_be_visible()
    with cast.scope():
        jobs.work()
    expect(page.locator(".toast")).to_contain_text("Undid")
    with cast.scope():
        assert not Contact.objects.filter(is_deleted=False).exists()
