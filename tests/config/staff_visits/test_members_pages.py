"""The members' pages on a staff visit: all of them, read-only, without secrets, each one logged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import SecondFactor, StaffVisit, StaffVisitPage, User
from accounts.staff_visits.services import open_visit
from config.urls.web import PAGES
from core.web.pages import PersonPage
from crm.models import Tag
from tests.config.staff_visits.helpers import REASON, spread_secrets
from tests.guards.backoffice_rows import SECRET
from tests.kit.cast import Cast
from tests.kit.examples import walked
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter, text_of
from tests.web.world import FRAMED, REDIRECTS, World, address, make_world
from tests.workflows.helpers import node
from workflows.models import Workflow

OWN = {"assistant-thread"}
"""Pages of records of one member, whom no visitor is."""


FOR_WRITERS = {"widget", "widgets-new"}
"""Pages of forms that ask for a preview by POST, which only those who may change something can."""


def staff_of(company: str) -> tuple[Client, StaffVisit]:
    staff = User.objects.create_superuser("root@example.com", "correct horse battery", name="Root")
    client = Client()
    client.force_login(staff)
    return client, open_visit(staff=staff, company_id=company, reason=REASON)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        made = make_world()
        spread_secrets(made.cast)
        with made.cast.scope():
            call = {"method": "POST", "url": "https://example.com", "headers": {"Authorization": f"Bearer {SECRET}"}}
            nodes = [node("start", "trigger"), node("tags", "tags", {"tags": [TagFactory().pk]})]
            Workflow.objects.filter(pk=made.ids[Workflow]).update(nodes=[*nodes, node("call", "http", call)])
        yield made


def test_every_page_is_shown_without_secrets(world: World, subtests: pytest.Subtests) -> None:
    client, visit = staff_of(world.cast.company.pk)
    pages = [one for one in walked(PAGES) if not issubclass(one, PersonPage)]
    shown = 0
    for page in pages:
        with row(subtests, page.name):
            answer = client.get(address(world, page))
            if page.name in REDIRECTS:
                assert answer.status_code == 302
                continue
            wanted = 403 if page.personal or page.name in FOR_WRITERS else 404 if page.name in OWN else 200
            assert answer.status_code == wanted, text_of(answer)[-300:]
            text = html_of(answer)
            assert SECRET not in text
            assert world.cast.api_key.key not in text
            if page.name not in FRAMED:
                assert "You are visiting" in text
            shown += wanted == 200
    assert shown >= 8


def test_nothing_is_changed(cast: Cast) -> None:
    client, _ = staff_of(cast.company.pk)
    with cast.scope():
        tag = TagFactory(name="Trade fair")
    answer = client.get(at(cast.owner, "tags"))
    assert "Trade fair" in text_of(answer)
    assert "Add tag" not in text_of(answer)  # no role that only looks has the form
    for body in ({"do": "delete", "id": tag.pk}, {"do": "save", "name": "Other"}):
        refused = client.post(at(cast.owner, "tags"), body)
        assert refused.status_code == 403
        assert "Read-only view" in text_of(refused)
    with cast.scope():
        assert list(Tag.objects.values_list("name", flat=True)) == ["Trade fair"]


def test_each_page_is_logged_once_until_another_is_opened(cast: Cast) -> None:
    client, visit = staff_of(cast.company.pk)
    with cast.scope():
        ContactFactory(name="Elsa Hedlund")
    for place in ("contacts?q=hedlund", "contacts?q=hedlund", "tags?code=abc", "contacts?q=hedlund"):
        assert client.get(at(cast.owner, place)).status_code == 200
    with cast.scope():
        opened = list(StaffVisitPage.objects.filter(visit=visit).order_by("id").values_list("path", flat=True))
    assert opened == [at(cast.owner, place) for place in ("contacts?q=hedlund", "tags", "contacts?q=hedlund")]


def test_only_the_visited_company_is_open_and_only_to_its_visitor(cast: Cast, outsiders: Cast) -> None:
    client, _ = staff_of(cast.company.pk)
    assert client.get(at(cast.owner)).status_code == 200
    other = client.get(at(outsiders.owner))
    assert (other.status_code, other.url) == (
        302,
        reverse("admin:accounts_company_change", args=(outsiders.company.pk,)),
    )
    colleague = Client()
    colleague.force_login(User.objects.create_superuser("kim@example.com", "correct horse battery"))
    assert colleague.get(at(cast.owner)).status_code == 302
    assert Client().get(at(cast.owner)).url.startswith("/login")
    assert "You are visiting" not in html_of(enter(cast.owner).get(at(cast.owner)))


def test_a_visit_that_is_over_leads_back_to_the_company(cast: Cast) -> None:
    client, _ = staff_of(cast.company.pk)
    with cast.scope():
        StaffVisit.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = client.get(at(cast.owner, "contacts"))
    assert (answer.status_code, answer.url) == (302, reverse("admin:accounts_company_change", args=(cast.company.pk,)))
    assert "This visit is over" in html_of(client.get(answer.url))


def test_a_visit_goes_before_a_membership_in_the_same_browser(cast: Cast) -> None:
    staff = User.objects.create_superuser("root@example.com", "correct horse battery", name="Root")
    both = enter(cast.owner)
    both.force_login(staff)  # keeps what the session holds for the member
    assert both.get(at(cast.owner)).status_code == 302 or "You are visiting" not in text_of(both.get(at(cast.owner)))
    open_visit(staff=staff, company_id=cast.company.pk, reason=REASON)
    assert "You are visiting" in text_of(both.get(at(cast.owner)))


def test_files_are_not_handed_out(cast: Cast) -> None:
    client, _ = staff_of(cast.company.pk)
    answer = client.get(at(cast.owner, "contacts/export"))
    assert answer.status_code in (403, 404, 405)


@pytest.mark.parametrize("policy", ["optional", "required"])
def test_a_visit_needs_the_second_factor(world: World, db: None, settings: Any, policy: str) -> None:
    settings.STAFF_SECOND_FACTOR = policy
    client, visit = staff_of(world.cast.company.pk)
    if policy == "optional":
        SecondFactor.objects.create(user=visit.staff, name="app", confirmed=True)
    answer = client.get(f"/c/{world.cast.company.pk}/contacts")
    assert answer.status_code == 302
    assert not answer["Location"].startswith("/c/")
