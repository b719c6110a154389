"""The pages of organizations, and the field that names one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from crm.models import Contact, Lead, Organization, Stage
from tests.crm.contacts.helpers import add_field, form
from tests.crm.imports.helpers import csv_of
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

NEW = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(response))


def test_list_searches_filters_and_saves_a_view(scope: Cast, client: Any) -> None:
    acme = OrganizationFactory(name="Acme", domain="acme.test", owner=scope.owner)
    OrganizationFactory(name="Beta")
    path = at(scope.owner, "organizations")
    assert names(client.get(path + "?sort=name")) == ["Acme", "Beta"]
    assert names(client.get(path + "?q=acme.t")) == ["Acme"]
    assert names(client.get(f"{path}?f=owner.name:equals:{scope.owner.name}")) == ["Acme"]
    assert "No organizations match" in text_of(client.get(path + "?q=nobody"))
    view = scope.session.post("/saved-view", {"name": "A", "resource": "organization", "query": {"searchValue": "ac"}})
    assert view.status == 201, view.body
    assert names(client.get(f"{path}?saved={view.data['_id']}")) == ["Acme"]
    assert "1 organization" in text_of(client.get(path + "?q=acme"))
    assert at(scope.owner, f"organizations/{acme.pk}") in html_of(client.get(path))


def test_new_edit_and_delete(scope: Cast, client: Any) -> None:
    add_field("industry", panel="organization")
    tag = TagFactory()
    values = {"name": "Acme", "domain": "www.acme.test", "owner": scope.owner.pk, "tags": tag.pk, "industry": "Steel"}
    made = client.post(at(scope.owner, "organizations/new"), {"do": "save", **values})
    organization = Organization.objects.get()
    assert made.headers["Location"] == at(scope.owner, f"organizations/{organization.pk}")
    assert "Organization created" in toast_of(client, made)
    page = client.get(made.headers["Location"])
    for text in ("Acme", "acme.test", scope.owner.name, "Steel", tag.name, "Organization created"):
        assert text in text_of(page)
    refused = client.post(at(scope.owner, "organizations/new"), {"do": "save", "name": "B", "domain": "no domain"})
    assert refused.status_code == 422
    assert "domain, such as example.com" in text_of(refused)
    here = at(scope.owner, f"organizations/{organization.pk}")
    assert 'value="Acme"' in html_of(client.get(here + "?edit"))
    edited = client.post(here, {"do": "save", **values, "name": "Acme Ltd"})
    assert edited.status_code == 303
    assert Organization.objects.get().name == "Acme Ltd"
    assert client.post(here, {"do": "delete"}).status_code == 303
    assert not Organization.objects.filter(is_deleted=False).exists()
    bin = client.get(at(scope.owner, "recycle-bin/organizations"))
    assert "Acme Ltd" in text_of(bin)
    restored = client.post(at(scope.owner, "recycle-bin/organizations"), {"do": "restore", "ids": [organization.pk]})
    assert restored.status_code == 303
    assert Organization.objects.filter(is_deleted=False).exists()


def test_a_value_is_edited_at_its_place(scope: Cast, client: Any) -> None:
    acme = OrganizationFactory(name="Acme")
    cell = at(scope.owner, f"organizations/{acme.pk}/cell?field=owner&at=record")
    assert scope.owner.name in html_of(client.get(cell))
    assert client.post(cell, {"do": "save", "owner": scope.owner.pk, "before": '{"owner": ""}'}).status_code == 303
    acme.refresh_from_db()
    assert acme.owner_id == scope.owner.pk


def test_the_header_opens_the_composers(scope: Cast, client: Any) -> None:
    acme = OrganizationFactory(name="Acme")
    path = at(scope.owner, f"organizations/{acme.pk}")
    actions = re.search(r'<nav class="record-actions".*?</nav>', html_of(client.get(path)), re.DOTALL)
    assert actions
    targets = re.findall(r'href="([^"]*)"', actions[0])
    assert targets == [f"{path}?compose={name}#history" for name in ("note", "comment", "task")]


def test_related_people_and_leads(scope: Cast, client: Any) -> None:
    acme = OrganizationFactory(name="Acme")
    ann = ContactFactory(name="Ann Lee", organization=acme)
    LeadFactory(contact=ann)
    stage = stage_ids(make_pipeline(scope))["Offered"]
    LeadFactory(contact__name="Bob Ray", organization=acme, stage=Stage.objects.get(pk=stage))
    LeadFactory(contact__name="Cid Fox")
    text = text_of(client.get(at(scope.owner, f"organizations/{acme.pk}/related")))
    assert "Ann Lee" in text
    assert ("Bob Ray" in text, "Offered" in text) == (True, True)
    assert "Cid Fox" not in text
    new = client.get(at(scope.owner, "contacts/new?organization=Acme"))
    assert 'value="Acme"' in html_of(new)


def test_contacts_name_their_organization(scope: Cast, client: Any) -> None:
    beta = OrganizationFactory(name="Beta")
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "organization": " beta "})
    ann = Contact.objects.get()
    assert ann.organization_id == beta.pk
    here = at(scope.owner, f"contacts/{ann.pk}")
    assert f'href="{at(scope.owner, f"organizations/{beta.pk}")}"' in html_of(client.get(here))
    client.post(here, {"do": "save", **NEW, "organization": "Gamma"})
    gamma = Organization.objects.get(name="Gamma")
    ann.refresh_from_db()
    assert ann.organization_id == gamma.pk
    client.post(here, {"do": "save", **NEW, "organization": ""})
    ann.refresh_from_db()
    assert ann.organization_id is None
    cell = at(scope.owner, f"contacts/{ann.pk}/cell?field=organization&at=record")
    client.post(cell, {"do": "save", "organization": "Beta", "before": '{"organization": ""}'})
    ann.refresh_from_db()
    assert ann.organization_id == beta.pk


def test_of_equal_organizations_the_oldest_is_chosen(scope: Cast, client: Any) -> None:
    oldest = OrganizationFactory(name="Acme")
    OrganizationFactory(name="Acme")
    OrganizationFactory(name="Acme", domain="one.test")
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "organization": "Acme"})
    assert Contact.objects.get().organization_id == oldest.pk


def test_a_name_of_several_is_refused(scope: Cast, client: Any) -> None:
    OrganizationFactory(name="Acme", domain="one.test")
    two = OrganizationFactory(name="Acme", domain="two.test")
    refused = client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "organization": "Acme"})
    assert refused.status_code == 422
    assert "Several organizations have this name" in text_of(refused)
    assert not Contact.objects.exists()
    suggestions = html_of(client.get(at(scope.owner, "organizations/names?organization=acme")))
    assert "Acme · two.test" in suggestions
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "organization": "Acme · two.test"})
    ann = Contact.objects.get()
    assert ann.organization_id == two.pk
    # Its name is kept while the rest is changed.
    client.post(at(scope.owner, f"contacts/{ann.pk}"), {"do": "save", **NEW, "name": "Anna", "organization": "Acme"})
    ann.refresh_from_db()
    assert (ann.name, ann.organization_id) == ("Anna", two.pk)


def test_leads_name_their_organization(scope: Cast, client: Any) -> None:
    person = ContactFactory()
    made = client.post(
        at(scope.owner, "leads/new"), {"do": "save", "contact": person.pk, "status": "new", "organization": "Acme"}
    )
    assert made.status_code == 303
    lead = Lead.objects.get()
    assert lead.organization is not None
    assert lead.organization.name == "Acme"
    assert "Acme" in text_of(client.get(at(scope.owner, f"leads/{lead.pk}")))


def test_bulk_actions(scope: Cast, client: Any) -> None:
    one, two = OrganizationFactory(name="Acme"), OrganizationFactory(name="ACME Ltd", domain="acme.test")
    path = at(scope.owner, "organizations/change")
    chosen = {"ids": [one.pk, two.pk], "what": "owner"}
    assert "Owner" in text_of(client.post(path, {"do": "choose", **chosen}))
    client.post(path, {"do": "save", **chosen, "how": "set", "owner": scope.owner.pk})
    assert set(Organization.objects.values_list("owner_id", flat=True)) == {scope.owner.pk}
    merge = client.post(at(scope.owner, "organizations"), {"do": "merge", "ids": [one.pk, two.pk]})
    form = client.get(merge.headers["Location"])
    assert "Merge 2 organizations" in text_of(form)
    merged = client.post(merge.headers["Location"], {"do": "merge", "winner": one.pk, "from-domain": two.pk})
    assert merged.headers["Location"] == at(scope.owner, "merges/organizations")
    one.refresh_from_db()
    assert one.domain == "acme.test"
    merges = client.get(merged.headers["Location"])
    assert "from 2 records" in text_of(merges)
    id = re.search(r'name="id" value="(\w+)"', html_of(merges))
    assert id
    assert client.post(merged.headers["Location"], {"do": "undo", "id": id[1]}).status_code == 303
    two.refresh_from_db()
    assert not two.is_deleted
    client.post(at(scope.owner, "organizations"), {"do": "delete", "ids": [one.pk]})
    one.refresh_from_db()
    assert one.is_deleted


def test_contacts_are_changed_many_at_once(scope: Cast, client: Any) -> None:
    ann, bob = ContactFactory(), ContactFactory()
    chosen = {"ids": [ann.pk, bob.pk], "what": "organization", "how": "set", "organization": "Acme"}
    assert client.post(at(scope.owner, "contacts/change"), {"do": "save", **chosen}).status_code == 303
    acme = Organization.objects.get()
    assert set(Contact.objects.values_list("organization_id", flat=True)) == {acme.pk}


def test_contacts_are_matched(scope: Cast, client: Any) -> None:
    add_field("company")
    scope.key.post("/contact", {"formData": form(1, company="Acme")})
    matched = client.post(at(scope.owner, "organizations"), {"do": "match"})
    assert "Matched 1 contact" in toast_of(client, matched)
    assert "Acme" in text_of(client.get(at(scope.owner, "organizations")))


def test_import_wizard(scope: Cast, client: Any) -> None:
    page = client.get(at(scope.owner, "imports/new?of=organization"))
    assert re.search(r'value="organization" checked', html_of(page))
    file = SimpleUploadedFile("firms.csv", csv_of(["Acme,acme.test"], "Company name,Website"))
    columns = client.post(at(scope.owner, "imports/new"), {"do": "upload", "of": "organization", "file": file})
    assert columns.status_code == 303, text_of(columns)
    shown = client.get(columns.headers["Location"])
    assert shown.status_code == 200
    assert "Domain" in text_of(shown)
    lists = client.get(at(scope.owner, "imports/organizations"))
    assert "firms.csv" in text_of(lists)


def test_a_viewer_sees_and_changes_nothing(scope: Cast) -> None:
    acme = OrganizationFactory(name="Acme")
    client = enter(scope.narrow)
    page = client.get(at(scope.narrow, f"organizations/{acme.pk}"))
    assert page.status_code == 200
    assert "?edit" not in html_of(page)
    assert "New organization" not in text_of(client.get(at(scope.narrow, "organizations")))
    assert client.post(at(scope.narrow, f"organizations/{acme.pk}"), {"do": "delete"}).status_code in (303, 403)
    acme.refresh_from_db()
    assert not acme.is_deleted


def test_a_deleted_organization_is_no_link(scope: Cast, client: Any) -> None:
    acme = OrganizationFactory(name="Acme")
    ann = ContactFactory(name="Ann Lee", organization=acme)
    lead = LeadFactory(contact=ann, organization=acme)
    link = at(scope.owner, f"organizations/{acme.pk}")
    pages = (at(scope.owner, f"contacts/{ann.pk}"), at(scope.owner, f"leads/{lead.pk}"))
    for page in pages:
        assert f'href="{link}"' in html_of(client.get(page)), page
    client.post(link, {"do": "delete"})
    for page in pages:
        answer = client.get(page)
        assert f'href="{link}"' not in html_of(answer), page
        assert "Acme deleted" in text_of(answer), page
