"""Facts of a record edited at their place, and its related records."""

from __future__ import annotations

import re
from typing import Any

import pytest

from crm.models import FollowUp, Lead
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

PART = {"HX-Request": "true"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def test_a_fact_has_a_form_of_its_own(scope: Cast, client: Any) -> None:
    tag = TagFactory(name="Fair")
    contact = ContactFactory(name="Ann Lee", email="ann@example.org")
    path = at(scope.owner, f"contacts/{contact.pk}")
    assert f'href="{path}/cell?field=tags&amp;at=record"' in html_of(client.get(path))
    cell = f"{path}/cell?field=tags&at=record"
    form = html_of(client.get(cell, headers=PART))
    assert re.search(r'<dd class="fact editing">.*name="tags"', form, re.DOTALL)
    saved = client.post(cell, {"tags": [tag.pk]}, headers=PART)
    assert (saved.status_code, "Fair" in text_of(saved)) == (200, True)
    assert [link.tag_id for link in contact.tag_links.all()] == [tag.pk]
    # Without script it leads back to the record; in the table tags are no field of a cell.
    assert client.post(cell, {})["Location"] == path
    assert client.get(f"{path}/cell?field=tags").status_code == 404
    wrong = client.post(f"{path}/cell?field=email&at=record", {"email": "nonsense"}, headers=PART)
    assert (wrong.status_code, 'aria-invalid="true"' in html_of(wrong)) == (422, True)


def test_a_lead_is_assigned_at_its_place(scope: Cast, client: Any) -> None:
    lead = LeadFactory(contact=ContactFactory(name="Ann Lee"))
    cell = at(scope.owner, f"leads/{lead.pk}/cell?field=teamMember&at=record")
    assert client.post(cell, {"teamMember": scope.owner.pk}, headers=PART).status_code == 200
    assert Lead.objects.get(pk=lead.pk).team_member_id == scope.owner.pk
    assert client.post(cell, {"teamMember": ""}, headers=PART).status_code == 200
    assert Lead.objects.get(pk=lead.pk).team_member_id is None


def test_related_records_are_linked_and_tasks_completed(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Ann Lee")
    lead = LeadFactory(contact=contact, value=250, status="qualified")
    path = at(scope.owner, f"leads/{lead.pk}")
    task = {"do": "task", "title": "Send the offer", "dueAt": "2030-01-02T09:30"}
    assert "Task added" in toast_of(client, client.post(path, task))
    shown = html_of(client.get(at(scope.owner, f"contacts/{contact.pk}/related")))
    made = FollowUp.objects.get()
    for address in (f"leads/{lead.pk}", f"follow-ups/{made.pk}"):
        assert f'href="{at(scope.owner, address)}"' in shown
    assert ("$250.00" in shown, "Qualified" in shown) == (True, True)
    stages = stage_ids(make_pipeline(scope))
    assert scope.key.put(f"/lead/{lead.pk}", {"stage": stages["Offered"]}).status == 200
    shown = text_of(client.get(at(scope.owner, f"contacts/{contact.pk}/related")))
    assert ("Offered" in shown, "Qualified" in shown) == (True, False)
    assert client.get(at(scope.owner, f"contacts/{lead.pk}/related")).status_code == 404
    back = at(scope.owner, f"contacts/{contact.pk}")
    assert client.post(back, {"do": "done", "id": made.pk})["Location"] == back
    made.refresh_from_db()
    assert made.status == "done"
