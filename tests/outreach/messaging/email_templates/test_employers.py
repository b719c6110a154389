"""A template's company is the organization that a contact's page shows, whatever the hidden text says."""

from __future__ import annotations

import pytest

from crm.models import Contact
from outreach.connections.ai.briefs import ContactBriefs
from outreach.messaging.email_templates.rendering import ValueReader
from tests.crm.contacts.helpers import add_field, form
from tests.crm.organizations.helpers import organization
from tests.kit.cast import Cast

VARIABLES = [{"name": "company"}]


def companies(cast: Cast, *ids: str) -> list[tuple[str, str | None]]:
    """Return what templates, and AI apps, read as the company of each contact."""
    with cast.scope():
        contacts = [Contact.objects.get(pk=id) for id in ids]
        reader = ValueReader.load()
        briefs = ContactBriefs.load().briefs_for(contacts)
        return [
            (reader.of(contact, VARIABLES)["company"], brief.fields.get(reader_label))
            for contact, brief in zip(contacts, briefs, strict=True)
            for reader_label in [next((label for label in brief.fields if label.casefold() == "company"), "")]
        ]


@pytest.mark.parametrize("change", ["rename", "text", "none"])
def test_templates_name_the_organization_that_the_page_shows(cast: Cast, change: str) -> None:
    with cast.scope():
        add_field("company")
    delta = organization(cast, "Delta Roast")["_id"]
    linked = cast.key.post("/contact", {"formData": form(1), "organization": delta}).data["_id"]
    free = cast.key.post("/contact", {"formData": {**form(2), "company": "Nobody's"}}).data["_id"]
    if change == "rename":
        cast.key.put(f"/organization/{delta}", {"formData": {"name": "Epsilon Roast"}})
    if change == "text":
        cast.key.put(f"/contact/{linked}", {"formData": {"company": "Zeta"}})
    name = "Epsilon Roast" if change == "rename" else "Delta Roast"
    assert companies(cast, linked, free) == [(name, name), ("Nobody's", "Nobody's")]


def test_one_query_reads_the_organizations_of_many_contacts(cast: Cast, django_assert_num_queries: object) -> None:
    with cast.scope():
        add_field("company")
    ids = [
        cast.key.post("/contact", {"formData": form(n), "organization": organization(cast, f"Firm {n}")["_id"]}).data[
            "_id"
        ]
        for n in range(3)
    ]
    with cast.scope():
        contacts = [Contact.objects.get(pk=id) for id in ids]
        reader = ValueReader.load()
        reader.employers.read(contact.organization_id for contact in contacts)
        with django_assert_num_queries(0):  # type: ignore[operator]
            assert [reader.of(contact, VARIABLES)["company"] for contact in contacts] == ["Firm 0", "Firm 1", "Firm 2"]


@pytest.mark.parametrize("has_field", [True, False])
def test_the_organization_is_a_field_of_every_company(cast: Cast, has_field: bool) -> None:  # noqa: FBT001
    if has_field:
        with cast.scope():
            add_field("company")
    delta = organization(cast, "Delta Roast")["_id"]
    linked = cast.key.post("/contact", {"formData": form(1), "organization": delta}).data["_id"]
    free = cast.key.post("/contact", {"formData": form(2)}).data["_id"]
    words = {"subject": "At {{organization.name}}", "body": "Hi at {{organization.name}}!"}
    for contact, text in ((linked, "Hi at Delta Roast!"), (free, "Hi at!")):
        for api in (cast.key, cast.session):
            shown = api.post("/template/email/preview", {**words, "contactId": contact}).data
            assert text in shown["text"], shown
    with cast.scope():
        brief = ContactBriefs.load().briefs_for([Contact.objects.get(pk=linked)])[0]
        assert brief.fields["company" if has_field else "Organization"] == "Delta Roast"
    variables = [{"name": "organization.name", "required": True}]
    taken = cast.key.post("/template/email", {"name": "A", **words, "variables": variables})
    assert taken.body["name"] == "InvalidVariables_400"
