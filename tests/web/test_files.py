"""The pages of files, exports and the recycle bin."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.jobs import WORK
from core.text.labels.list_names import NAMES
from crm.exports.sources import SOURCES
from crm.models import Contact, Export, File
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = "<script>alert(1)<%2Fscript>.csv"


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def upload(cast: Cast, client: Any, *names: str) -> Any:
    files = [SimpleUploadedFile(name, b"Name,Email\nAnn,ann@example.org\n") for name in names]
    return client.post(at(cast.owner, "files/new"), {"do": "upload", "file": files})


def test_files_are_uploaded_renamed_deleted_and_brought_back(scope: Cast, client: Any) -> None:
    assert upload(scope, client, "one.csv", "two.csv", EVIL)["Location"] == at(scope.owner, "files")
    page = client.get(at(scope.owner, "files"))
    assert "one.csv" in text_of(page)
    assert "<script>alert" not in html_of(page)
    assert "one.csv" not in text_of(client.get(at(scope.owner, "files?q=two")))
    one, two = File.objects.get(name="one.csv"), File.objects.get(name="two.csv")
    path = at(scope.owner, f"files/{one.pk}")
    assert "File renamed" in toast_of(client, client.post(path, {"do": "save", "name": "fair"}))
    assert "fair.csv" in text_of(client.get(path))
    wrong = client.post(path, {"do": "save", "name": ""})
    assert (wrong.status_code, 'id="f-name-error"' in html_of(wrong)) == (422, True)
    assert f"imports/new?file={one.pk}" in html_of(client.get(path))
    begun = client.post(at(scope.owner, "imports/new"), {"do": "use", "of": "contact", "file": one.pk})
    assert begun["Location"].endswith("/columns")
    client.post(path, {"do": "delete"})
    client.post(at(scope.owner, "files"), {"do": "delete", "ids": [two.pk]})
    bin_path = at(scope.owner, "recycle-bin/files")
    assert "2 files" in text_of(client.get(bin_path))
    assert "In the recycle bin" in text_of(client.get(path))
    restored = client.post(bin_path, {"do": "restore", "ids": [one.pk]})
    assert "Restored 1 file" in toast_of(client, restored)
    client.post(bin_path, {"do": "empty"})
    assert "The recycle bin is empty" in text_of(client.get(bin_path))
    assert File.objects.get(pk=two.pk).is_deleted
    empty = client.post(at(scope.owner, "files/new"), {"do": "upload", "file": SimpleUploadedFile("x", b"")})
    assert (empty.status_code, "X has no content" in text_of(empty) or "no content" in text_of(empty)) == (422, True)


def test_contacts_are_exported_as_they_are_filtered(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann Lee")
    ContactFactory(name="Bob Ray")
    assert 'value="export"' in html_of(client.get(at(scope.owner, "contacts")))
    made = client.post(at(scope.owner, "contacts?q=ann&sort=-name"), {"do": "export", "format": "xlsx"})
    export = Export.objects.get()
    assert made["Location"] == at(scope.owner, f"exports/{export.pk}")
    assert (export.format, export.query) == (
        "xlsx",
        {"searchValue": "ann", "sortBy": "name", "sortOrder": "desc"},
    )
    moving = client.get(made["Location"])
    assert 'hx-trigger="every 1s"' in html_of(moving)
    WORK["export"].drain(float("inf"))
    ready = client.get(made["Location"])
    assert "1 row in contact-" in text_of(ready)
    assert re.search(r'href="[^"]+/files/[^"]+" download', html_of(ready))
    listed = client.get(at(scope.owner, "exports"))
    assert "Contacts filtered" in text_of(listed)
    assert "Export deleted" in toast_of(client, client.post(made["Location"], {"do": "delete"}))
    assert "No exports yet" in text_of(client.get(at(scope.owner, "exports")))


def test_deleted_contacts_and_leads_come_back(scope: Cast, client: Any) -> None:
    kept, one, two = (ContactFactory(name=name) for name in ("Kept", "One", "Two"))
    lead = scope.session.post("/lead", {"contact": kept.pk}).data["_id"]
    scope.session.delete("/contact", {"ids": [one.pk, two.pk]})
    scope.session.delete("/lead", {"ids": [lead]})
    path = at(scope.owner, "recycle-bin")
    found = text_of(client.get(path))
    assert ("One" in found, "Two" in found, "Kept" in found) == (True, True, False)
    restored = client.post(path + "?q=two", {"do": "restore", "all": "1"})
    assert "Restored 1 contact" in toast_of(client, restored)
    assert list(Contact.objects.filter(is_deleted=True).values_list("name", flat=True)) == ["One"]
    leads = path + "/leads"
    assert "Kept" in text_of(client.get(leads))
    assert "Restored 1 lead" in toast_of(client, client.post(leads, {"do": "restore", "ids": [lead]}))


def test_nobody_does_what_their_role_may_not(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Gone")
    scope.session.delete("/contact", {"ids": [contact.pk]})
    viewer = enter(scope.narrow)  # may read contacts, and no files
    shown = html_of(viewer.get(at(scope.narrow, "recycle-bin")))
    assert ("Gone" in shown, 'name="do"' in shown) == (True, False)
    refused = viewer.post(at(scope.narrow, "recycle-bin"), {"do": "restore", "ids": [contact.pk]})
    assert 'class="toast bad"' in toast_of(viewer, refused)
    assert 'value="export"' not in html_of(viewer.get(at(scope.narrow, "contacts")))
    assert 'class="toast bad"' in toast_of(viewer, viewer.post(at(scope.narrow, "contacts"), {"do": "export"}))
    for page in ("files", "files/new", "exports", "recycle-bin/files"):
        assert viewer.get(at(scope.narrow, page)).status_code == 403
    assert not Export.objects.exists()


def test_exports_are_named_in_words() -> None:
    resources = [resource for resource in SOURCES if not resource.startswith("logs/")]
    assert len(resources) > 20
    assert {resource for resource in resources if resource not in NAMES} == set()
