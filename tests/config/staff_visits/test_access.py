"""The end of a staff visit, and what a visitor can neither open nor change."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import InternalError, connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import StaffVisit, User
from accounts.staff_visits.services import end_visit, open_visit
from config.staff_visits.api_reader import read_endpoint, visitor
from config.staff_visits.resources import find_resources
from config.urls import session
from core.access import AuthPath
from core.api.endpoint import endpoint
from core.api.routers import Operation
from core.api.viewsets import ResourceViewSet
from core.web.ask import ActorAuthentication
from crm.models import Contact, Tag
from tests.config.staff_visits.helpers import REASON, at, opened, show
from tests.guards.routes import operations
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory, UserFactory


def test_a_visit_that_is_over_leads_back_with_a_message(cast: Cast, visit: StaffVisit, client: Client) -> None:
    show(client, visit, "contact")
    for how in ("time", "hand"):
        with cast.scope():
            StaffVisit.objects.update(expires_at=timezone.now() + timedelta(hours=1), ended_at=None)
            if how == "time":
                StaffVisit.objects.update(expires_at=timezone.now())
            else:
                assert end_visit(visit=visit) is True
        for place in ("", "contact", "contact/" + "0" * 24):
            answer = client.get(at(visit, place))
            assert (answer.status_code, answer.url) == (
                302,
                reverse("admin:accounts_company_change", args=(cast.company.pk,)),
            )
        assert "This visit is over" in client.get(answer.url).content.decode()
    assert opened(visit, cast) == ["/contact"]


def test_the_button_ends_it(cast: Cast, visit: StaffVisit, client: Client) -> None:
    assert client.get(at(visit, "end")).status_code == 405
    answer = client.post(at(visit, "end"), follow=True)
    assert "The visit has ended" in answer.content.decode()
    with cast.scope():
        assert StaffVisit.objects.get().state == "ended"
    assert client.post(at(visit, "end")).status_code == 302


def test_nobody_else_can_use_it(cast: Cast, visit: StaffVisit, staff: User) -> None:
    rights = Permission.objects.filter(codename__in=("add_staffvisit", "view_company", "view_staffvisit"))
    colleague, plain = UserFactory(is_staff=True), UserFactory()
    colleague.user_permissions.add(*rights)
    plain.user_permissions.add(*rights)
    other_root = User.objects.create_superuser("kim@example.com", "correct horse battery")
    for user, status in ((None, 302), (plain, 302), (colleague, 403), (other_root, 403)):
        client = Client()
        if user:
            client.force_login(user)
        assert [client.get(at(visit, place)).status_code for place in ("", "contact")] == [status] * 2, user
        assert client.post(at(visit, "end")).status_code == status
    with cast.scope():
        assert StaffVisit.objects.get().is_open
    assert opened(visit, cast) == []


def test_taking_the_permission_away_ends_it(cast: Cast) -> None:
    support = UserFactory(is_staff=True)
    support.user_permissions.add(Permission.objects.get(codename="add_staffvisit"))
    visit = open_visit(staff=support, company_id=cast.company.pk, reason=REASON)
    client = Client()
    client.force_login(support)
    assert client.get(at(visit, "contact")).status_code == 200
    support.user_permissions.clear()
    assert client.get(at(visit, "contact")).status_code == 403
    support.user_permissions.add(Permission.objects.get(codename="add_staffvisit"))
    User.objects.filter(pk=support.pk).update(is_staff=False)
    assert client.get(at(visit, "contact")).status_code == 302


def test_unknown_visits(client: Client) -> None:
    for visit_id in ("0" * 24, "nonsense"):
        assert client.get(f"/admin/visit/{visit_id}/").status_code == 404
        assert client.post(f"/admin/visit/{visit_id}/end").status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_pages_take_no_other_method(method: str, cast: Cast, visit: StaffVisit, client: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="Before")
    for place in (
        "",
        *(resource.route.path for resource in find_resources(session.router.operations())),
        f"contact/{contact.pk}",
    ):
        assert getattr(client, method)(at(visit, place), {"name": "After"}).status_code == 405
    with cast.scope():
        assert list(Contact.objects.values_list("name", flat=True)) == ["Before"]
    assert opened(visit, cast) == []


def test_a_visitor_is_refused_by_every_operation_that_writes(cast: Cast, visit: StaffVisit) -> None:
    checked = 0
    for one in operations("api/protected/"):
        if one.method == "GET":
            continue
        request = HttpRequest()
        request.method = one.method
        request.META = {"REQUEST_METHOD": one.method, "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
        request.acting = visitor(visit)  # type: ignore[attr-defined]
        with CaptureQueriesContext(connection) as queries:
            view = one.as_view(authentication_classes=[ActorAuthentication])
            answer = view(request, **dict.fromkeys(one.parameters, cast.company.pk))
        assert answer.status_code == 403, one
        assert b"a visit is for looking only" in answer.content
        assert not [query["sql"] for query in queries if re.match("INSERT|UPDATE|DELETE", query["sql"])]
        checked += 1
    assert checked > 20


def test_a_handler_that_writes_on_get_fails_and_writes_nothing(
    visit: StaffVisit, cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    class Writes(ResourceViewSet):
        module = "tag"
        singleton = True

        @endpoint("Write on reading")
        def retrieve(self, request: Any) -> Any:
            TagFactory(name="Sneaky")

    seen = read_endpoint(Operation("GET", "writes", Writes, "retrieve"), visit, {}, {})
    assert (seen.status, seen.ok, seen.body["success"]) == (500, False, False)
    with cast.scope():
        assert Tag.objects.count() == 0
        TagFactory(name="Afterwards")  # the next transaction writes again
        assert Tag.objects.count() == 1
    assert issubclass(caplog.records[-1].exc_info[0], InternalError)


def test_the_visitor_is_on_the_session_path_without_membership(visit: StaffVisit, staff: User, cast: Cast) -> None:
    actor = visitor(visit)
    assert (actor.auth_path, actor.user_id, actor.company_id, actor.member_id) == (
        AuthPath.SESSION,
        staff.pk,
        cast.company.pk,
        "",
    )
    assert (actor.is_unbounded, actor.is_owner, actor.is_accepted) == (False, False, False)
    assert [actor.may("contact", method) for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")] == [
        True,
        True,
    ] + [False] * 4
