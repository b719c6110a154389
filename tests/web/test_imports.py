"""The pages of imports, from the file to the outcome, and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from crm.models import BulkJob, Contact, Import, Lead
from tests.crm.imports import helpers
from tests.crm.imports.helpers import HEADER, csv_of, people
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.web.helpers import at, enter, text_of, toast_of

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
    return str(made["Location"]).removesuffix("/columns?new=1")


def stats(page: Any) -> list[str]:
    return re.findall(r'stat-value num">([^<]*)<', page.content.decode())


def test_a_file_becomes_contacts_and_is_undone(scope: Cast, client: Any) -> None:
    tag = TagFactory(name="Fair")
    lines = [*people(2), *people(1), "Bad,nobody,+49,15112345679"]
    path = begin(scope, client, csv_of(lines))
    columns = client.get(path + "/columns?new=1")
    page = columns.content.decode()
    assert re.search(r'<option value="email" selected>E-mail</option>', page)
    assert "person1@example.org · person2@example.org · nobody" in page
    assert page.count(">guessed<") == 4
    sent = client.post(path + "/columns", {"do": "check", **CHOSEN, "tags": [tag.pk], "rowFrom": "2"})
    assert (sent.status_code, sent["Location"]) == (303, path + "/check")
    checked = client.get(path + "/check")
    assert stats(checked) == ["2", "0", "1", "1"]
    assert "Write one like name@example.com." in text_of(checked)
    assert "Another contact has person1@example.org already." in text_of(checked)
    assert not re.search(r"\b[0-9a-f]{24} has", text_of(checked))
    assert Contact.objects.count() == 0
    started = client.post(path + "/check", {"do": "start"})
    assert started["Location"] == path
    assert 'hx-trigger="every 1s"' in client.get(path).content.decode()
    assert "This import has begun" in text_of(client.get(path + "/columns"))
    assert "This import has begun" in text_of(client.get(path + "/check"))
    helpers.work()
    done = client.get(path)
    assert "4 rows: 2 created, 1 skipped because they exist, 1 refused." in text_of(done)
    assert stats(done) == ["2", "0", "1", "1"]
    assert "hx-trigger" not in done.content.decode()
    assert Contact.objects.filter(tag_links__tag=tag).count() == 2
    assert "people.csv" in text_of(client.get(at(scope.owner, "imports")))
    rows = client.post(path, {"do": "download"})
    assert b"Bad,nobody" in b"".join(rows.streaming_content)
    undone = client.post(path, {"do": "undo"})
    assert "Undoing the import" in toast_of(client, undone)
    assert BulkJob.objects.get().undoes_import_id == Import.objects.get().pk
    assert "It is being undone." in text_of(client.get(path))
    assert 'value="undo"' not in client.get(path).content.decode()


def test_leads_come_by_the_same_pages(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of([f"{line},5" for line in people(1)], HEADER + ",Value"), of="lead")
    sent = client.post(path + "/columns", {"do": "check", **CHOSEN, "existing": "", "c4": "value"})
    assert sent["Location"] == path + "/check"
    assert stats(client.get(path + "/check")) == ["1", "0", "0", "0"]
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    assert Lead.objects.get().value == 5
    assert "1 created" in text_of(client.get(path))
    assert "people.csv" in text_of(client.get(at(scope.owner, "imports/leads")))
    assert "No imports yet" in text_of(client.get(at(scope.owner, "imports")))


def test_what_is_wrong_stands_at_its_place(scope: Cast, client: Any) -> None:
    new = at(scope.owner, "imports/new")
    assert "Choose a file first" in text_of(client.post(new, {"do": "upload", "of": "contact"}))
    for content, words in (
        (b"", "has no content"),
        (b"Name,Email\n", "row"),
        (b"\x7fELF" + bytes(99), "allowed types"),
    ):
        refused = client.post(new, {"do": "upload", "file": SimpleUploadedFile("x.csv", content)})
        assert (refused.status_code, words in text_of(refused)) == (422, True), text_of(refused)
    path = begin(scope, client, csv_of(people(1)))
    twice = client.post(path + "/columns", {"do": "check", **CHOSEN, "c3": "email"})
    assert (twice.status_code, text_of(twice).count("Another column goes there too")) == (422, 2)
    nothing = client.post(path + "/columns", {"do": "check", "existing": "skip"})
    assert "Choose what at least one column becomes." in text_of(nothing)
    wrong = client.post(path + "/columns", {"do": "check", **CHOSEN, "dateFormat": "nonsense"})
    assert (wrong.status_code, 'id="f-dateFormat-error"' in wrong.content.decode()) == (422, True)
    client.post(path + "/columns", {"do": "check", **CHOSEN, "c1": ""})
    lacking = text_of(client.get(path + "/check"))
    assert "No column goes to E-mail, which every one of the contacts needs." in lacking
    for id in (new_id(), "x", "é"):
        assert client.get(at(scope.owner, f"imports/{id}")).status_code == 404


def test_an_import_is_paused_resumed_cancelled_and_deleted(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(people(2)))
    for deed, status in (("start", "queued"), ("pause", "paused"), ("start", "queued"), ("cancel", "cancelled")):
        assert client.post(path, {"do": deed})["Location"] == path
        assert Import.objects.get().status == status, deed
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
        assert not re.findall(r'name="do"', shown.content.decode()), page
    sent = {"do": "upload", "of": "contact", "file": SimpleUploadedFile("x.csv", csv_of(people(1)))}
    assert viewer.post(at(scope.narrow, "imports/new"), sent).status_code == 422
    assert viewer.post(path + "/columns", {"do": "check", **CHOSEN}).status_code == 422
    for deed in ("start", "cancel", "undo", "delete"):
        assert 'class="toast bad"' in toast_of(viewer, viewer.post(path, {"do": deed}))
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
        assert "<script>alert" not in client.get(page).content.decode()
    client.post(path + "/check", {"do": "start"})
    helpers.work()
    for page in pages:
        with CaptureQueriesContext(connection) as queries:
            shown = client.get(page).content.decode()
        assert "<script>alert" not in shown
        assert len(queries) <= 20, [query["sql"][:90] for query in queries]
