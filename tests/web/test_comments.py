"""Comments on the pages of records and tasks: added, edited, deleted, restored and found from a notice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Notification
from crm.models import Comment, FollowUp, LeadActivity
from tests.crm.comments.helpers import SEES_ALL, person
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of
from tests.web.world import EVIL

PLACES = {"contact": "contacts", "lead": "leads", "organization": "organizations", "task": "follow-ups"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


@pytest.fixture
def records(scope: Cast) -> dict[str, str]:
    """Return kind -> the id of a record."""
    return {
        "lead": LeadFactory(contact__name="Ann Lee").pk,
        "contact": ContactFactory(name="Bob Ray").pk,
        "organization": OrganizationFactory(name="Acme").pk,
        "task": FollowUp.objects.create(title="Call", due_at=datetime.now(UTC)).pk,
    }


def place_of(scope: Cast, records: dict[str, str], kind: str) -> str:
    return at(scope.owner, f"{PLACES[kind]}/{records[kind]}")


@pytest.mark.parametrize("kind", PLACES)
def test_the_life_of_a_comment(scope: Cast, client: Any, records: dict[str, str], kind: str) -> None:
    person(scope, "Bo Miller")
    place = place_of(scope, records, kind)
    composer = client.get(f"{place}?compose=comment")
    assert ("Add comment" in text_of(composer), "data-suggests" in html_of(composer)) == (True, True)
    assert client.post(place, {"do": "comment", "text": " "}).status_code == 422
    sent = {"do": "comment", "text": f"Ask @Bo Miller, {EVIL}\nsoon"}
    assert "Comment added" in toast_of(client, client.post(place, sent))
    comment = Comment.objects.get()
    page = html_of(client.get(place))
    assert ("<strong>@Bo Miller</strong>" in page, f'id="comment-{comment.pk}"' in page, EVIL in page) == (
        True,
        True,
        False,
    )
    edit = at(scope.owner, f"comments/{comment.pk}/edit")
    assert edit in page
    assert "Bo Miller" in text_of(client.get(edit))
    assert client.post(edit, {"text": ""}).status_code == 422
    assert "Nothing to save" in toast_of(client, client.post(edit, {"text": sent["text"]}))
    saved = client.post(edit, {"text": "Ask nobody"})
    assert (saved.status_code, saved.url) == (303, f"{place}?comment={comment.pk}#comment-{comment.pk}")
    assert "Comment saved" in toast_of(client, saved)
    shown = text_of(client.get(place))
    assert ("Ask nobody" in shown, "Edited" in shown) == (True, True)
    toast = toast_of(client, client.post(place, {"do": "uncomment", "id": comment.pk}))
    assert ("Comment deleted" in toast, "Undo" in toast, 'value="recomment"' in toast) == (True, True, True)
    assert "Ask nobody" not in text_of(client.get(place))
    assert "Comment restored" in toast_of(client, client.post(place, {"do": "recomment", "id": comment.pk}))
    assert "Ask nobody" in text_of(client.get(place))


@pytest.mark.parametrize("kind", PLACES)
def test_others_neither_edit_nor_delete(scope: Cast, records: dict[str, str], kind: str) -> None:
    owner = enter(scope.owner)
    place = place_of(scope, records, kind)
    owner.post(place, {"do": "comment", "text": "Of the owner"})
    comment = Comment.objects.get()
    reader = enter(person(scope, "Bo Miller", {**SEES_ALL, "custom-field": {"GET": True}}))
    page = reader.get(place)
    assert ("Of the owner" in text_of(page), 'value="uncomment"' in html_of(page)) == (True, False)
    assert "Add comment" in text_of(reader.get(f"{place}?compose=comment"))
    assert "Comment added" in toast_of(reader, reader.post(place, {"do": "comment", "text": "Mine"}))
    edit = at(scope.owner, f"comments/{comment.pk}/edit")
    assert "Only the author edits a comment" in text_of(reader.get(edit))
    assert reader.post(edit, {"text": "Taken"}).status_code == 422
    assert "belongs to another member" in toast_of(reader, reader.post(place, {"do": "uncomment", "id": comment.pk}))
    comment.refresh_from_db()
    assert (comment.text, comment.deleted_at) == ("Of the owner", None)
    assert 'value="uncomment"' in html_of(owner.get(place))


@pytest.mark.parametrize("kind", PLACES)
def test_a_notice_opens_the_record_at_the_comment(scope: Cast, client: Any, records: dict[str, str], kind: str) -> None:
    bo = person(scope, "Bo Miller", {**SEES_ALL, "custom-field": {"GET": True}})
    place = place_of(scope, records, kind)
    client.post(place, {"do": "comment", "text": "Look, @Bo Miller"})
    comment = Comment.objects.get()
    reader = enter(bo)
    notices = html_of(reader.get(at(bo, "notifications")))
    way = at(bo, f"comments/{comment.pk}")
    assert (f'href="{way}"' in notices, "mentioned you in a comment" in notices) == (True, True)
    found = reader.get(way)
    assert (found.status_code, found.url) == (302, f"{place}?comment={comment.pk}#comment-{comment.pk}")
    for n in range(35):
        newer = Comment.objects.create(**{f"{kind}_id": records[kind]}, text=f"Newer {n}", created_by=scope.owner)
        about = {f"{kind}_id": records[kind]} if kind != "task" else None
        if about:
            LeadActivity.objects.create(
                pk=newer.pk, kind="comment", happened_at=newer.created_at, member=scope.owner, **about
            )
    assert f'id="comment-{comment.pk}"' not in html_of(reader.get(place))
    assert html_of(reader.get(found.url)).count(f'id="comment-{comment.pk}"') == 1
    other = Comment.objects.create(contact=ContactFactory(), text="Elsewhere")
    assert "Elsewhere" not in text_of(reader.get(f"{place}?comment={other.pk}"))
    Notification.objects.all().delete()
    client.post(place, {"do": "uncomment", "id": comment.pk})
    assert reader.get(way).status_code == 404


def test_members_are_offered(scope: Cast, client: Any) -> None:
    person(scope, "Bo Miller", email="bo@firm.example")
    person(scope, "Bo Ray", email="ray@firm.example")
    person(scope, "Bo Ray", email="other@firm.example")
    person(scope, "Bo Gone", status="removed")
    offers = at(scope.owner, "comments/members")
    page = html_of(client.get(f"{offers}?q=bo"))
    labels = [part.split('"')[0] for part in page.split('data-label="')[1:]]
    assert sorted(labels) == ["Bo Miller", "other@firm.example", "ray@firm.example"]
    person(scope, "Abo Zed")
    first = html_of(client.get(f"{offers}?q=bo")).split('data-label="')[1]
    assert first.startswith("Bo Miller"), "whose name begins so comes before others"
    assert "data-label" not in html_of(client.get(f"{offers}?q=zzz"))
    assert "data-label" in html_of(client.get(offers))
    blind = person(scope, "Cleo", SEES_ALL)
    assert "data-label" not in html_of(enter(blind).get(f"{offers}?q=bo"))


def test_a_refused_mention_stands_at_the_field(scope: Cast, client: Any, records: dict[str, str]) -> None:
    person(scope, "Cleo Blind", {"contact": {"GET": True}})
    answer = client.post(place_of(scope, records, "lead"), {"do": "comment", "text": "Hi @Cleo Blind"})
    assert (answer.status_code, "Cleo Blind: may not see this record" in text_of(answer)) == (422, True)
    assert not Comment.objects.exists()
