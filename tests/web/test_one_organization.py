"""The field Organization of a contact, which stands for the text field of the company too."""

from __future__ import annotations

import re
from typing import Any

import pytest

from crm.models import Contact, CustomField, Organization
from tests.crm.contacts.helpers import add_field
from tests.crm.imports.helpers import csv_of
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, OrganizationFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of
from tests.web.test_imports import begin

NEW = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}


@pytest.fixture
def client(scope: Cast) -> Any:
    add_field("company")
    return enter(scope.owner)


def test_the_form_has_one_field_which_sets_both(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "contacts/new")
    form = html_of(client.get(path))
    assert ('name="organization"' in form, 'name="company"' in form) == (True, False)
    client.post(path, {"do": "save", **NEW, "organization": "Acme Ltd"})
    ann = Contact.objects.get()
    assert (ann.organization.name, ann.custom["company"]) == ("Acme Ltd", "Acme Ltd")
    here = at(scope.owner, f"contacts/{ann.pk}")
    assert "Acme Ltd Acme Ltd" not in text_of(client.get(here))
    client.post(here, {"do": "save", **NEW, "organization": ""})
    ann.refresh_from_db()
    assert (ann.organization, ann.custom.get("company")) == (None, None)


def test_a_required_company_makes_the_organization_required(scope: Cast, client: Any) -> None:
    CustomField.objects.filter(unique_field_id="company").update(required=True)
    path = at(scope.owner, "contacts/new")
    assert client.post(path, {"do": "save", **NEW}).status_code == 422
    OrganizationFactory(name="Acme", domain="one.test")
    OrganizationFactory(name="Acme", domain="two.test")
    client.post(path, {"do": "save", **NEW, "organization": "Acme · two.test"})
    ann = Contact.objects.get()
    assert (ann.organization.domain, ann.custom["company"]) == ("two.test", "Acme")


def test_a_text_is_shown_and_can_be_linked(scope: Cast, client: Any) -> None:
    ann = ContactFactory(name="Ann Lee", custom={"company": "Acme"})
    ann_at, cell = (at(scope.owner, f"contacts/{ann.pk}{path}") for path in ("", "/cell?field=organization&at=record"))
    shown = html_of(client.get(ann_at))
    assert ("Link organization" in shown, "field=company" in shown) == (True, False)
    assert 'value="Acme"' in html_of(client.get(cell))
    client.post(ann_at, {"do": "save", "name": "Anna", "organization": "Acme"})
    ann.refresh_from_db()
    assert (ann.organization, ann.custom["company"]) == (None, "Acme"), "an untouched field changes nothing"
    client.post(cell, {"do": "save", "organization": "Acme", "before": '{"organization": ""}'})
    ann.refresh_from_db()
    assert (ann.organization, ann.custom["company"]) == (Organization.objects.get(name="Acme"), "Acme")
    assert "Link organization" not in html_of(client.get(ann_at))


def test_columns_of_old_views_show_the_organization(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann Lee", custom={"company": "Acme"})
    path = at(scope.owner, "contacts")
    view = scope.session.post("/saved-view", {"name": "A", "resource": "contact", "columns": ["name", "company"]})
    for address in (path, f"{path}?columns=name,company", f"{path}?saved={view.data['_id']}"):
        page = html_of(client.get(address))
        heads = [" ".join(head.split()) for head in re.findall(r"<th[^>]*>(?:<[^>]+>)*([^<]*)", page)]
        assert (heads.count("Organization"), "Acme" in page) == (1, True), address
    chooser = text_of(client.get(f"{path}/columns"))
    assert ("Organization" in chooser, "Company" in chooser.split("Columns of contacts")[-1]) == (True, False)


def test_an_import_has_one_target(scope: Cast, client: Any) -> None:
    path = begin(scope, client, csv_of(["Ann,ann@acme.test,+447400123456,Acme"], "Name,Email,Phone,Organization"))
    page = html_of(client.get(path + "/columns"))
    assert page.count("Organization (company)</option>") == 4
    assert '<option value="company" selected>Organization (company)' in " ".join(page.split()).replace(" >", ">")
    assert ('<option value="organization"' in page) is False


def test_a_merge_chooses_the_organization_with_its_text(scope: Cast, client: Any) -> None:
    firms = [OrganizationFactory(name=name) for name in ("Orchard Architects", "Maple Robotics")]
    people = [ContactFactory(name="Eva Postma", organization=firm, custom={"company": firm.name}) for firm in firms]
    free = ContactFactory(name="E. Postma", custom={"company": "Own Name"})
    ids = [person.pk for person in (*people, free)]
    path = at(scope.owner, "contacts/merge?" + "&".join(f"ids={id}" for id in ids))
    form = html_of(client.get(path))
    assert ('name="from-organization"' in form, 'name="from-company"' in form) == (True, False)
    assert all(name in form for name in ("Orchard Architects", "Maple Robotics", "Own Name"))
    client.post(path, {"do": "merge", "winner": ids[0], "from-organization": ids[1]})
    eva = Contact.objects.get(pk=ids[0])
    assert (eva.organization.name, eva.custom["company"]) == ("Maple Robotics", "Maple Robotics")


def test_contacts_are_filtered_by_their_organization_alone(scope: Cast, client: Any) -> None:
    client.post(at(scope.owner, "contacts/new"), {"do": "save", **NEW, "organization": "Acme"})
    ContactFactory(name="Bob Ray")
    path = at(scope.owner, "contacts")
    menu = html_of(client.get(path))
    assert ("<summary>Organization<" in menu, "<summary>company<" in menu) == (True, False)
    saved = text_of(client.get(f"{path}?f=company:contains:Acme"))
    assert [text in saved for text in ("company contains Acme", "Ann Lee", "Bob Ray")] == [True, True, False]
