"""Imports that make organizations, and /organization/import"""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Contact, Import, Lead, Organization
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import add_field, form
from tests.crm.imports.helpers import MAPPING, counts, run, upload, work
from tests.crm.organizations.helpers import events, organization
from tests.kit.cast import Cast

HEADER = b"Name,Email,Country code,Phone,Company\n"


def rows(*companies: str) -> bytes:
    lines = [f"P{n},p{n}@acme.test,+49,15100000{n:03},{company}" for n, company in enumerate(companies)]
    return HEADER + "\n".join(lines).encode()


def employers(cast: Cast) -> dict[str, str | None]:
    with cast.scope():
        return dict(Contact.objects.order_by("email").values_list("email", "organization__name"))


def undo(cast: Cast, path: str, id: str) -> Any:
    answer = cast.session.post(f"/{path}/import/{id}/undo", {})
    assert answer.status == 201, answer.body
    return done(cast, answer.data["_id"])


@pytest.mark.parametrize("target", ["company", "organization"])
def test_a_column_makes_and_finds_organizations(cast: Cast, target: str) -> None:
    with cast.scope():
        add_field("company")
    beta = organization(cast, "Beta GmbH")["_id"]
    job = run(cast, rows("Acme", "ACME Ltd.", "beta", ""), columnMapping={**MAPPING, "Company": target})
    assert counts(job) == ("completed", 4, 4, 0, 0, 0)
    assert list(employers(cast).values()) == ["Acme", "Acme", "Beta GmbH", None]
    with cast.scope():
        custom = Contact.objects.get(email="p1@acme.test").custom
        assert custom == ({"company": "ACME Ltd."} if target == "company" else {})
        made = Organization.objects.get(name="Acme")
        assert (made.import_job_id, made.domain) == (job["_id"], "acme.test")
    assert [id for kind, id, _ in events(cast) if kind == "organization.created"] == [beta, made.pk]
    undone = undo(cast, "contact", job["_id"])
    assert undone["status"] == "completed"
    assert cast.key.get("/contact").data == []
    assert [row["_id"] for row in cast.key.get("/organization").data] == [beta]


def test_undo_keeps_what_others_use(cast: Cast) -> None:
    job = run(cast, rows("Acme"), columnMapping={**MAPPING, "Company": "organization"})
    acme = cast.key.get("/organization").data[0]["_id"]
    cast.key.post("/contact", {"formData": form(70), "organization": acme})
    undo(cast, "contact", job["_id"])
    assert [row["_id"] for row in cast.key.get("/organization").data] == [acme]


def test_rows_that_make_no_contact_make_no_organization(cast: Cast) -> None:
    mapping = {**MAPPING, "Company": "organization"}
    run(cast, rows("Acme"), columnMapping=mapping)
    again = run(cast, rows("Other"), columnMapping=mapping)
    assert counts(again) == ("completed", 1, 0, 0, 1, 0)
    assert [row["name"] for row in cast.key.get("/organization").data] == ["Acme"]
    assert len([kind for kind, *_ in events(cast) if kind == "organization.created"]) == 1
    updated = run(cast, rows("Other"), columnMapping=mapping, options={"existing": "update"})
    assert counts(updated) == ("completed", 1, 0, 1, 0, 0)
    assert list(employers(cast).values()) == ["Other"]
    undo(cast, "contact", updated["_id"])
    assert list(employers(cast).values()) == ["Acme"]
    assert [row["name"] for row in cast.key.get("/organization").data] == ["Acme"]


def test_proposals(cast: Cast) -> None:
    file = upload(cast, rows("Acme").replace(b"Company", b"Organization"))
    made = cast.key.post("/contact/import", {"importType": "contact", "fileId": file}).data["import"]
    assert made["columnMapping"]["Organization"] == "organization"


def test_leads(cast: Cast) -> None:
    file = upload(cast, rows("Acme", "Beta"))
    body = {
        "importType": "lead",
        "fileId": file,
        "pauseImport": False,
        "columnMapping": {**MAPPING, "Company": "organization"},
    }
    made = cast.key.post("/lead/import", body).data["import"]
    work()
    with cast.scope():
        assert list(Lead.objects.order_by("pk").values_list("organization__name", flat=True)) == ["Acme", "Beta"]
    assert list(employers(cast).values()) == ["Acme", "Beta"]
    undo(cast, "lead", made["_id"])
    assert cast.key.get("/organization").data == cast.key.get("/contact").data == []


def run_organizations(cast: Cast, content: bytes, **body: Any) -> Any:
    file = upload(cast, content, "firms.csv")
    answer = cast.session.post(
        "/organization/import", {"importType": "organization", "fileId": file, "pauseImport": False, **body}
    )
    assert answer.status == 201, answer.body
    work()
    return cast.session.get(f"/organization/import/{answer.data['import']['_id']}").data


def test_import_of_organizations(cast: Cast) -> None:
    with cast.scope():
        add_field("industry", panel="organization")
    organization(cast, "Beta", industry="Wood")
    content = (
        b"Company name,Website,Owner,Industry,Tags\n"
        b"Acme Ltd,https://www.acme.test/,%s,Steel,Big\n"
        b"ACME,acme.test,,Wood,\nBeta Inc,beta.test,,Paper,\nGamma,no domain,,,\n"
    ) % cast.owner.email.encode()
    job = run_organizations(cast, content)
    assert counts(job) == ("completed", 4, 1, 0, 2, 1)
    acme = next(row for row in cast.key.get("/organization").data if row["name"] == "Acme Ltd")
    assert (acme["domain"], acme["owner"]["_id"], acme["formData"]["industry"]) == ("acme.test", cast.owner.pk, "Steel")
    assert acme["tags"][0]["name"] == "Big"
    assert acme["importId"] == job["_id"]
    updating = run_organizations(cast, content, options={"existing": "update"})
    assert counts(updating) == ("completed", 4, 0, 3, 0, 1)
    beta = next(row for row in cast.key.get("/organization").data if row["name"] == "Beta Inc")
    assert (beta["domain"], beta["formData"]["industry"]) == ("beta.test", "Paper")
    assert undo(cast, "organization", updating["_id"])["status"] == "completed"
    assert undo(cast, "organization", job["_id"])["status"] == "completed"
    assert [(row["name"], row["formData"]["industry"]) for row in cast.key.get("/organization").data] == [
        ("Beta", "Wood")
    ]


def test_import_check_makes_nothing(cast: Cast) -> None:
    file = upload(cast, rows("Acme"))
    body = {"importType": "contact", "fileId": file, "columnMapping": {**MAPPING, "Company": "organization"}}
    made = cast.key.post("/contact/import", body).data["import"]
    checked = cast.key.post(f"/contact/import/{made['_id']}/check", {})
    assert checked.status == 200, checked.body
    with cast.scope():
        assert not Organization.objects.exists()
        assert Import.objects.get().status == "paused"
