"""The pages of settings: company, formats, members, roles, fields, keys, log, plan; and of one's referrals."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import ApiKey, Member, Role
from accounts.roles.pages import WORDS
from accounts.roles.permissions import MODULES
from accounts.settings.notices import NOTICES
from accounts.settings.pages import NOTICES as NOTICE_WORDS
from billing.entitlements.pages import left_out_of
from crm.models import Contact, CustomField, CustomSection
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def test_the_first_page_leads_to_what_the_role_may_see(scope: Cast, client: Any) -> None:
    page = html_of(client.get(at(scope.owner, "settings")))
    for path in ("company", "members", "roles", "fields", "formats", "notices", "keys", "log", "plan"):
        assert f'href="{at(scope.owner, f"settings/{path}")}"' in page, path
    narrow = enter(scope.narrow)
    assert "settings/" not in re.sub(r"<nav.*?</nav>", "", html_of(narrow.get(at(scope.narrow, "settings"))))
    assert narrow.get(at(scope.narrow, "settings/members")).status_code == 403


def test_company_formats_and_notices_are_saved(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/company")
    values = {"name": "Acme", "website": "nonsense", "timezone": "Europe/Berlin"}
    wrong = client.post(path, values)
    assert (wrong.status_code, 'id="f-website-error"' in html_of(wrong)) == (422, True)
    assert "Saved" in toast_of(client, client.post(path, {**values, "website": "https://acme.example", "city": EVIL}))
    company = scope.session.get("/company").data
    assert (company["name"], company["timezone"], company["city"]) == ("Acme", "Europe/Berlin", EVIL)
    assert "<script>alert" not in html_of(client.get(path))
    formats = at(scope.owner, "settings/formats")
    assert client.post(formats, {"dateFormat": "yyyy-mm-dd", "currency": "EUR"}).status_code == 303
    found = scope.session.get("/settings").data
    assert (found["dateFormat"], found["currency"], found["timeFormat"]) == ("yyyy-mm-dd", "EUR", "HH:mm")
    assert "LinkedIn" not in text_of(client.get(formats))
    public = {"appName": "Acme Mail", "linkedin": "https://www.linkedin.com/company/acme"}
    assert client.post(at(scope.owner, "settings/public"), public).status_code == 303
    found = scope.session.get("/settings").data
    assert (found["appName"], found["linkedin"], found["dateFormat"]) == (*public.values(), "yyyy-mm-dd")
    before = found["notificationSettings"]
    on = [name for name, channels in before.items() if channels["email"] and name != "member.joined"]
    assert client.post(at(scope.owner, "settings/notices"), dict.fromkeys(on, "on")).status_code == 303
    after = scope.session.get("/settings").data["notificationSettings"]
    assert after == {**before, "member.joined": {**before["member.joined"], "email": False}}


def test_every_notice_and_module_has_words() -> None:
    assert set(NOTICE_WORDS) == set(NOTICES)
    assert set(WORDS) == set(MODULES)


def test_members_are_invited_blocked_and_removed(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/members")
    assert client.post(f"{path}/new", {"email": "nonsense"}).status_code == 422
    role = Role.objects.get(name="Viewer")
    invited = client.post(f"{path}/new", {"email": "new@example.org", "name": "New", "role": role.pk})
    assert "Invite sent to new@example.org" in toast_of(client, invited)
    member = Member.objects.get(email="new@example.org")
    assert (member.role_id, member.status) == (role.pk, "invited")
    assert "Viewer Invited" in text_of(client.get(f"{path}?f=status:in:invited"))
    found = html_of(client.get(path))
    rows = {row.split('"')[0]: re.sub(r"<[^>]+>|\s+", " ", row) for row in found.split('<tr data-row="')[1:]}
    assert "Owner" in rows[scope.owner.pk]
    assert "Active" in rows[scope.owner.pk]
    assert scope.narrow.role.name in rows[scope.narrow.pk]
    assert "Status is Active, an owner" in text_of(client.get(f"{path}?f=status:in:owner"))
    assert "New invite sent" in toast_of(client, client.post(f"{path}/{member.pk}", {"do": "resend"}))
    narrow = f"{path}/{scope.narrow.pk}"
    assert client.post(narrow, {"name": scope.narrow.name, "role": role.pk}).status_code == 303
    assert "Blocked" in toast_of(client, client.post(narrow, {"do": "block"}))
    scope.narrow.refresh_from_db()
    assert (scope.narrow.role_id, scope.narrow.status) == (role.pk, "blocked")
    assert "Unblocked" in toast_of(client, client.post(narrow, {"do": "unblock"}))
    own = html_of(client.get(f"{path}/{scope.owner.pk}"))
    assert 'value="remove"' not in own
    alone = client.post(f"{path}/{scope.owner.pk}", {"do": "disown"})
    assert 'class="toast bad"' in toast_of(client, alone)
    assert "Removed" in toast_of(client, client.post(narrow, {"do": "remove"}))
    scope.narrow.refresh_from_db()
    assert scope.narrow.status == "removed"


def test_the_company_is_handed_over(scope: Cast, client: Any) -> None:
    path = at(scope.owner, f"settings/members/{scope.narrow.pk}")
    assert "Transfer ownership" in text_of(client.get(path))
    assert client.post(path, {"do": "transfer"}).status_code == 303
    states = dict(Member.objects.values_list("pk", "status"))
    assert (states[scope.owner.pk], states[scope.narrow.pk]) == ("accepted", "owner")


def test_a_role_is_a_table_of_check_marks(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/roles")
    body = {"name": "Sales", "flags": ["contact.GET", "contact.POST", "lead.GET"]}
    assert "Role added" in toast_of(client, client.post(f"{path}/new", body))
    role = Role.objects.get(name="Sales")
    assert role.permission == {"contact": {"GET": True, "POST": True}, "lead": {"GET": True}}
    page = html_of(client.get(f"{path}/{role.pk}"))
    assert len(re.findall(r'name="flags" value="[\w.-]+" aria-label="[^"]+" checked', page)) == 3
    assert page.count('name="flags"') == 4 * len(MODULES)
    saved = toast_of(client, client.post(f"{path}/{role.pk}", {**body, "flags": ["contact.GET", "tag.GET"]}))
    assert "Added: Tags (view)." in saved
    assert "Removed: Contacts (add), Leads (view)." in saved
    like = html_of(client.get(f"{path}/new?like={role.pk}"))
    assert len(re.findall(r"aria-label=\"[^\"]+\" checked", like)) == 2
    forged = client.post(f"{path}/{role.pk}", {**body, "flags": ["nothing.GET"]})
    assert forged.status_code == 422
    assert "Role deleted" in toast_of(client, client.post(f"{path}/{role.pk}", {"do": "delete"}))
    used = client.post(f"{path}/{scope.narrow.role_id}", {"do": "delete"})
    assert 'class="toast bad"' in toast_of(client, used)


def test_a_role_is_refused_that_changes_what_it_does_not_see(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/roles")
    refused = client.post(f"{path}/new", {"name": "Sales", "flags": ["contact.POST", "tag.GET", "lead.DELETE"]})
    assert refused.status_code == 422
    assert "clear the other boxes: Contacts, Leads." in text_of(refused)
    assert not Role.objects.filter(name="Sales").exists()


def test_a_role_made_by_a_program_keeps_what_its_form_does_not_touch(scope: Cast, client: Any) -> None:
    permission = {"contact": {"POST": True}, "tag": {"GET": True, "PUT": True}}
    role = Role.objects.create(company=scope.owner.company, name="Writer", permission=permission)
    path = at(scope.owner, f"settings/roles/{role.pk}")
    flags = ["contact.POST", "tag.GET", "tag.PUT", "lead.GET"]
    assert client.post(path, {"name": "Writers", "flags": flags}).status_code == 303
    role.refresh_from_db()
    assert role.permission == {**permission, "lead": {"GET": True}}
    assert client.post(path, {"name": "Writers", "flags": ["contact.POST", "tag.PUT"]}).status_code == 422


def test_fields_are_ordered_and_a_conversion_tells_what_it_loses(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/fields")
    for name in ("Size", "Turnover"):
        made = client.post(f"{path}/new?panel=contact", {"name": name, "fieldType": "text"})
        assert re.fullmatch(rf"{path}/[0-9a-f]{{24}}", made["Location"])
    size, turnover = CustomField.objects.get(name="Size"), CustomField.objects.get(name="Turnover")
    names = re.findall(r'aria-label="Move (\w+) up"', html_of(client.get(path)))
    assert names[-2:] == ["Size", "Turnover"]
    assert client.post(path, {"do": "up", "id": turnover.pk}).status_code == 303
    names = re.findall(r'aria-label="Move (\w+) up"', html_of(client.get(path)))
    assert names[-2:] == ["Turnover", "Size"]
    for after, order in ((size.pk, ["Size", "Turnover"]), ("", ["Turnover"])):
        assert client.post(path, {"do": "place", "id": turnover.pk, "after": after}).status_code == 303
        names = re.findall(r'aria-label="Move (\w+) up"', html_of(client.get(path)))
        assert (names[-2:] if after else names[:1]) == order
    contact = ContactFactory()
    key = size.unique_field_id
    assert scope.session.put(f"/contact/{contact.pk}", {"formData": {key: "many"}}).status == 200
    change = {"name": "Size", "fieldType": "number"}
    warned = client.post(f"{path}/{size.pk}", change)
    assert (warned.status_code, "1 of 1 values would be lost" in text_of(warned)) == (422, True)
    assert ("many" in text_of(warned), "dropInvalid" in text_of(warned)) == (True, False)
    size.refresh_from_db()
    assert (size.field_type, Contact.objects.get(pk=contact.pk).custom) == ("text", {key: "many"})
    assert client.post(f"{path}/{size.pk}", {**change, "do": "convert"}).status_code == 303
    size.refresh_from_db()
    assert (size.field_type, Contact.objects.get(pk=contact.pk).custom) == ("number", {})
    assert "Field deleted" in toast_of(client, client.post(f"{path}/{size.pk}", {"do": "delete"}))


def test_options_are_renamed_added_and_taken_away(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/fields")
    assert (
        client.post(f"{path}/new", {"name": "Size", "fieldType": "select", "more": "Small\nBig\n"}).status_code == 303
    )
    field = CustomField.objects.get(name="Size")
    assert [one["label"] for one in field.options] == ["Small", "Big"]
    kept = {"name": "Size", "fieldType": "select", "was0": "Small", "was1": "Big"}
    changed = {**kept, "option0": "Tiny", "option1": "", "more": "Huge"}
    assert client.post(f"{path}/{field.pk}", changed).status_code == 303
    field.refresh_from_db()
    assert [(one["value"], one["label"]) for one in field.options] == [("Small", "Tiny"), ("Huge", "Huge")]
    system = CustomField.objects.get(panel="contact", unique_field_id="email")
    page = html_of(client.get(f"{path}/{system.pk}"))
    assert ('name="fieldType"' in page, 'value="delete"' in page) == (False, False)
    assert client.post(f"{path}/{system.pk}", {"name": "Mail", "required": "on"}).status_code == 303
    system.refresh_from_db()
    assert (system.name, system.required) == ("Mail", True)


def test_fields_have_defaults_descriptions_and_parts(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/fields")

    def add(**body: str) -> CustomField:
        made = client.post(f"{path}/new", {"fieldType": "text", "holds": "", **body})
        assert made.status_code == 303, text_of(made)
        return CustomField.objects.get(name=body["name"])

    seats = add(name="Seats", fieldType="number", defaultValue="5", description="From the fair")
    assert (seats.default_value, seats.description) == (5, "From the fair")
    size = add(name="Size", fieldType="multi-select", more="Small\nBig", defaultValue="Big, Small")
    assert size.default_value == ["Big", "Small"]
    assert add(name="Guest", fieldType="checkbox", defaultValue="yes").default_value is True
    wrong = client.post(f"{path}/new", {"name": "No", "fieldType": "number", "holds": "", "defaultValue": "many"})
    assert (wrong.status_code, 'id="f-defaultValue-error"' in html_of(wrong)) == (422, True)
    place = add(name="Place", holds="object", parts="Street: Text\nFloor: number\nNote")
    assert [(one["name"], one["fieldType"], one["valueType"]) for one in place.children] == [
        ("Street", "text", "string"),
        ("Floor", "number", "number"),
        ("Note", "text", "string"),
    ]
    # The form as it is opened changes nothing; an option's text of its own stays when another is renamed.
    size.options[0]["description"] = "For one"
    size.save()
    page = html_of(client.get(f"{path}/{size.pk}"))
    assert ('value="Big, Small"' in page, 'value="For one"' in page) == (True, True)
    kept = {"name": "Size", "fieldType": "multi-select", "was0": "Small", "was1": "Big", "defaultValue": "Big, Small"}
    texts = {"holds": "array", "option0": "Tiny", "about0": "For one", "option1": "Big", "about1": ""}
    assert client.post(f"{path}/{size.pk}", {**kept, **texts}).status_code == 303
    size.refresh_from_db()
    assert [(one["label"], one["description"]) for one in size.options] == [("Tiny", "For one"), ("Big", "")]
    shown = html_of(client.get(f"{path}/{place.pk}"))
    assert "Street: Text\nFloor: Number\nNote: Text" in shown
    body = {"name": "Place", "fieldType": "text", "holds": "object", "parts": "Street: Text\r\nFloor: Number"}
    assert client.post(f"{path}/{place.pk}", body).status_code == 303
    place.refresh_from_db()
    assert [one["name"] for one in place.children] == ["Street", "Floor"]


def test_sections_hold_fields(scope: Cast, client: Any) -> None:
    fields, sections = at(scope.owner, "settings/fields"), at(scope.owner, "settings/sections")
    for name in ("Money", "People"):
        assert client.post(f"{sections}/new?panel=lead", {"name": name}).status_code == 303
    money = CustomSection.objects.get(name="Money")
    body = {"name": "Budget", "fieldType": "number", "section": money.pk}
    assert client.post(f"{fields}/new?panel=lead", body).status_code == 303
    assert CustomField.objects.get(name="Budget").section == money.pk
    assert client.post(f"{fields}?panel=lead", {"do": "section_down", "id": money.pk}).status_code == 303
    text = text_of(client.get(f"{fields}?panel=lead"))
    assert text.index("People") < text.index("Money") < text.index("Budget")
    assert "Section deleted" in toast_of(client, client.post(f"{sections}/{money.pk}", {"do": "delete"}))


def test_a_key_is_shown_once(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/keys")
    wrong = client.post(f"{path}/new", {"allowedIps": "nonsense"})
    assert wrong.status_code == 422
    made = client.post(f"{path}/new", {"durationMinutes": "60", "allowedIps": "203.0.113.0/24"})
    key = re.search(r'id="new-key"[^>]* value="(\w{64})"', html_of(made))[1]
    row = ApiKey.objects.exclude(pk=scope.api_key.pk).get()
    assert (row.key, row.type, row.allowed_ips) == (key, "temporary", ["203.0.113.0/24"])
    for address in (path, f"{path}/{row.pk}"):
        page = html_of(client.get(address))
        assert (key in page, key[-4:] in page) == (False, True)
    assert "Key revoked" in toast_of(client, client.post(f"{path}/{row.pk}", {"do": "delete"}))
    assert not ApiKey.objects.filter(pk=row.pk).exists()


def test_the_log_and_the_plan_are_shown(scope: Cast, client: Any) -> None:
    for path, text in (
        ("settings/log", "Address"),
        ("settings/log/logins", "Outcome"),
        ("settings/log/members", "Changes of members"),
        ("settings/plan", "Plans"),
    ):
        page = client.get(at(scope.owner, path))
        assert page.status_code == 200, path
        assert text in text_of(page) or "No " in text_of(page), path
    used = Member.objects.count()
    assert re.search(rf"Members {used}[ ,]", text_of(client.get(at(scope.owner, "settings/plan"))))


def test_the_plan_names_what_it_does_not_include() -> None:
    every, few = ["Contacts", "Branding", "Assistant"], ["Contacts"]
    plans: Any = [{"features": few}, {"features": every}]
    for mine, is_open, expected in ((few, True, every[1:]), (every, True, []), (few, False, [])):
        subscription: Any = {"plan": {"features": mine}, "isOpen": is_open, "plans": plans}
        assert left_out_of(subscription) == expected
    without_plan: Any = {"plan": None, "isOpen": True, "plans": plans}
    assert left_out_of(without_plan) == []


def test_who_may_only_look_changes_no_settings(scope: Cast) -> None:
    modules = ("company", "settings", "role", "member", "custom-field", "custom-section", "api", "logs", "plan")
    scope.narrow.role.permission = {module: {"GET": True} for module in modules}
    scope.narrow.role.save()
    client = enter(scope.narrow)
    role, field = Role.objects.get(name="Viewer"), CustomField.objects.first()
    paths = [
        *("company", "formats", "notices", "members", "members/new", f"members/{scope.owner.pk}", "roles", "roles/new"),
        *(f"roles/{role.pk}", "fields", "fields/new", f"fields/{field.pk}", "keys", "keys/new", "log", "plan"),
        f"keys/{scope.api_key.pk}",
    ]
    for path in paths:
        shown = client.get(at(scope.narrow, f"settings/{path}"))
        assert shown.status_code == 200, path
        found = re.findall(r'name="do" value="[^"]*"', html_of(shown))
        assert not found, (path, found)
    for path, body in (
        ("company", {"name": "Mine"}),
        ("formats", {"currency": "CHF"}),
        (f"roles/{role.pk}", {"name": "x", "flags": ["contact.DELETE"]}),
        ("roles/new", {"name": "x", "flags": ["contact.GET"]}),
        ("keys/new", {}),
        ("members/new", {"email": "x@example.org"}),
        (f"fields/{field.pk}", {"name": "x"}),
    ):
        assert client.post(at(scope.narrow, f"settings/{path}"), body).status_code == 422, path
    for action in ("block", "remove", "transfer", "own"):
        refused = client.post(at(scope.narrow, f"settings/members/{scope.owner.pk}"), {"do": action})
        assert 'class="toast bad"' in toast_of(client, refused), action


def test_one_takes_part_in_the_referral_program(scope: Cast, client: Any) -> None:
    assert "Join program" in text_of(client.get("/account/referral"))
    assert "You joined" in toast_of(client, client.post("/account/referral", {"do": "join"}))
    assert 'id="refer-link" value="http' in html_of(client.get("/account/referral"))
    asked = client.post("/account/referral", {"do": "request", "requestNote": EVIL})
    assert "Request sent" in toast_of(client, asked)
    page = client.get("/account/referral")
    assert ("Requested" in text_of(page), "<script>alert" in html_of(page)) == (True, False)
    assert client.post("/account/referral", {"do": "leave"}).status_code == 303


def test_a_field_is_refused_where_its_settings_would_be_dropped(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "settings/fields")
    cases = [
        ({"fieldType": "number", "holds": "array"}, "Only text and file fields can hold a list"),
        ({"fieldType": "date", "holds": "object"}, "Only text and file fields can hold a list"),
        ({"fieldType": "select", "holds": "array", "more": "A"}, "Only text and file fields can hold a list"),
        ({"fieldType": "checkbox", "holds": "array"}, "Only text and file fields can hold a list"),
        ({"fieldType": "file", "holds": "object"}, "Only text and file fields can hold a list"),
        ({"fieldType": "number", "holds": "", "parts": "Street: Text"}, "To add parts, choose a text field"),
        ({"fieldType": "text", "holds": "", "parts": "Street: Text"}, "To add parts, choose a text field"),
        ({"fieldType": "select", "holds": ""}, "Write at least one option"),
        ({"fieldType": "multi-select", "holds": "array"}, "Write at least one option"),
        ({"fieldType": "text", "holds": "object", "required": "on"}, "Set a default value"),
        ({"fieldType": "text", "holds": "", "hide": "on", "required": "on"}, "Set a default value"),
    ]
    for number, (body, error) in enumerate(cases):
        answer = client.post(f"{path}/new", {"name": f"F{number}", **body})
        assert answer.status_code == 422, body
        assert error in text_of(answer), body
    fitting = [
        ({"fieldType": "file", "holds": "array"}, "array"),
        ({"fieldType": "file", "holds": ""}, "file"),
        ({"fieldType": "text", "holds": "array", "required": "on"}, "array"),
        ({"fieldType": "multi-select", "holds": "", "more": "A"}, "array"),
        ({"fieldType": "number", "holds": ""}, "number"),
    ]
    for number, (body, value_type) in enumerate(fitting):
        assert client.post(f"{path}/new", {"name": f"G{number}", **body}).status_code == 303, body
        field = next(one for one in scope.key.get("/custom-field?n=200").data if one["name"] == f"G{number}")
        assert field["valueType"] == value_type, body
    changed = client.post(f"{path}/{field['_id']}", {"name": "G4", "fieldType": "number", "holds": "array"})
    assert (changed.status_code, "can hold a list" in text_of(changed)) == (422, True)


def test_records_are_added_with_required_files_and_lists(scope: Cast, client: Any) -> None:
    upload = SimpleUploadedFile("contract.csv", b"Name\nAnn\n")
    file = scope.key.upload("/upload", upload).data["_id"]
    fields = {
        name: scope.key.post("/custom-field", {"name": name, "panel": "contact", "required": True, **body}).data["_id"]
        for name, body in {
            "Contract": {"fieldType": "file"},
            "Offers": {"fieldType": "file", "valueType": "array"},
            "Words": {"fieldType": "text", "valueType": "array"},
            "Buddy": {"fieldType": "text", "valueType": "member"},
        }.items()
    }
    page = client.get(at(scope.owner, "contacts/new"))
    assert text_of(page).count("contract.csv") == 2
    sent = {"do": "save", "name": "Ann", "email": "ann@example.org", "countryCode": "", "number": "+442079460000"}
    missing = client.post(at(scope.owner, "contacts/new"), sent)
    assert missing.status_code == 422
    assert not any(id in text_of(missing) for id in fields.values())
    sent |= {fields["Contract"]: file, fields["Offers"]: [file], fields["Words"]: "one\r\n two \r\n\r\n"}
    answer = client.post(at(scope.owner, "contacts/new"), {**sent, fields["Buddy"]: scope.owner.pk})
    assert answer.status_code == 303, text_of(answer)
    values = scope.key.get("/contact?searchValue=Ann").data[0]["formData"]
    assert [values[id] for id in fields.values()] == [file, [file], ["one", "two"], scope.owner.pk]
    page = html_of(client.get(f"{answer['Location']}?edit=1"))
    assert "one\ntwo</textarea>" in page
    edited = {"do": "save", fields["Words"]: "two\none", fields["Offers"]: [file]}
    changed = client.post(f"{answer['Location']}?edit=1", edited)
    assert changed.status_code == 303, text_of(changed)
    values = scope.key.get("/contact?searchValue=Ann").data[0]["formData"]
    assert values[fields["Words"]] == ["two", "one"]
    assert values[fields["Contract"]] == file
