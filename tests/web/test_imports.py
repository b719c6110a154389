"""The pages of imports, from the file to the outcome, and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from crm.models import BulkJob, Contact, CustomField, Import, Lead
from tests.crm.bulk_jobs import helpers as jobs
from tests.crm.imports import helpers
from tests.crm.imports.helpers import HEADER, csv_of, people
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

ALL = ("GET", "POST", "PUT", "DELETE")
EVIL = '"><script>alert(1)</script>'
CHOSEN = {"c0": "name", "c1": "email", "c2": "countryCode", "c3": "number", "existing": "skip"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def begin(cast: Cast, client: Any, content: bytes, of: str = "contact", name: str = "people.csv") -> str:
    """Upload a file by the first page. Returns the address of the import."""
    sent = {"do": "upload", "of": of, "file": SimpleUploadedFile(name, content)}
    made = client.post(at(cast.owner, "imports/new"), sent)
    assert made.status_code == 303, text_of(made)
    return str(made["Location"]).removesuffix("/columns")


def stats(page: Any) -> list[str]:
    return re.findall(r'stat-value num">([^<]*)<', html_of(page))


def test_a_file_becomes_contacts_and_is_undone(scope: Cast, client: Any) -> None:
    tag = TagFactory(name="Fair")
    lines = [*people(2), *people(1), "Bad,nobody,+49,15112345679"]
    path = begin(scope, client, csv_of(lines))
    columns = client.get(path + "/columns")
    page = html_of(columns)
    assert re.search(r'<option value="email" selected>Email</option>', page)
    assert "person1@example.org · person2@example.org · nobody" in page
    sent = client.post(path + "/columns", {"do": "check", **CHOSEN, "tags": [tag.pk], "rowFrom": "2"})
    assert (sent.status_code, sent["Location"]) == (303, path + "/check")
    checked = client.get(path + "/check")
    assert stats(checked) == ["2", "0", "1", "1"]
    assert "Enter one like name@example.com." in text_of(checked)
    taken = "Another contact has person1@example.org already."
    assert f"{taken} The record comes from an earlier row of the file." in text_of(checked)
    assert ">Import 2 contacts</button>" in html_of(checked)
    assert Contact.objects.count() == 0
    started = client.post(path + "/check", {"do": "start"})
    assert started["Location"] == path
    assert 'hx-trigger="every 1s"' in html_of(client.get(path))
    assert "This import has started" in text_of(client.get(path + "/columns"))
    assert "This import has started" in text_of(client.get(path + "/check"))
    helpers.work()
    done = client.get(path)
    assert "4 rows: 2 created, 1 duplicate skipped, 1 refused." in text_of(done)
    assert stats(done) == ["2", "0", "1", "1"]
    assert "every 1s" not in html_of(done)
    assert Contact.objects.filter(tag_links__tag=tag).count() == 2
    assert "people.csv" in text_of(client.get(at(scope.owner, "imports")))
    rows = client.post(path, {"do": "download"})
    assert b"Bad,nobody" in b"".join(rows.streaming_content)
    assert taken in text_of(done)
    assert ">Show contact</a>" in html_of(done)
    ContactFactory(name="Somebody else")
    link = re.search(r'href="([^"]+)">Show contacts<', html_of(done))
    listed = text_of(client.get(link[1]))
    assert ("Import is people.csv" in listed, "Person 2" in listed, "Somebody else" in listed) == (True, True, False)
    undone = client.post(path, {"do": "undo"})
    assert "Undoing the import" in toast_of(client, undone)
    assert BulkJob.objects.get().undoes_import_id == Import.objects.get().pk
    assert "Undoing." in text_of(client.get(path))
    assert 'value="undo"' not in html_of(client.get(path))
    jobs.work()
    after = client.get(path)
    assert "Undone. Removed: 2 records. Show progress" in text_of(after)
    assert stats(after) == ["2"]
    assert "Undone 2 0 1 1" in text_of(client.get(at(scope.owner, "imports"))), "in the list, what it did then"
    assert f"{taken} The record was deleted." in text_of(after)
    assert not re.search("Show contact", text_of(after)), "they are gone"


def test_rows_are_mended_on_the_page(scope: Cast, client: Any) -> None:
    hostile = "'><script>alert(1)</script>,nobody,+49,15112345678"
    lines = [*people(1), hostile, "Bob,bob@,+49,15112345679", "Cleo,x,+49,1"]
    path = begin(scope, client, csv_of([*lines, *people(1)]))
    client.post(path + "/columns", {"do": "check", **CHOSEN})
    client.post(path + "/check", {"do": "start"})
    assert 'value="mend"' not in html_of(client.get(path)), "it is at work"
    helpers.work()
    page = html_of(client.get(path))
    assert re.search(r'name="r4.c1"[^>]* value="bob@"[^>]* aria-describedby="f-r4.c1-error"', page)
    assert ("<script>alert" in page, page.count('name="row"')) == (False, 4)
    assert '<input type="hidden" name="do" value="mend">' in page
    # One row is saved, and what was typed into another one stays.
    typed = {"do": "mend", "r3.c1": "ann@example.org", "r4.c1": "bob@example.org", "r5.c1": "y"}
    one = client.post(path, {**typed, "row": "3"})
    shown = html_of(one)
    assert (one.status_code, "1 row: 1 created" in text_of(one)) == (200, True)
    assert 'name="r3.c1"' not in shown
    assert re.search(r'name="r4.c1"[^>]* value="bob@example.org"', shown)
    assert "Not saved yet" in text_of(one)
    rest = toast_of(client, client.post(path, typed))
    assert ("2 rows: 1 created, 1 still wrong" in rest, 'class="toast bad"' in rest) == (True, True)
    done = client.get(path)
    assert stats(done) == ["3", "0", "1", "1"]
    assert 'name="r6.c1"' in html_of(done), "the skipped one"
    assert "No more rows to fix" in toast_of(client, client.post(path, {"do": "mend", "row": "3"}))
    # Whoever reads alone sees the rows and mends none.
    viewer = enter(scope.narrow)
    assert "Row 5" in text_of(viewer.get(path))
    assert 'name="row"' not in html_of(viewer.get(path))
    assert 'class="toast bad"' in toast_of(viewer, viewer.post(path, {**typed, "row": "5"}))
    client.post(path, {"do": "undo"})
    assert 'name="row"' not in html_of(client.get(path))


def test_only_rows_that_were_changed_are_saved(scope: Cast, client: Any) -> None:
    CustomField.objects.filter(panel="contact", is_system=True).update(required=False)
    footers = ["", "", "Confidential Information - Do Not Distribute", "Copyright 2026 fern.example"]
    path = begin(scope, client, csv_of([*people(2), "Bob,bob@,+49,15112345679", "Cleo,x,+49,1", *footers]))
    client.post(path + "/columns", {"do": "check", **CHOSEN})
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    page = client.get(path)
    assert "6 rows: 2 created, 2 refused, 2 not records." in text_of(page)
    assert stats(page) == ["2", "0", "0", "2", "2"]
    assert "2 rows are no records" in text_of(page)
    said = text_of(page)
    assert "Row 8 Confidential Information - Do Not Distribute Import this row anyway" in said
    assert said.index("Row 8 Conf") < said.index("Row 9 Copyright"), "in the file's order"
    shown = dict(re.findall(r'name="(r\d+\.c\d+)"[^>]* value="([^"]*)"', html_of(page)))
    assert {name.partition(".")[0] for name in shown} == {"r4", "r5"}, "titles and footers have no form"
    untouched = client.post(path, {"do": "mend", **shown})
    assert "Change a value first" in toast_of(client, untouched)
    client.post(path, {"do": "mend", **shown, "r4.c1": "bob@example.org"})
    assert set(Contact.objects.values_list("name", flat=True)) == {"Person 1", "Person 2", "Bob"}
    assert "1 row: 1 created" in toast_of(client, client.post(path, {"do": "mend", "row": "9"}))
    assert Contact.objects.filter(name="Copyright 2026 fern.example").exists(), "somebody asked for it"
    assert stats(client.get(path)) == ["4", "0", "0", "1", "1"]


def test_columns_become_new_fields(scope: Cast, client: Any) -> None:
    lines = [f"{line},{number},2026-01-0{number},red" for number, line in enumerate(people(2), 1)]
    path = begin(scope, client, csv_of(lines, HEADER + ",Seats,Since,Colour"))
    assert "New field (number)" in text_of(client.get(path + "/columns"))
    wanted = {"do": "check", **CHOSEN, "c4": "+", "c5": "+"}
    assert client.post(path + "/columns", wanted)["Location"] == path + "/check"
    assert stats(client.get(path + "/check")) == ["2", "0", "0", "0"]
    assert not CustomField.objects.filter(is_system=False).exists(), "nothing is saved by the check"
    shown = html_of(client.get(path + "/columns"))
    assert shown.count('<option value="+" selected>') == 2, "the choice stands"
    client.post(path + "/check", {"do": "start"})
    found = dict(CustomField.objects.filter(name__in=("Seats", "Since")).values_list("name", "field_type"))
    assert found == {"Seats": "number", "Since": "date"}
    helpers.work()
    keys = dict(CustomField.objects.filter(name__in=found).values_list("name", "unique_field_id"))
    assert {one.custom[keys["Seats"]] for one in Contact.objects.all()} == {1, 2}
    client.post(path, {"do": "undo"})
    jobs.work()
    Contact.objects.filter(email="person2@example.org").update(is_deleted=False)  # restored, with its values
    assert "Unused fields" not in text_of(client.get(path))
    Contact.objects.update(is_deleted=True)
    assert "and empty now: Seats, Since" in text_of(client.get(path))
    assert 'value="remove_fields"' not in html_of(enter(scope.narrow).get(path))
    assert "Fields removed" in toast_of(client, client.post(path, {"do": "remove_fields"}))
    assert not CustomField.objects.filter(name__in=found).exists()
    assert "No empty fields left" in toast_of(client, client.post(path, {"do": "remove_fields"}))
    again = begin(scope, client, csv_of(lines, HEADER + ",Seats,Since,Colour"))
    other = begin(scope, client, csv_of(lines, HEADER + ",Seats,Since,Colour"))
    for each in (again, other):  # both are set up before either starts
        assert client.post(each + "/columns", {"do": "check", **CHOSEN, "c4": "+"}).status_code == 303
    for each in (again, other):
        assert client.post(each + "/check", {"do": "start"})["Location"] == each
    assert CustomField.objects.filter(name__startswith="Seats").count() == 1, "the field is used again"
    viewer = enter(MemberFactory(status="accepted", role=RoleFactory(permission={"contact": dict.fromkeys(ALL, True)})))
    again = begin(scope, client, csv_of(lines, HEADER + ",Seats,Since,Colour"))
    assert "New field" not in text_of(viewer.get(again + "/columns"))
    assert viewer.post(again + "/columns", {"do": "check", **CHOSEN, "c4": "+"}).status_code == 422


def test_a_column_is_guessed_by_its_name_and_doubted_by_its_values(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of([f"{line.partition(',')[0]},soon,+49,151" for line in people(3)]))
    page = client.get(path + "/columns")
    assert re.search(r'<option value="email" selected>Email</option>', html_of(page))
    assert "Email soon No email addresses found. Is this the right column?" in text_of(page)


def test_workflows_can_be_left_out(scope: Cast, client: Any) -> None:
    for sent, automation in (({}, True), ({"quiet": "on"}, False)):
        file = SimpleUploadedFile("people.csv", csv_of(people(1)))
        client.post(at(scope.owner, "imports/new"), {"do": "upload", "of": "contact", "file": file, **sent})
        assert Import.objects.latest("created_at").automation is automation


def test_leads_come_by_the_same_pages(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of([f"{line},5" for line in people(1)], HEADER + ",Value"), of="lead")
    sent = client.post(path + "/columns", {"do": "check", **CHOSEN, "existing": "", "c4": "value"})
    assert sent["Location"] == path + "/check"
    assert stats(client.get(path + "/check")) == ["1", "0", "0", "0"]
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    assert Lead.objects.get().value == 5
    link = re.search(r'href="([^"]+)">Show leads<', html_of(client.get(path)))
    assert "Import is people.csv" in text_of(client.get(link[1]))
    assert "1 created" in text_of(client.get(path))
    assert "people.csv" in text_of(client.get(at(scope.owner, "imports/leads")))
    assert "No imports yet" in text_of(client.get(at(scope.owner, "imports")))


def test_what_is_wrong_stands_at_its_place(scope: Cast, client: Any, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 5000
    new = at(scope.owner, "imports/new")
    assert "Choose a file first" in text_of(client.post(new, {"do": "upload", "of": "contact"}))
    for content, words in (
        (b"", "has no content"),
        (b"Name,Email\n", "row"),
        (b"\x7fELF" + bytes(99), "allowed types"),
        (b"x" * 5001, "at most 4.9 KB"),
    ):
        refused = client.post(new, {"do": "upload", "file": SimpleUploadedFile("x.csv", content)})
        assert (refused.status_code, words in text_of(refused)) == (422, True), text_of(refused)
    path = begin(scope, client, csv_of(people(1)))
    twice = client.post(path + "/columns", {"do": "check", **CHOSEN, "c3": "name"})
    assert (twice.status_code, text_of(twice).count("Two columns become this field")) == (422, 2)
    nothing = client.post(path + "/columns", {"do": "check", "existing": "skip"})
    assert "Choose what at least one column becomes." in text_of(nothing)
    wrong = client.post(path + "/columns", {"do": "check", **CHOSEN, "dateFormat": "nonsense"})
    assert (wrong.status_code, 'id="f-dateFormat-error"' in html_of(wrong)) == (422, True)
    client.post(path + "/columns", {"do": "check", **CHOSEN, "c2": ""})
    said = text_of(client.get(path + "/check"))
    assert "has no country code. Enter the number with its country code, for example +49 170 1234567." in said
    assert ("Country code: is missing" in said, "countryCode" in said) == (False, False)
    assert "Continue to fix these rows" in said
    client.post(path + "/columns", {"do": "check", **CHOSEN, "c1": ""})
    lacking = text_of(client.get(path + "/check"))
    assert "Country code" not in lacking
    assert "Choose a column for Email: all records need a value." in lacking
    for id in (new_id(), "x", "é"):
        assert client.get(at(scope.owner, f"imports/{id}")).status_code == 404


def test_an_import_is_paused_resumed_cancelled_and_deleted(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(people(2)))
    for action, status in (("start", "queued"), ("pause", "paused"), ("start", "queued"), ("cancel", "cancelled")):
        assert client.post(path, {"do": action})["Location"] == path
        assert Import.objects.get().status == status, action
    assert 'class="toast bad"' in toast_of(client, client.post(path, {"do": "pause"}))
    assert "Cancelled" in text_of(client.get(path))
    assert "Import deleted" in toast_of(client, client.post(path, {"do": "delete"}))
    assert client.get(path).status_code == 404


def test_the_file_is_read_anew_with_another_sign(scope: Cast, client: Any) -> None:
    path = begin(scope, client, b"Name|Email;x\nAnn|ann@example.org;1\n")
    client.post(path + "/columns", {"do": "reread", "delimiter": ";"})
    assert Import.objects.get().headers == ["Name|Email", "x"]
    client.post(path + "/columns", {"do": "reread", "delimiter": "|"})
    assert Import.objects.get().headers == ["Name", "Email;x"]


def test_nobody_imports_without_the_right(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(people(1)))
    viewer = enter(scope.narrow)  # may read contacts
    for page in ("imports", "imports/new", path, path + "/columns", path + "/check"):
        shown = viewer.get(page if page.startswith("/") else at(scope.narrow, page))
        assert shown.status_code == 200
        assert not re.findall(r'name="do"', html_of(shown)), page
    sent = {"do": "upload", "of": "contact", "file": SimpleUploadedFile("x.csv", csv_of(people(1)))}
    assert viewer.post(at(scope.narrow, "imports/new"), sent).status_code == 422
    assert viewer.post(path + "/columns", {"do": "check", **CHOSEN}).status_code == 422
    for action in ("start", "cancel", "undo", "delete"):
        assert 'class="toast bad"' in toast_of(viewer, viewer.post(path, {"do": action}))
    assert Import.objects.get().status == "paused"


def test_who_reads_leads_alone_gets_to_their_imports(db: None) -> None:
    cast = make_cast({"lead": {"GET": True}})
    client = enter(cast.narrow)
    assert client.get(at(cast.narrow, "imports"))["Location"] == at(cast.narrow, "imports/leads")
    assert client.get(at(cast.narrow, "imports/leads")).status_code == 200


def test_hostile_files_stay_text_and_pages_ask_little(scope: Cast, client: Any) -> None:
    lines = [f'"{EVIL.replace(chr(34), chr(34) * 2)}",nobody,+49,12', *people(1)]
    quoted = '"' + EVIL.replace('"', '""') + '"'
    path = begin(scope, client, csv_of(lines, f"{quoted},Email,Country code,Phone"), name=f"{EVIL}.csv")
    client.post(path + "/columns", {"do": "check", **CHOSEN})
    pages = [path + "/columns", path + "/check", path, at(scope.owner, "imports")]
    for page in pages[:2]:
        assert "<script>alert" not in html_of(client.get(page))
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    for page in pages:
        with CaptureQueriesContext(connection) as queries:
            shown = html_of(client.get(page))
        assert "<script>alert" not in shown
        assert len(queries) <= 20, [query["sql"][:90] for query in queries]


@pytest.mark.parametrize(
    ("of", "place", "records"),
    [
        ("", "contacts", "contacts"),
        ("contact", "contacts", "contacts"),
        ("lead", "leads", "leads"),
        ("organization", "contacts", "organizations"),
        ("what", "contacts", "contacts"),
    ],
)
def test_an_import_belongs_to_the_place_of_its_records(
    scope: Cast, client: Any, of: str, place: str, records: str
) -> None:
    pages = [at(scope.owner, f"imports/new?of={of}")]
    if of in ("contact", "lead", "organization"):
        path = begin(scope, client, csv_of(people(1)), of=of)
        pages += [path, path + "/columns", path + "/check"]
    for page in pages:
        html = html_of(client.get(page))
        side = html[html.index('<nav class="side') :].partition("</nav>")[0]
        current = re.findall(r'href="([^"]+)"[^>]*aria-current="(?:page|true)"', side)
        assert (current, 'id="settings-list"' in html) == ([at(scope.owner, place)], False), page
    header = html_of(client.get(pages[0])).partition('<header class="top">')[2].partition("<h1>")[0]
    assert f'href="{at(scope.owner, records)}"' in header
