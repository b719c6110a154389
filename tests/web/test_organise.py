"""The pages of tags, categories, segments, products, teams and duplicates, as forms and links use them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db.models import Case, Value, When

from core.ids import new_id
from crm.custom_fields.services import create_field
from crm.models import (
    BulkJob,
    Contact,
    ContactCategory,
    CustomField,
    Lead,
    Organization,
    ProductService,
    Segment,
    Tag,
    Team,
)
from outreach.models import EmailTemplate
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


@pytest.mark.parametrize(("page", "model", "noun"), [("tags", Tag, "Tag"), ("categories", ContactCategory, "Category")])
def test_named_records_are_added_changed_and_deleted(
    scope: Cast, client: Any, page: str, model: Any, noun: str
) -> None:
    path = at(scope.owner, page)
    assert f"No {page} yet" in text_of(client.get(path))
    made = client.post(f"{path}/new", {"name": "Fair", "description": EVIL, "color": "#dc2626"})
    assert f"{noun} added" in toast_of(client, made)
    one = model.objects.get()
    assert (one.name, one.description, one.color) == ("Fair", EVIL, "#dc2626")
    shown = html_of(client.get(path))
    assert ("<script>alert" in shown, 'fill="#dc2626"' in shown) == (False, True)
    again = client.post(f"{path}/new", {"name": "fair"})
    assert (again.status_code, model.objects.count()) == (422, 1)
    saved = client.post(f"{path}/{one.pk}", {"name": "Trade fair", "description": "", "color": ""})
    assert f"{noun} saved" in toast_of(client, saved)
    one.refresh_from_db()
    assert (one.name, one.description, one.color) == ("Trade fair", "", "")
    same = client.post(f"{path}/{one.pk}", {"name": "Trade fair", "description": "", "color": ""})
    assert "Nothing to save" in toast_of(client, same)
    assert "lose this label" not in text_of(client.get(f"{path}/{one.pk}"))
    deleted = client.post(f"{path}/{one.pk}", {"do": "delete"})
    assert f"{noun} deleted" in toast_of(client, deleted)
    assert (model.objects.count(), client.get(f"{path}/{one.pk}").status_code) == (0, 404)


def test_lists_search_and_lead_to_contacts(scope: Cast, client: Any) -> None:
    tag = TagFactory(name="Fair")
    TagFactory(name="Webinar")
    ann = ContactFactory(name="Ann Lee")
    ContactFactory(name="Bob Ray")
    assert scope.session.put(f"/contact/{ann.pk}", {"tags": [tag.pk]}).status == 200
    found = html_of(client.get(at(scope.owner, "tags?q=fai")))
    assert ("Fair" in found, "Webinar" in found) == (True, False)
    link = re.search(r'href="([^"]+)" aria-label="Contacts: 1"', found)[1]
    people = text_of(client.get(link))
    assert ("Ann Lee" in people, "Bob Ray" in people) == (True, False)
    assert "No matches" in text_of(client.get(at(scope.owner, "tags?q=nothing")))


def test_a_segment_is_made_from_filters_and_opens_as_contacts(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann Lee")
    ContactFactory(name="Bob Ray")
    new = at(scope.owner, "segments/new")
    assert client.post(new, {"name": "Anns"}).status_code == 422
    listed = html_of(client.get(at(scope.owner, "contacts?f=email:contains:ann")))
    assert f'href="{new}?f=email%3Acontains%3Aann"' in listed
    assert "segments/new" not in html_of(client.get(at(scope.owner, "contacts?q=ann&f=email:contains:ann")))
    filtered = f"{new}?f=name:contains:Ann"
    assert "1 contact" in text_of(client.get(filtered))
    added = client.post(filtered, {"name": "Anns"})
    assert "Segment added" in toast_of(client, added)
    segment = Segment.objects.get()
    assert added["Location"] == at(scope.owner, f"segments/{segment.pk}")
    assert "1 · just now" in text_of(client.get(at(scope.owner, "segments")))
    detail = client.get(at(scope.owner, f"segments/{segment.pk}"))
    text = text_of(detail)
    assert ("Name contains Ann" in text, "Ann Lee" in text, "Bob Ray" in text) == (True, True, False)
    assert re.search(r'id="count">1 contact<', html_of(detail))
    change = re.search(r'href="([^"]+/filters[^"]*)"', html_of(detail))[1]
    assert "1 contact" in text_of(client.get(change))
    assert client.post(change.replace("Ann", "Bob"), {"do": "save"}).status_code == 303
    assert "Bob Ray" in text_of(client.get(at(scope.owner, f"segments/{segment.pk}")))
    assert client.post(change, {"do": "save"}).status_code == 303
    contacts = client.get(at(scope.owner, f"contacts?f=segment:in:{segment.pk}"))
    text = text_of(contacts)
    assert ("Segment is Anns" in text, "Ann Lee" in text, "Bob Ray" in text) == (True, True, False)
    tag = TagFactory(name="Fair")
    tree = {"operator": "and", "conditions": [{"field": "tags", "operator": "in", "value": [tag.pk]}]}
    tagged = scope.session.post("/segment", {"name": "Tagged", "panel": "contact", "advancedFilters": tree}).data
    assert "Tag is Fair" in text_of(client.get(at(scope.owner, f"segments/{tagged['_id']}")))
    leads = at(scope.owner, "segments/new-leads?f=status:in:new")
    assert "0 leads" in text_of(client.get(leads))
    assert client.post(leads, {"name": "New ones"}).status_code == 303
    assert Segment.objects.get(name="New ones").panel == "lead"


def test_segments_filter_and_show_stages_and_organizations(scope: Cast, client: Any) -> None:
    create_field(actor_id=scope.owner.pk, values={"name": "Company", "field_type": "text", "panel": "contact"})
    key = CustomField.objects.get(name="Company").unique_field_id
    for page, replaced, shown in (("new", key, "Organization"), ("new-leads", "status", "Stage")):
        offered = html_of(client.get(at(scope.owner, f"segments/{page}")))
        assert (f'value="{replaced}"' in offered, f">{shown}<" in offered) == (False, True)
        kept = html_of(client.get(at(scope.owner, f"segments/{page}?f={replaced}:equals:new")))
        assert f'value="{replaced}"' in kept, "a filter of an older segment stays"
    stages = stage_ids(make_pipeline(scope))
    LeadFactory(contact=ContactFactory(name="Ann Lee"), value=2000)
    scope.key.put(f"/lead/{Lead.objects.get().pk}", {"stage": stages["Offered"]})
    client.post(at(scope.owner, "segments/new-leads?f=value:greaterThan:1000"), {"name": "Large"})
    assert "Ann Lee Offered" in text_of(client.get(at(scope.owner, f"segments/{Segment.objects.get().pk}")))


def test_what_was_typed_of_a_segment_stays_while_filters_come_and_go(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann Lee")
    tag = TagFactory(name="Fair")
    typed = {"name": "Anns", "description": "Met at the fair", "color": "#dc2626"}

    def send(path: str, **sent: str) -> str:
        """Send the form with what was typed. Returns the address that it has then."""
        answer = client.post(path, {**typed, **sent})
        page = html_of(answer)
        assert answer.status_code == 200, text_of(answer)
        assert all(
            found in page for found in ('value="Anns"', "Met at the fair</textarea>", 'value="#dc2626" selected')
        ), page
        return str(re.search(r'action="([^"]+)" id="segment"', page)[1]).replace("&amp;", "&")

    path = at(scope.owner, "segments/new")
    page = html_of(client.get(path))
    assert '<button class="button" form="segment" name="add" value="tags">' in page
    assert page.index('form="segment"') == page.index('form="segment" name="do" value="save"'), "what Enter presses"
    path = send(path, add=f"tags:in:{tag.pk}")
    path = send(path, **{"do": "save", "operator-name": "contains", "value-name": "Ann"})  # Enter in the filter
    assert path.endswith(f"?f=tags%3Ain%3A{tag.pk}&f=name%3Acontains%3AAnn")
    path = send(path, drop=f"tags:in:{tag.pk}")
    assert "1 contact" in text_of(client.get(path))
    assert Segment.objects.count() == 0
    assert "Segment added" in toast_of(client, client.post(path, {**typed, "do": "save"}))
    made = Segment.objects.get()
    assert (made.name, made.description, made.color) == ("Anns", "Met at the fair", "#dc2626")
    assert [one["field"] for one in made.filters["conditions"]] == ["name"]
    # The filters of one that there is come and go likewise.
    path = with_tag(client, at(scope.owner, f"segments/{made.pk}/filters?f=name:contains:Ann"), tag.pk)
    assert client.post(path, {"do": "save"}).status_code == 303
    made.refresh_from_db()
    assert [one["field"] for one in made.filters["conditions"]] == ["name", "tags"]


def with_tag(client: Any, path: str, tag: str) -> str:
    """Add a filter by a tag on the page. Returns the address of its form."""
    page = html_of(client.post(path, {"add": f"tags:in:{tag}"}))
    return str(re.search(r'action="([^"]+)" id="segment"', page)[1]).replace("&amp;", "&")


def test_products_are_kept_and_their_deletion_is_undone(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "products")
    wrong = client.post(f"{path}/new", {"name": "Plan", "price": "much"})
    assert wrong.status_code == 422
    assert 'value="much"' in html_of(wrong)
    assert client.post(f"{path}/new", {"name": "Plan", "price": "12.5", "isActive": "on"}).status_code == 303
    one = ProductService.objects.get()
    assert (one.name, float(one.price)) == ("Plan", 12.5)
    saved = toast_of(client, client.post(f"{path}/{one.pk}", {"name": "Big plan", "price": "20", "isActive": "on"}))
    assert ("Product saved" in saved, 'value="undo"' in saved) == (True, True)
    deleted = toast_of(client, client.post(path, {"do": "delete", "ids": one.pk}))
    assert "Deleted 1 product" in deleted
    undo = re.search(r'action="([^"]+)"', deleted)[1]
    assert client.post(undo, {"do": "undo"}).status_code == 303
    assert BulkJob.objects.filter(action="undo").count() == 1


def test_a_team_has_members_who_take_leads_or_not(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "teams")
    both = [scope.owner.pk, scope.narrow.pk]
    body = {"name": "North", "members": both, "takes": [scope.owner.pk]}
    assert "Team added" in toast_of(client, client.post(f"{path}/new", body))
    team = Team.objects.get(name="North")
    shown = {one["_id"]: one["isAvailable"] for one in scope.session.get(f"/team/{team.pk}").data["members"]}
    assert shown == {scope.owner.pk: True, scope.narrow.pk: False}
    assert client.post(f"{path}/{team.pk}", {**body, "takes": both}).status_code == 303
    shown = {one["_id"]: one["isAvailable"] for one in scope.session.get(f"/team/{team.pk}").data["members"]}
    assert shown == {scope.owner.pk: True, scope.narrow.pk: True}
    default = Team.objects.get(is_default=True)
    assert 'value="delete"' not in html_of(client.get(f"{path}/{default.pk}"))
    rule = at(scope.owner, "teams/rule")
    wrong = client.post(rule, {"distribution": "roundRobin", "maxOpenLeads": "0"})
    assert (wrong.status_code, 'id="f-maxOpenLeads-error"' in html_of(wrong)) == (422, True)
    assert client.post(rule, {"distribution": "roundRobin", "maxOpenLeads": "9"}).status_code == 303
    assert scope.session.get("/settings").data["teamSettings"] == {
        "distribution": "roundRobin",
        "onlyAvailable": False,
        "maxOpenLeads": 9,
    }


def test_duplicates_are_merged_value_by_value_and_come_apart_again(scope: Cast, client: Any) -> None:
    for name, email, number in (
        ("Ann Lee", "ann@example.org", "7400123456"),
        ("A. Lee", "ann+x@example.org", "7400123457"),
    ):
        values = {"name": name, "email": email, "countryCode": "+44", "number": number}
        assert scope.session.post("/contact", {"formData": values}).status == 200
    one, two = Contact.objects.get(name="Ann Lee"), Contact.objects.get(name="A. Lee")
    page = client.get(at(scope.owner, "contacts/duplicates"))
    assert "Email addresses of the same mailbox" in text_of(page)
    assert all("The same email address" not in heading for heading in re.findall(r"<h2>([^<]*)", html_of(page)))
    merge = re.search(r'href="([^"]+contacts/merge\?[^"]+)"', html_of(page))[1].replace("&amp;", "&")
    shown = html_of(client.get(merge))
    assert (f'name="from-name" value="{one.pk}"' in shown, f'name="winner" value="{two.pk}"' in shown) == (True, True)
    sent = {"do": "merge", "winner": one.pk, "from-name": one.pk, "from-email": two.pk, "from-contactNumber": two.pk}
    assert "Merged" in toast_of(client, client.post(merge, sent))
    one.refresh_from_db()
    assert (one.name, one.email, one.number) == ("Ann Lee", "ann+x@example.org", "7400123457")
    assert Contact.objects.get(pk=two.pk).is_deleted
    merges = html_of(client.get(at(scope.owner, "contacts/merges")))
    id = re.search(r'name="id" value="(\w+)"', merges)[1]
    undone = client.post(at(scope.owner, "contacts/merges"), {"do": "undo", "id": id})
    assert "unmerged" in toast_of(client, undone)
    one.refresh_from_db()
    assert (one.email, Contact.objects.get(pk=two.pk).is_deleted) == ("ann@example.org", False)
    dismissed = client.post(at(scope.owner, "contacts/duplicates"), {"do": "dismiss", "ids": [one.pk, two.pk]})
    assert "Kept as separate contacts" in toast_of(client, dismissed)
    assert "No duplicates" in text_of(client.get(at(scope.owner, "contacts/duplicates")))


def test_duplicate_organizations_are_merged_and_come_apart_again(scope: Cast, client: Any) -> None:
    one, two = OrganizationFactory(name="Acme Ltd"), OrganizationFactory(name="ACME, Inc.")
    three = OrganizationFactory(name="Beta", domain="acme.example")
    Organization.objects.filter(pk=one.pk).update(domain="acme.example")
    Organization.objects.update(name_key=Case(When(pk=three.pk, then=Value("BETA")), default=Value("ACME")))
    here = at(scope.owner, "merges/organizations/duplicates")
    assert here in html_of(client.get(at(scope.owner, "organizations")))
    shown = text_of(client.get(here))
    assert "The same name" in shown
    assert "The same domain" in shown
    page = html_of(client.get(f"{here}?rule=sameName"))
    assert at(scope.owner, f"organizations/{two.pk}") in page
    assert at(scope.owner, f"organizations/{three.pk}") not in page
    merge = re.search(r'href="([^"]+merges/organizations/new\?[^"]+)"', page)[1].replace("&amp;", "&")
    assert client.get(merge).status_code == 200
    assert "Merged" in toast_of(client, client.post(merge, {"do": "merge", "winner": one.pk, "from-name": two.pk}))
    assert "The same name" not in html_of(client.get(f"{here}?rule=sameName")).partition('id="groups"')[2]
    merges = html_of(client.get(at(scope.owner, "merges/organizations")))
    id = re.search(r'name="id" value="(\w+)"', merges)[1]
    undone = client.post(at(scope.owner, "merges/organizations"), {"do": "undo", "id": id})
    assert "Organizations unmerged" in toast_of(client, undone)
    for pair in ((one, two), (one, three)):
        sent = {"do": "dismiss", "ids": [record.pk for record in pair]}
        assert "Kept as separate organizations" in toast_of(client, client.post(here, sent))
    assert "No organizations look alike" in text_of(client.get(here))


def test_merging_needs_contacts(scope: Cast, client: Any) -> None:
    chosen = client.post(at(scope.owner, "contacts"), {"do": "merge", "ids": [new_id(), new_id()]})
    assert "Choose at least two contacts" in text_of(client.get(chosen["Location"]))
    assert client.post(chosen["Location"], {"do": "merge"}).status_code == 400


def test_a_segment_is_chosen_one_by_one(scope: Cast, client: Any) -> None:
    ann = ContactFactory(name="Ann Lee")
    lead = LeadFactory(contact=ContactFactory(name="Bob Ray"))
    new = at(scope.owner, "segments/new-fixed")
    assert client.post(new, {"name": "", "panel": "contact"}).status_code == 422
    for panel, member, name in (("contact", ann, "Ann Lee"), ("lead", lead, "Bob Ray")):
        made = client.post(new, {"name": f"Fair {panel}", "panel": panel})
        assert "Now choose" in toast_of(client, made)
        path = made["Location"]
        found = html_of(client.get(f"{path}?find={name[:3]}"))
        assert f'aria-label="Add {name}"' in found
        assert "Added" in toast_of(client, client.post(path, {"do": "add", "member": member.pk}))
        shown = html_of(client.get(f"{path}?find={name[:3]}"))
        assert (f'aria-label="Remove {name}"' in shown, f"Add {name}" in shown) == (True, False)
        assert Segment.objects.get(panel=panel).records.count() == 1
        assert "Removed" in toast_of(client, client.post(path, {"do": "take_out", "member": member.pk}))
        assert Segment.objects.get(panel=panel).records.count() == 0


def test_who_may_only_look_is_shown_no_action(scope: Cast) -> None:
    tag = TagFactory(name="Fair")
    ContactFactory(name="Ann Lee")
    role = scope.narrow.role
    role.permission = {module: {"GET": True} for module in ("contact", "tag", "segment", "team", "product-service")}
    role.save()
    client = enter(scope.narrow)
    for path in (
        "tags",
        "tags/new",
        f"tags/{tag.pk}",
        "segments",
        "segments/new-fixed",
        "teams",
        "products",
        "contacts/duplicates",
        "merges/organizations/duplicates",
    ):
        shown = client.get(at(scope.narrow, path))
        assert shown.status_code == 200, path
        found = re.findall(r'value="(?:save|delete|merge|dismiss)"|/new"', html_of(shown))
        assert not found, (path, found)
    for path, body in (
        ("tags/new", {"name": "x"}),
        (f"tags/{tag.pk}", {"name": "x"}),
        ("segments/new-fixed", {"name": "x"}),
        ("products/new", {"name": "x"}),
    ):
        assert client.post(at(scope.narrow, path), body).status_code == 422, path
    assert 'class="toast bad"' in toast_of(client, client.post(at(scope.narrow, f"tags/{tag.pk}"), {"do": "delete"}))
    tag.refresh_from_db()
    assert (tag.name, Tag.objects.count()) == ("Fair", 1)
    assert client.get(at(scope.narrow, "categories")).status_code == 403


def test_new_fields_and_templates_open(scope: Cast, client: Any) -> None:
    made = client.post(at(scope.owner, "settings/fields/new"), {"do": "save", "name": "Size", "fieldType": "text"})
    assert "Field added" in toast_of(client, made)
    field = CustomField.objects.get(name="Size")
    assert made["Location"] == at(scope.owner, f"settings/fields/{field.pk}")
    words = {"do": "save", "name": "Hello", "subject": "Hello", "body": "Hello"}
    made = client.post(at(scope.owner, "templates/new"), words)
    assert made["Location"] == at(scope.owner, f"templates/{EmailTemplate.objects.get().pk}")
