"""POST /contact/match-organizations"""

from __future__ import annotations

from typing import Any

import pytest

from crm.contacts import employment
from crm.models import BulkJob, Contact, Organization
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import add_field, form
from tests.crm.organizations.helpers import events, organization, says
from tests.kit.cast import Cast

PATH = "/contact/match-organizations"


@pytest.fixture
def company(cast: Cast) -> None:
    with cast.scope():
        add_field("company")


def add(cast: Cast, *people: tuple[str, str | None]) -> list[str]:
    """Create contacts of (email, company). Returns their ids."""
    items = []
    for n, (email, company) in enumerate(people):
        items.append(form(n, email=email) | ({"company": company} if company else {}))
    answer = cast.key.post("/contact/bulk", {"formData": items})
    assert len(answer.data["created"]) == len(people), answer.body
    return [row["_id"] for row in answer.data["created"]]


def employers(cast: Cast) -> dict[str, str | None]:
    """Return email -> the name of the contact's organization."""
    with cast.scope():
        return dict(Contact.objects.values_list("email", "organization__name"))


def test_names_and_domains(cast: Cast, company: None) -> None:
    beta = organization(cast, "BETA Inc.")
    add(
        cast,
        ("ann@acme.test", "Acme Ltd"),
        ("bob@gmail.com", "ACME, Inc."),
        ("cid@acme.test", None),
        ("dan@gmail.com", None),
        ("eve@beta.test", "Beta GmbH"),
        ("fay@gamma.test", None),
        ("gil@delta.test", "-"),
    )
    answer = cast.session.post(PATH, {"selectAll": True})
    assert says(answer, "OrganizationsMatched_200"), answer.body
    assert answer.data == {"matchedCount": 7, "updatedCount": 4}
    assert employers(cast) == {
        "ann@acme.test": "Acme Ltd",
        "bob@gmail.com": "Acme Ltd",
        "cid@acme.test": "Acme Ltd",
        "dan@gmail.com": None,
        "eve@beta.test": "BETA Inc.",
        "fay@gamma.test": None,
        "gil@delta.test": None,
    }
    with cast.scope():
        acme = Organization.objects.get(name="Acme Ltd")
        assert acme.domain == "acme.test"
        texts = Contact.objects.filter(email="bob@gmail.com").values_list("custom", flat=True).get()
        assert texts == {"company": "ACME, Inc."}
    assert ("organization.created", acme.pk, {}) in events(cast)
    changes = [payload["changes"] for kind, _, payload in events(cast, "contact") if kind == "contact.updated"]
    assert {"organization": {"from": None, "to": beta["_id"]}} in changes
    again = cast.session.post(PATH, {"selectAll": True})
    assert again.data["updatedCount"] == 0


def test_domain_of_several_is_none(cast: Cast, company: None) -> None:
    organization(cast, "One", domain="shared.test")
    organization(cast, "Two", domain="shared.test")
    organization(cast, "Three", domain="three.test")
    add(cast, ("a@shared.test", None), ("b@three.test", None))
    cast.session.post(PATH, {"selectAll": True})
    assert employers(cast) == {"a@shared.test": None, "b@three.test": "Three"}


def test_colleagues_of_many_companies_say_nothing(cast: Cast, company: None) -> None:
    add(cast, ("a@work.test", "Acme"), ("b@work.test", "Beta"), ("c@work.test", None))
    cast.session.post(PATH, {"selectAll": True})
    assert employers(cast)["c@work.test"] is None


def test_same_name_twice_prefers_the_domain(cast: Cast, company: None) -> None:
    organization(cast, "Acme AG", domain="acme-de.test")
    organization(cast, "Acme Ltd", domain="acme-uk.test")
    add(cast, ("a@acme-uk.test", "Acme"), ("b@other.test", "acme"))
    cast.session.post(PATH, {"selectAll": True})
    assert employers(cast) == {"a@acme-uk.test": "Acme Ltd", "b@other.test": "Acme AG"}


@pytest.mark.parametrize("many", [False, True])
def test_undo(cast: Cast, company: None, settings: Any, many: bool) -> None:
    if many:
        settings.BULK_AT_ONCE = 1
        settings.BULK_BATCH_ROWS = 2
    beta = organization(cast, "Beta")["_id"]
    add(cast, ("a@acme.test", "Acme"), ("b@acme.test", None), ("c@beta.test", "beta"), ("d@delta.test", "Delta"))
    before = employers(cast)
    answer = cast.session.post(PATH, {"selectAll": True})
    job = answer.body["bulkJob"]
    if many:
        assert done(cast, job)["status"] == "completed"
    assert employers(cast) == {
        "a@acme.test": "Acme",
        "b@acme.test": "Acme",
        "c@beta.test": "Beta",
        "d@delta.test": "Delta",
    }
    delta = cast.key.get("/organization", filters={"name": "Delta"}).data[0]["_id"]
    cast.key.put(f"/organization/{delta}", {"owner": cast.owner.pk})
    undone = cast.session.post(f"/bulk-job/{job}/undo", {})
    assert undone.status == 201, undone.body
    assert done(cast, undone.data["_id"])["status"] == "completed"
    assert employers(cast) == before
    # What somebody has worked with since stays.
    assert {row["_id"] for row in cast.key.get("/organization").data} == {beta, delta}


def test_a_killed_worker_loses_nothing(cast: Cast, company: None, settings: Any, monkeypatch: Any) -> None:
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 1, 2
    add(cast, *((f"p{n}@acme.test", "Acme" if n else "ACME Ltd") for n in range(5)))
    answer = cast.session.post(PATH, {"selectAll": True})
    job = answer.body["bulkJob"]
    calls = 0
    original = employment._employ

    def dies(*given: Any) -> None:
        nonlocal calls
        calls += 1
        original(*given)
        if calls == 2:
            raise SystemExit

    monkeypatch.setattr(employment, "_employ", dies)
    with pytest.raises(SystemExit):
        done(cast, job)
    with cast.scope():
        assert Contact.objects.exclude(organization=None).count() == 2
        BulkJob.objects.filter(pk=job).update(status="queued")
    monkeypatch.undo()
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 1, 2
    assert done(cast, job)["changed"] == 5
    with cast.scope():
        assert Organization.objects.count() == 1


def test_field_and_rights(cast: Cast) -> None:
    with cast.scope():
        add_field("employer2")
    (id,) = [
        row["_id"] for row in cast.key.post("/contact/bulk", {"formData": [form(1, employer2="Acme")]}).data["created"]
    ]
    assert cast.key.post(PATH, {"ids": [id]}).data["updatedCount"] == 0
    assert cast.key.post(PATH, {"ids": [id], "field": "employer2"}).data["updatedCount"] == 1
    assert says(cast.key.post(PATH, {"ids": [id], "field": "nosuch"}), "InvalidCustomField_400")
    assert cast.narrow_session.post(PATH, {"ids": [id]}).status == 403
    assert says(cast.key.post(PATH, {"ids": ["0" * 24]}), "ContactNotFound_400")
