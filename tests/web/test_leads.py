"""The pages of leads: the table, the board, a lead, a new one."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import CompanySettings
from crm.models import Contact, CustomField, FollowUp, Lead, LeadActivity, Stage
from tests.crm.bulk_jobs.helpers import work
from tests.crm.leads.helpers import member, product
from tests.crm.pipelines.helpers import make_pipeline, stage_ids, stage_of_status
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'
READS = {"lead": {"GET": True}, "lead-activity": {"GET": True}, "custom-field": {"GET": True}}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


@pytest.fixture
def leads(scope: Cast) -> list[Lead]:
    ann, bob = ContactFactory(name="Ann Lee"), ContactFactory(name="Bob Ray")
    return [LeadFactory(contact=ann, value=10, source="event"), LeadFactory(contact=bob, status="won", value="2.5")]


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(response))


def columns(response: Any) -> dict[str, tuple[str, list[str]]]:
    """Return the columns of the board: name -> (what its head says, the contacts of its cards)."""
    found = {}
    for part in html_of(response).split('<section class="column"')[1:]:
        name = re.search(r"<h2[^>]*>([^<]*)</h2>", part)
        head = re.search(r'<header class="column-head"[^>]*>(.*?)</header>', part, re.DOTALL)
        assert name is not None
        assert head is not None
        said = " ".join(re.sub(r"<[^>]+>", " ", head[1]).split())
        found[name[1]] = (said, re.findall(r'<a class="name"[^>]*>([^<]*)</a>', part))
    return found


def test_the_table_searches_filters_and_sorts(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, "leads")
    assert names(client.get(path + "?sort=value")) == ["Bob Ray", "Ann Lee"]
    assert names(client.get(path + "?sort=-contact.name")) == ["Bob Ray", "Ann Lee"]
    assert names(client.get(path + "?q=ann")) == ["Ann Lee"]
    won = client.get(path + "?f=status:in:won")
    assert (names(won), "Status is Won" in text_of(won)) == (["Bob Ray"], True)
    assert names(client.get(path + "?f=value:greaterThan:5")) == ["Ann Lee"]
    assert names(client.get(path + "?f=source:in:event")) == ["Ann Lee"]
    assert "No leads match" in text_of(client.get(path + "?q=nobody"))
    assert names(client.get(path + "?sort=nothing")) == ["Bob Ray", "Ann Lee"]


def offered_filters(response: Any) -> list[str]:
    """Return the fields of the filter menu."""
    return re.findall(r'<details name="filter"><summary>([^<]*)</summary', html_of(response))


def test_leads_are_filtered_by_stages_of_any_pipeline(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, "leads")
    assert "Default: " not in text_of(client.get(path))
    wholesale = make_pipeline(scope)
    asked = Stage.objects.get(pk=stage_ids(wholesale)["Asked"])
    ann, bob = leads
    Lead.objects.filter(pk=ann.pk).update(stage=asked, pipeline=wholesale["_id"])
    Lead.objects.filter(pk=bob.pk).update(stage=stage_of_status("won"))
    page = client.get(path)
    menu = offered_filters(page)
    assert [menu.count(label) for label in ("Stage", "Pipeline", "Outcome", "Status")] == [1, 1, 1, 0]
    assert "Wholesale: Asked" in text_of(page)
    board = client.get(path + "?view=board")
    assert {"Stage", "Pipeline", "Status"}.isdisjoint(offered_filters(board)), "the board shows one pipeline's stages"
    assert "Stage is Wholesale: Asked" in text_of(client.get(f"{path}?view=board&f=stage:in:{asked.pk}"))
    of_stage = client.get(f"{path}?f=stage:in:{asked.pk}")
    assert (names(of_stage), "Stage is Wholesale: Asked" in text_of(of_stage)) == (["Ann Lee"], True)
    assert names(client.get(f"{path}?f=pipeline:notIn:{wholesale['_id']}")) == ["Bob Ray"]
    of_pipeline = client.get(f"{path}?f=pipeline:in:{wholesale['_id']}")
    assert (names(of_pipeline), "Pipeline is Wholesale" in text_of(of_pipeline)) == (["Ann Lee"], True)


@pytest.mark.parametrize(
    ("field", "operator", "value", "chip"),
    [
        ("status", "in", ["won"], "Status is Won"),
        ("stage.name", "contains", "won", "Stage contains won"),
        ("pipeline.name", "notContains", "Wholesale", "Pipeline does not contain Wholesale"),
    ],
)
def test_saved_filters_of_earlier_fields_are_shown(
    scope: Cast, leads: list[Lead], client: Any, field: str, operator: str, value: Any, chip: str
) -> None:
    Lead.objects.filter(pk=leads[1].pk).update(stage=stage_of_status("won"))
    tree = {"operator": "and", "conditions": [{"field": field, "operator": operator, "value": value}]}
    made = scope.session.post("/saved-view", {"name": "Mine", "resource": "lead", "query": {"advancedFilters": tree}})
    assert made.status == 201, made.body
    page = client.get(f"{at(scope.owner, 'leads')}?saved={made.data['_id']}")
    assert chip in text_of(page)
    assert "Bob Ray" in names(page)


def test_many_are_moved_assigned_and_deleted_and_it_is_undone(scope: Cast, leads: list[Lead], client: Any) -> None:
    sam, path, ids = member(name="Sam"), at(scope.owner, "leads"), [one.pk for one in leads]
    moved = toast_of(
        client, client.post(f"{path}/change", {"do": "move", "stage": stage_of_status("proposal").pk, "ids": ids})
    )
    assert "Changed 2 leads" in moved
    assert set(Lead.objects.values_list("status", flat=True)) == {"proposal"}
    undo = re.search(r'action="([^"]+)"', moved)
    assert undo is not None
    assert "Undoing" in toast_of(client, client.post(undo[1], {"do": "undo"}))
    work()
    assert list(Lead.objects.order_by("pk").values_list("status", flat=True)) == ["new", "won"]
    assert "Changed 1 lead" in toast_of(
        client, client.post(path + "?q=ann", {"do": "assign", "member": sam.pk, "all": "1"})
    )
    assert list(Lead.objects.values_list("team_member", flat=True).order_by("pk")) == [sam.pk, leads[1].team_member_id]
    change = {"do": "save", "what": "source", "how": "set", "source": "referral", "ids": ids}
    assert "Changed 2 leads" in toast_of(client, client.post(f"{path}/change", change))
    assert set(Lead.objects.values_list("source", flat=True)) == {"referral"}
    assert "Deleted 2 leads" in toast_of(client, client.post(path, {"do": "delete", "ids": ids}))
    assert not Lead.objects.filter(is_deleted=False).exists()
    assert 'class="toast bad"' in toast_of(
        client, client.post(f"{path}/change", {"do": "move", "stage": "0" * 24, "ids": ids})
    )


def test_the_board_counts_and_sums_what_the_filters_match(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, "leads?view=board")
    board = columns(client.get(path))
    assert list(board) == ["New", "Contacted", "Qualified", "Proposal", "Won", "Lost"]
    assert (board["New"], board["Won"][1]) == (("New 1 $10 ($2)", ["Ann Lee"]), ["Bob Ray"])
    narrowed = client.get(path + "&q=ray")
    assert (columns(narrowed)["New"], columns(narrowed)["Won"][1]) == (("New 0", []), ["Bob Ray"])
    assert 'name="view" value="board"' in html_of(narrowed)


def test_columns_go_on_by_cursor(scope: Cast, client: Any) -> None:
    for number in range(60):
        LeadFactory(contact=ContactFactory(name=f"Person {number:02}"))
    path, seen = at(scope.owner, "leads"), []
    address: str | None = "?view=board"
    for _ in range(4):
        page = client.get(path + address)
        head, cards = columns(page)["New"]
        assert head == "New 60"
        more = re.search(r'<li class="more" hx-get="([^"]+)"', html_of(page))
        seen = cards if "cursor" not in address else seen + cards
        if more is None:
            break
        address = more[1].replace("&amp;", "&")
    assert seen == [f"Person {number:02}" for number in reversed(range(60))]
    assert more is None


def test_cards_are_moved_and_refusals_say_why(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, "leads?view=board&q=ann")
    sent = client.post(path, {"do": "move", "id": leads[0].pk, "stage": stage_of_status("won").pk})
    assert sent["Location"] == at(scope.owner, "leads?view=board&q=ann")
    toast = toast_of(client, sent)
    assert ("Moved to Won" in toast, "Undo" in toast) == (True, True)
    refused = toast_of(client, client.post(path, {"do": "move", "id": leads[0].pk, "stage": "0" * 24}))
    assert ('class="toast bad"' in refused, "Stage not found" in refused) == (True, True)
    CompanySettings.objects.update_or_create(defaults={"duplicate_leads": "refuse"})
    LeadFactory(contact=leads[0].contact)
    twice = toast_of(client, client.post(path, {"do": "move", "id": leads[0].pk, "stage": stage_of_status("new").pk}))
    assert 'class="toast bad"' in twice
    leads[0].refresh_from_db()
    assert leads[0].status == "won"


def test_the_contact_of_a_lead_is_picked(scope: Cast, client: Any) -> None:
    path, place = at(scope.owner, "leads/new"), at(scope.owner, "contacts/pick")
    CustomField.objects.create(unique_field_id="employer", name="Company", field_type="text", value_type="string")
    values = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+49", "number": "15112345678"}
    ann = Contact.objects.get(
        pk=scope.session.post("/contact", {"formData": {**values, "employer": "Nordwind"}}).data["_id"]
    )
    ContactFactory(name="Bob Ray", email="bob@example.net", custom={})
    for find in ("ann", "ann@exam", "15112345", "nordwi"):
        part = client.get(place, {"find": find}, headers={"HX-Request": "true"})
        options = re.findall(r'role="option".*?id="pick-(\w+)"', html_of(part))
        assert (find, options) == (find, [ann.pk])
        assert "ann@example.org · Nordwind" in text_of(part)
    assert "No contacts match" in text_of(client.get(place, {"find": "zzz"}, headers={"HX-Request": "true"}))
    chip = html_of(client.get(place, {"contact": ann.pk}, headers={"HX-Request": "true"}))
    assert (f'name="contact" value="{ann.pk}"' in chip, "Remove Ann Lee" in chip) == (True, True)

    # Without script the form comes back with all that was typed, and what was found as boxes to tick.
    typed = {"status": "new", "notes": "Call <b>first</b>"}
    plain = html_of(client.post(path, {**typed, "do": "find", "find": "ann"}))
    assert f'type="radio" name="contact" value="{ann.pk}"' in plain
    assert "Call &lt;b&gt;first&lt;/b&gt;" in plain
    away = html_of(client.post(path, {**typed, "contact": ann.pk, "do": "unpick"}))
    assert ("Remove Ann Lee" in away, "Call &lt;b&gt;first" in away) == (False, True)
    made = client.post(path, {**typed, "contact": ann.pk, "name": "Left over", "email": "left@example.org"})
    assert "Lead created" in toast_of(client, made)
    assert (Lead.objects.get().contact, Contact.objects.count()) == (ann, 2)
    for wrong in ("x", "a" * 24):
        assert client.post(path, {**typed, "contact": wrong}).status_code == 422


def test_a_lead_is_shown_changed_and_deleted(scope: Cast, leads: list[Lead], client: Any) -> None:
    path, sam = at(scope.owner, f"leads/{leads[0].pk}"), member(name="Sam")
    shown = text_of(client.get(path))
    assert all(text in shown for text in ("Ann Lee", "$10.00", "Event", "Assigned to"))
    form = html_of(client.get(path + "?edit"))
    values = {"status": "new", "source": "event", "value": "99", "notes": "Call in May"}
    assert ('name="value" type="number"' in form, 'value="10"' in form) == (True, True)
    assert client.post(path + "?edit", {**values, "value": "much"}).status_code == 422
    assert "Lead saved" in toast_of(client, client.post(path + "?edit", values))
    cell = {"HX-Request": "true"}
    saved = client.post(path + "/cell?field=teamMember&at=record", {"teamMember": sam.pk}, headers=cell)
    assert (saved.status_code, "Sam" in text_of(saved)) == (200, True)
    assert "Moved to Qualified" in toast_of(
        client, client.post(path, {"do": "move", "stage": stage_of_status("qualified").pk})
    )
    lead = Lead.objects.get(pk=leads[0].pk)
    assert (lead.value, lead.notes, lead.team_member, lead.status) == (99, "Call in May", sam, "qualified")
    assert client.post(path, {"do": "delete"})["Location"] == at(scope.owner, "leads")
    assert client.get(path).status_code == 404


def test_a_lead_that_changed_meanwhile_is_not_overwritten(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, f"leads/{leads[0].pk}?edit")
    form = html_of(client.get(path))
    sent = {
        "opened": unescape(re.search(r'name="opened" value="([^"]*)"', form)[1]),
        "status": "new",
        "source": "event",
    }
    assert scope.key.put(f"/lead/{leads[0].pk}", {"formData": {"value": 50}}).status == 200
    clash = client.post(path, {**sent, "value": "99", "notes": "Typed"})
    assert (clash.status_code, "Take: 50" in text_of(clash), "Typed" in text_of(clash)) == (422, True, True)
    assert client.post(path, {**sent, "value": "10", "notes": "Typed"}).status_code == 303
    assert Lead.objects.values_list("value", "notes").get(pk=leads[0].pk) == (50, "Typed")
    assert '<p class="note">' not in html_of(client.get(path))  # the change has its old and new text


def test_what_happens_to_a_lead_is_told_and_planned(scope: Cast, leads: list[Lead], client: Any) -> None:
    path = at(scope.owner, f"leads/{leads[0].pk}")
    LeadActivity.objects.create(
        lead=leads[0], kind="status", details={"status": {"from": "new", "to": "won"}}, happened_at=leads[0].created_at
    )
    assert "Note added" in toast_of(client, client.post(path, {"do": "note", "notes": "Likes tea"}))
    told = text_of(client.get(path))
    assert ("Lead moved from New to Won" in told, "Likes tea" in told) == (True, True)
    related = path + "/related"
    assert client.post(path, {"do": "task", "title": "", "dueAt": "soon"}).status_code == 422
    assert "Task added" in toast_of(
        client, client.post(path, {"do": "task", "title": "Ring her", "dueAt": "2030-01-02T09:30"})
    )
    made = FollowUp.objects.get()
    assert "Ring her" in text_of(client.get(related))
    client.post(path, {"do": "done", "id": made.pk})
    made.refresh_from_db()
    assert made.status == "done"
    called = {"do": "call", "direction": "inbound", "outcome": "no_answer", "minutes": "2", "notes": "Busy week"}
    assert "Call logged" in toast_of(client, client.post(path, called))
    shown = text_of(client.get(related))
    assert ("Incoming" in shown, "Busy week" in shown, "No meetings" in shown) == (True, True, True)
    assert ("Ann Lee" in shown, "No open tasks" in shown) == (True, True)


def test_the_timeline_writes_values_as_the_page_does(scope: Cast, leads: list[Lead], client: Any) -> None:
    details = {"value": {"from": None, "to": 1234.5}, "days": {"from": None, "to": ["2026-01-31", "2026-02-28"]}}
    details["expectedCloseAt"] = {"from": "2027-02-18T00:00:00.000Z", "to": "2027-02-19T00:00:00.000Z"}
    LeadActivity.objects.create(lead=leads[0], kind="changed", details=details, happened_at=leads[0].created_at)
    Lead.objects.filter(pk=leads[0].pk).update(value=1234.5)
    shown = text_of(client.get(at(scope.owner, f"leads/{leads[0].pk}")))
    assert (shown.count("1,234.50"), "31 Jan 2026, 28 Feb 2026" in shown) == (2, True)
    assert "Expected close 18 Feb 2027 19 Feb 2027" in shown


def test_addresses_of_no_lead_are_not_found(scope: Cast, client: Any) -> None:
    for id in ("a" * 24, "x", "summary", "import"):
        assert client.get(at(scope.owner, f"leads/{id}")).status_code == 404
        assert client.post(at(scope.owner, f"leads/{id}"), {"do": "save"}).status_code == 404
        assert client.get(at(scope.owner, f"leads/new?contact={id}")).status_code in (200, 400)


def test_nobody_does_what_their_role_may_not(db: None) -> None:
    cast = make_cast(READS)
    with cast.scope():
        lead = LeadFactory(contact=ContactFactory(name="Ann Lee"))
    client = enter(cast.narrow)
    for path in ("leads", "leads?view=board", f"leads/{lead.pk}", f"leads/{lead.pk}?edit"):
        page = html_of(client.get(at(cast.narrow, path)))
        assert "Ann Lee" in page
        actions = (
            r'name="do" value="(delete|note|save|move|status|assign)"|\?edit|leads/new|data-pick-all|name="(?:ids|all)"'
        )
        assert not re.findall(actions, page)
    for path, body in (
        ("leads", {"do": "delete", "ids": lead.pk}),
        ("leads/change", {"do": "move", "stage": "0" * 24, "all": "1"}),
        ("leads?view=board", {"do": "move", "id": lead.pk, "stage": lead.stage_id or ""}),
        (f"leads/{lead.pk}", {"do": "delete"}),
        (f"leads/{lead.pk}", {"do": "note", "notes": "x"}),
    ):
        assert 'class="toast bad"' in toast_of(client, client.post(at(cast.narrow, path), body))
    assert client.post(at(cast.narrow, "leads/new"), {"name": "X"}).status_code == 422
    with cast.scope():
        assert list(Lead.objects.values_list("status", "is_deleted")) == [("new", False)]


def test_hostile_text_stays_text_and_pages_ask_little(scope: Cast, client: Any) -> None:
    product(EVIL)
    lead = LeadFactory(contact=ContactFactory(name=EVIL), notes=EVIL, source=EVIL)
    client.get(at(scope.owner))  # announcements are kept for some seconds
    for path in ("leads", "leads?view=board", f"leads?q={EVIL}", f"leads/{lead.pk}", f"leads/{lead.pk}?edit"):
        with CaptureQueriesContext(connection) as queries:
            page = html_of(client.get(at(scope.owner, path)))
        assert "<script>alert" not in page, path
        assert len(queries) <= 16, (path, len(queries))


def test_the_board_of_another_pipeline_moves_and_asks_for_reasons(scope: Cast, leads: list[Lead], client: Any) -> None:
    pipeline = make_pipeline(scope)
    stages = stage_ids(pipeline)
    reason = scope.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    scope.key.put(f"/lead/{leads[0].pk}", {"stage": stages["Offered"]})
    table = text_of(client.get(at(scope.owner, "leads")))
    assert re.search(r"Ann Lee Offered", table), table
    default = client.get(at(scope.owner, "leads?view=board"))
    assert columns(default)["New"] == ("New 0", [])
    link = re.search(r'href="([^"]+)"[^>]*>Wholesale</a>', html_of(default))
    assert link is not None
    address = link[1].replace("&amp;", "&")
    board = client.get(address)
    assert list(columns(board)) == ["Asked", "Offered", "Ordered", "Gone"]
    assert columns(board)["Offered"] == ("Offered 1 $10 ($6)", ["Ann Lee"])
    assert (html_of(board).count("data-asks"), '<select name="lostReason">' in html_of(board)) == (1, True)
    sent = client.post(address, {"do": "move", "id": leads[0].pk, "stage": stages["Gone"], "lostReason": reason})
    assert (sent.status_code, "Moved to Gone" in toast_of(client, sent)) == (303, True)
    leads[0].refresh_from_db()
    assert (leads[0].stage_id, leads[0].lost_reason_id, leads[0].status) == (stages["Gone"], reason, "lost")
    page = client.get(at(scope.owner, f"leads/{leads[0].pk}"))
    told = text_of(page)
    assert (
        "Reason for loss Price" in told,
        '<optgroup label="Wholesale"' in html_of(page).replace("\n        ", " "),
    ) == (True, True)
    path = at(scope.owner, f"leads/{leads[0].pk}")
    assert "Moved to Asked" in toast_of(client, client.post(path, {"do": "move", "stage": stages["Asked"]}))
    asks = client.post(path, {"do": "move", "stage": stages["Gone"]})
    assert asks["Location"] == f"{path}/move?stage={stages['Gone']}"
    assert "Why was the lead lost?" in text_of(client.get(asks["Location"]))
    moved = client.post(f"{path}/move", {"do": "move", "stage": stages["Gone"], "lostReason": reason})
    assert (moved["Location"], "Moved to Gone" in toast_of(client, moved)) == (path, True)


def test_a_board_of_no_pipeline_is_refused(scope: Cast, client: Any) -> None:
    assert client.get(at(scope.owner, f"leads?view=board&pipeline={'0' * 24}")).status_code == 404
    assert client.get(at(scope.owner, "leads?view=board&pipeline=x")).status_code in (400, 404)


def test_a_board_of_many_stages_asks_as_little_and_shows_few_cards(scope: Cast, client: Any) -> None:
    def queries(pipeline: dict[str, Any]) -> int:
        client.get(address.format(pipeline["_id"]))  # announcements are kept for some seconds
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address.format(pipeline["_id"])).status_code == 200
        return len(captured)

    address = at(scope.owner, "leads?view=board&pipeline={}")
    ends = [{"name": "Won", "kind": "won"}, {"name": "Lost", "kind": "lost"}]
    small = make_pipeline(scope)
    large = make_pipeline(scope, "Long", [*({"name": f"Step {number}"} for number in range(8)), *ends])
    contact = ContactFactory(name="Ann Lee")
    for stage in large["stages"][:9]:
        LeadFactory.create_batch(6, contact=contact, stage_id=stage["_id"], pipeline_id=large["_id"])
    LeadFactory(contact=contact, stage_id=small["stages"][0]["_id"], pipeline_id=small["_id"])
    last = large["stages"][9]["_id"]
    LeadFactory.create_batch(30, contact=contact, stage_id=last, pipeline_id=large["_id"])
    assert queries(small) == queries(large)
    board = client.get(address.format(large["_id"]))
    shown = {name: (head.split()[-1], len(cards)) for name, (head, cards) in columns(board).items()}
    assert shown == {**{stage["name"]: ("6", 6) for stage in large["stages"][:9]}, "Lost": ("30", 25)}
    more = re.findall(r'class="link" href="([^"]+)">Show more', html_of(board))
    assert len(more) == 1
    rest = client.get(at(scope.owner, "leads") + unescape(more[0]))
    assert len(columns(rest)["Lost"][1]) == 30
