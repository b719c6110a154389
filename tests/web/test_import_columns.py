"""The step of the import wizard that maps columns: proposals, questions, optional fields, and how the file is read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from crm.custom_fields.services import create_field
from crm.imports.pages.base import IMPORT_KINDS, Kind
from crm.imports.types import IMPORT_TYPES
from crm.models import Contact, CustomField, Import, Lead, LostReason
from tests.crm.imports import helpers
from tests.crm.imports.helpers import csv_of
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.html import html_of
from tests.web.helpers import enter, text_of, toast_of
from tests.web.test_imports import ALL, begin, stats


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def proposed(page: Any) -> dict[str, str]:
    """Return column -> what is chosen for it."""
    content = html_of(page)
    rows = re.findall(r'<label for="(c\d+)">([^<]*)</label>.*?<select id="\1"[^>]*>(.*?)</select>', content, re.DOTALL)
    chosen = {header: re.search(r'<option value="[^"]*" selected>([^<]*)', options) for _, header, options in rows}
    return {header: found[1] for header, found in chosen.items() if found}


def chosen(page: Any) -> dict[str, str]:
    """Return the values of the selects, as a browser would send them."""
    content = html_of(page)
    rows = re.findall(r'<select id="(c\d+)"[^>]*>(.*?)</select>', content, re.DOTALL)
    found = {name: re.search(r'<option value="([^"]*)" selected>', options) for name, options in rows}
    return {name: match[1] for name, match in found.items() if match}


def only_contacts(**more: bool) -> Client:
    permission: dict[str, Any] = {"contact": dict.fromkeys(ALL, True), "custom-field": {"GET": True, **more}}
    return enter(MemberFactory(status="accepted", role=RoleFactory(permission=permission)))


OUTLOOK = "First Name,Email Address,Business Phone,Mobile Phone,Fax,Assistant's Phone,Company,Since,Record ID,Pager"
LINES = [
    "Ada,ada@fern.example,+49 30 1234567,+49 170 1234567,,+49 30 99,Fern,2024-01-31,7,",
    "Bo,bo@fern.example,,+49 170 1234568,,,,,,",
]


def test_new_fields_are_preselected_and_left_out_columns_named(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK))
    page = client.get(path + "/columns")
    assert proposed(page) == {
        "First Name": "First name",
        "Email Address": "Email",
        "Business Phone": "Phone number",
        "Mobile Phone": "Phone number",
        "Company": "Organization (company)",
        "Since": "New field (day)",
    }
    said = text_of(page)
    assert "Used if the columns above are empty." in said
    assert "2 columns are left out: Assistant's Phone, Record ID." in said
    assert "2 empty columns" in said
    sent = client.post(path + "/columns", {"do": "check", "existing": "skip", **chosen(page)})
    assert sent["Location"] == path + "/check"
    checked = client.get(path + "/check")
    assert stats(checked) == ["2", "0", "0", "0"]
    assert "2 columns are left out: Assistant's Phone, Record ID." in text_of(checked)
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    assert set(Contact.objects.values_list("contact_number", flat=True)) == {"+49301234567", "+491701234568"}
    made = dict(CustomField.objects.filter(is_system=False).values_list("name", "field_type"))
    assert made == {"Since": "date", "Mobile Phone": "phone"}
    assert Contact.objects.get(email="ada@fern.example").organization.name == "Fern"


def test_who_may_add_no_fields_is_offered_none(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK))
    page = only_contacts().get(path + "/columns")
    assert proposed(page) == {
        "First Name": "First name",
        "Email Address": "Email",
        "Business Phone": "Phone number",
        "Company": "Organization (company)",
    }
    assert "New field" not in text_of(page)


def test_a_new_field_can_be_a_text(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c1": "email", "c2": "number", "c7": "+text"})
    assert Import.objects.get().column_mapping["Since"] == "+text"
    client.post(path + "/check", {"do": "start"})
    assert CustomField.objects.get(name="Since").field_type == "text"


def test_the_proposal_stands_until_a_choice_is_saved(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK))
    first = proposed(client.get(path + "/columns"))
    assert first["Since"] == "New field (day)"
    client.post(path + "/columns", {"do": "reread", "headerRow": "1"})
    client.post(path + "/columns", {"do": "optional_email", **chosen(client.get(path + "/columns"))})
    assert proposed(client.get(path + "/columns")) == first, "also later, and from the list of imports"
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c1": "email", "c2": "number", "c7": "+"})
    saved = {"Email Address": "Email", "Business Phone": "Phone number", "Since": "New field (day)"}
    assert proposed(client.get(path + "/columns?new=1")) == saved
    client.post(path, {"do": "cancel"})
    assert not CustomField.objects.filter(is_system=False).exists()


def test_a_field_of_the_name_and_type_is_proposed_for_the_next_file(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK))
    for name in ("company", "since"):
        create_field(actor_id=scope.owner.pk, values={"name": name, "field_type": "text", "panel": "contact"})
    found = proposed(client.get(path + "/columns"))
    assert (found["Company"], found["Since"]) == ("Organization (company)", "New field (day)")


ADDRESSES = csv_of(["x1@a.example,1.234,3/9/2024", "x2@a.example,2.500,4/5/2024"], "Email,Value,First contact")


def test_ambiguous_values_are_asked_about_first(scope: Cast, client: Any) -> None:
    CustomField.objects.filter(panel="contact", unique_field_id__in=("number", "countryCode")).update(required=False)
    path = begin(scope, client, ADDRESSES)
    sent = client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "email", "c1": "+", "c2": "+"})
    assert sent["Location"] == path + "/columns#questions"
    assert Import.objects.get().status == "paused"
    asked = text_of(client.get(path + "/columns"))
    assert "Which number is 1.234 in Value?" in asked
    assert "1.234 – the point is the decimal mark" in asked
    assert "1234 – the comma is the decimal mark" in asked
    assert "Which day is 3/9/2024 in First contact?" in asked
    assert "3 September 2024" in asked
    assert "9 March 2024" in asked
    assert "can be read in two ways" in text_of(client.get(path + "/check"))
    assert client.post(path + "/check", {"do": "start"})["Location"] == path + "/columns#questions"
    keys = Import.objects.get().column_mapping
    chosen = {"existing": "skip", "c0": "email", "c1": keys["Value"], "c2": keys["First contact"]}
    unanswered = client.post(path + "/columns", {"do": "check", **chosen, "decimalMark": ","})
    assert (unanswered.status_code, "Choose one of the answers." in text_of(unanswered)) == (422, True)
    answers = {"decimalMark": ",", "dateFormat": "MM/DD/YYYY"}
    answered = client.post(path + "/columns", {"do": "check", **chosen, **answers})
    assert answered["Location"] == path + "/check"
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    contact = Contact.objects.get(email="x1@a.example")
    keys = Import.objects.get().column_mapping
    assert contact.custom[keys["Value"]] == 1234
    assert contact.custom[keys["First contact"]].startswith("2024-03-09")


def test_dates_that_are_read_as_the_company_writes_are_shown(scope: Cast, client: Any) -> None:
    CustomField.objects.filter(panel="contact", unique_field_id__in=("number", "countryCode")).update(required=False)
    CustomField.objects.create(
        panel="contact", name="Birthday", field_type="date", value_type="date", unique_field_id="birthday"
    )
    scope.session.put("/settings", {"dateFormat": "dd/mm/yyyy"})
    path = begin(scope, client, csv_of(["Ada,own1@ol.example,03/04/2024"], "name,email,Birthday"))
    page = client.get(path + "/columns?new=1")
    assert "Which day is 03/04/2024 in Birthday?" in text_of(page)
    assert "Read in your company's date format. Choose another if needed." in text_of(page)
    assert re.search(r'value="DD/MM/YYYY" checked', html_of(page))
    assumed = "Dates in Birthday are read as day/month/year, your company's format."
    assert assumed in text_of(client.get(path + "/check"))
    sent = {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "birthday"}
    client.post(path + "/columns", {**sent, "dateFormat": "MM/DD/YYYY"})
    assert assumed not in text_of(client.get(path + "/check"))
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    assert Contact.objects.get().custom == {"birthday": "2024-03-04"}


def test_the_phone_number_is_made_optional_in_one_click(scope: Cast, client: Any) -> None:
    path = begin(scope, client, ADDRESSES)
    page = text_of(client.get(path + "/columns"))
    assert "Contacts need a phone number, but no column has this." in page
    others = text_of(only_contacts().get(path + "/columns"))
    assert "Ask an owner to make this optional." in others
    assert "Make the phone number optional for contacts" not in others
    done = client.post(path + "/columns", {"do": "optional_number", "existing": "update", "c0": "email", "c1": "+text"})
    assert (done.status_code, "Contacts need a phone number" in text_of(done)) == (200, False)
    assert chosen(done) == {"c0": "email", "c1": "+text"}, "what was chosen stays"
    assert re.search(r'value="update" checked', html_of(done))
    fields = CustomField.objects.filter(panel="contact", is_system=True, required=True)
    assert set(fields.values_list("unique_field_id", flat=True)) == {"email"}
    refused = only_contacts().post(path + "/columns", {"do": "optional_email", "c0": "email"})
    assert refused.status_code == 422


def test_the_check_offers_it_when_most_rows_lack_a_number(scope: Cast, client: Any) -> None:
    lines = ["Ada,ada@fern.example,+49 170 1234567", "Bo,bo@fern.example,", "Cy,cy@fern.example,"]
    path = begin(scope, client, csv_of(lines, "Name,Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number"})
    assert "Most refused rows have no phone number." in text_of(client.get(path + "/check"))
    client.post(path + "/check", {"do": "optional_number"})
    checked = client.get(path + "/check")
    assert stats(checked) == ["3", "0", "0", "0"]
    assert "Most refused rows" not in text_of(checked)


def test_the_check_offers_it_when_most_rows_lack_an_address(scope: Cast, client: Any) -> None:
    lines = ["Ada,ada@fern.example,+49 170 1234567", "Bo,,+49 170 1234568", "Cy,,+49 170 1234569", "Di,,"]
    path = begin(scope, client, csv_of(lines, "Name,Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number"})
    said = text_of(client.get(path + "/check"))
    assert "Most refused rows have no email address." in said
    assert "Most refused rows have no phone number." not in said
    assert "Make the email address optional" not in text_of(only_contacts(PUT=False).get(path + "/check"))
    client.post(path + "/check", {"do": "optional_email"})
    assert stats(client.get(path + "/check")) == ["3", "0", "0", "1"]


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ({"c0": "name", "c1": "email", "c2": "firstName"}, "Choose the full name, or first and last name."),
        ({"c0": "name", "c1": "email", "c2": "areaCode"}, "Choose the column of the phone numbers too."),
        ({"c0": "name", "c1": "email", "c2": "planet"}, "Choose"),
    ],
)
def test_refused_mappings_are_sentences(scope: Cast, client: Any, chosen: dict[str, str], text: str) -> None:
    path = begin(scope, client, csv_of(["Ada,ada@fern.example,x"], "Name,Email,Phone"))
    shown = client.post(path + "/columns", {"do": "check", "existing": "skip", **chosen})
    assert (shown.status_code, text in text_of(shown)) == (422, True)
    assert "firstName" not in text_of(shown).split("Save")[0]


def test_names_that_are_missing_are_told(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(["ada@fern.example,+49 170 1234567"], "Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "email", "c1": "number"})
    assert "These records will have no name." in text_of(client.get(path + "/check"))


def test_the_row_of_the_headers_can_be_chosen(scope: Cast, client: Any) -> None:
    path = begin(
        scope, client, csv_of(["ida@ivy.example,+49 170 1112224", "jan@jay.example,+49 170 1112225"], "Mail,Phone")
    )
    page = client.get(path + "/columns")
    assert re.search(r'name="headerRow" value="1" checked>Row 1</label></th><td>Mail</td>', html_of(page))
    client.post(path + "/columns", {"do": "reread", "headerRow": "0"})
    assert (Import.objects.get().header_row, len(Import.objects.get().headers)) == (0, 2)
    assert "How the file is read: no headers" in text_of(client.get(path + "/columns"))
    client.post(path + "/columns", {"do": "reread", "headerRow": "2"})
    assert Import.objects.get().headers[0] == "ida@ivy.example"


def test_rows_that_are_no_records_are_listed(scope: Cast, client: Any) -> None:
    footer = "Confidential Information - Do Not Distribute,,"
    lines = ["Ada,ada@fern.example,+49 170 1234567", "Bo,bo@fern.example,+49 170 1234568", ",,", footer]
    path = begin(scope, client, csv_of(lines, "Name,Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number"})
    checked = client.get(path + "/check")
    assert stats(checked) == ["2", "0", "0", "0", "1"]
    assert "1 row is no record and will not be imported: Row 5: Confidential Information" in text_of(checked)


def test_many_rows_that_are_no_records_are_counted(scope: Cast, client: Any) -> None:
    footers = [f"Source: report {number},," for number in range(24)]
    lines = ["Ada,ada@fern.example,+49 170 1234567", "Bo,bo@fern.example,+49 170 1234568", *footers]
    path = begin(scope, client, csv_of(lines, "Name,Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number"})
    checked = client.get(path + "/check")
    assert stats(checked) == ["2", "0", "0", "0", "24"]
    assert "Row 23: Source: report 19 and 4 more" in text_of(checked)
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    assert stats(client.get(path)) == ["2", "0", "0", "0", "24"]


@pytest.mark.parametrize("header", ["Country", "Mailing Land"])
def test_the_country_of_national_numbers_is_asked_for(scope: Cast, client: Any, header: str) -> None:
    lines = ["Ada,ada@fern.example,0170 1234567,Germany", "Bo,bo@fern.example,030 1234567,Deutschland"]
    path = begin(scope, client, csv_of([*lines, "Cy,cy@fern.example,+43 1 5134567,"], f"Name,Email,Phone,{header}"))
    columns = html_of(client.get(path + "/columns"))
    assert "Which country are phone numbers without a country code from?" in columns
    assert columns.count('name="country"') == 1
    assert '<option value="DE" selected>Germany</option>' in columns
    fed = {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number", "country": ""}
    client.post(path + "/columns", fed)
    checked = client.get(path + "/check")
    assert stats(checked) == ["1", "0", "0", "2"]
    assert '<option value="DE" selected>Germany</option>' in html_of(checked)
    assert "Choose a country first" in toast_of(client, client.post(path + "/check", {"do": "country", "country": ""}))
    client.post(path + "/check", {"do": "country", "country": "DE"})
    checked = client.get(path + "/check")
    assert stats(checked) == ["3", "0", "0", "0"]
    assert "Which country" not in text_of(checked)
    assert "Which country" not in text_of(client.get(path + "/columns"))


def test_the_file_may_name_another_country_than_the_company_has(scope: Cast, client: Any) -> None:
    lines = ["Pat,pat@dunn.example,(415) 555-0120,United States", "Lou,lou@ng.example,617 555 0131,USA"]
    path = begin(scope, client, csv_of(lines, "Name,Email,Phone,Country"))
    fed = {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number", "country": "GB"}
    client.post(path + "/columns", fed)
    checked = client.get(path + "/check")
    assert stats(checked) == ["0", "0", "0", "2"]
    assert '<option value="US" selected>United States</option>' in html_of(checked)
    client.post(path + "/check", {"do": "country", "country": "US"})
    assert stats(client.get(path + "/check")) == ["2", "0", "0", "0"]


def test_leads_without_numbers_are_offered_it_too(scope: Cast, client: Any) -> None:
    lines = ["a@fern.example,5", "b@fern.example,6"]
    path = begin(scope, client, csv_of(lines, "Email,Amount"), of="lead")
    client.post(path + "/columns", {"do": "check", "existing": "", "c0": "email", "c1": "value"})
    assert "Most refused rows have no phone number." in text_of(client.get(path + "/check"))
    client.post(path + "/check", {"do": "optional_number"})
    assert stats(client.get(path + "/check")) == ["2", "0", "0", "0"]


def test_unknown_values_are_named_once(scope: Cast, client: Any) -> None:
    lines = ["a@fern.example,Signed", "b@fern.example,new", "c@fern.example,Signed"]
    path = begin(scope, client, csv_of(lines, "Email,Deal Stage"), of="lead")
    client.post(path + "/columns", {"do": "check", "existing": "", "c0": "email", "c1": "status"})
    said = text_of(client.get(path + "/check"))
    assert "“Signed” in Deal Stage is no option of Status: 2 rows" in said
    assert "is not an option" not in said, "not again for each row"


def test_cards_have_no_headers_to_choose(scope: Cast, client: Any) -> None:
    card = b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Fern\r\nEMAIL:ada@fern.example\r\nEND:VCARD\r\n"
    path = begin(scope, client, card, name="ada.vcf")
    assert "How the file is read" not in text_of(client.get(path + "/columns"))


def test_a_quoted_cell_keeps_its_first_letter(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(["Tq,tq@sur example,+49 170 1234567"], "Name,Email,Phone"))
    client.post(path + "/columns", {"do": "check", "existing": "skip", "c0": "name", "c1": "email", "c2": "number"})
    said = text_of(client.get(path + "/check"))
    assert "tq@sur example" in said
    assert "Tq@sur" not in said


@pytest.mark.parametrize("status", ["queued", "running", "completed", "cancelled"])
@pytest.mark.parametrize("action", ["check", "reread", "optional_email", "optional_number"])
def test_columns_of_a_started_import_are_not_changed(scope: Cast, client: Any, action: str, status: str) -> None:
    path = begin(scope, client, csv_of(LINES, OUTLOOK)) + "/columns"
    before = Import.objects.get().column_mapping
    Import.objects.update(status=status)
    answer = client.post(path, {"do": action, "c1": "email"})
    assert answer.status_code in (303, 409)
    assert Import.objects.get().status == status
    assert Import.objects.get().column_mapping == before


@pytest.mark.parametrize("kind", IMPORT_KINDS, ids=lambda kind: kind.name)
def test_the_page_offers_every_field_of_an_import(kind: Kind) -> None:
    import_type = IMPORT_TYPES[kind.name]
    fields = {spec.key for spec in (*import_type.fields, *import_type.names)}
    assert fields
    assert fields - kind.targets.keys() == set()


def test_the_columns_of_a_leads_place_are_kept(scope: Cast, client: Any) -> None:
    stages = stage_ids(make_pipeline(scope, "Renewals"))
    reason = LostReason.objects.create(name="Budget")
    header = "Name,Email,Phone,Pipeline,Stage,Close date,Lost reason"
    lines = [
        "Ada,ada@fern.example,+49 170 1234567,Renewals,offered,2031-04-30,",
        "Bo,bo@fern.example,+49 170 1234568,Renewals,Gone,,Budget",
    ]
    path = begin(scope, client, csv_of(lines, header), "lead")
    page = client.get(path + "/columns")
    assert proposed(page) == {
        "Name": "Full name",
        "Email": "Email",
        "Phone": "Phone number",
        "Pipeline": "Pipeline",
        "Stage": "Stage",
        "Close date": "Expected close",
        "Lost reason": "Reason for loss",
    }
    sent = client.post(path + "/columns", {"do": "check", "existing": "", **chosen(page)})
    assert sent["Location"] == path + "/check"
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    leads = {lead.contact.email: lead for lead in Lead.objects.select_related("contact")}
    assert leads["ada@fern.example"].stage_id == stages["Offered"]
    assert leads["ada@fern.example"].expected_close_at is not None
    assert leads["bo@fern.example"].stage_id == stages["Gone"]
    assert leads["bo@fern.example"].lost_reason == reason
