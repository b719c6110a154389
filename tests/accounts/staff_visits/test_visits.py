"""Visits of staff: opening one with a reason, its end, what is written down, and the notice to the owners."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import CompanySettings, Mail, StaffVisit, StaffVisitPage, User
from accounts.staff_visits.services import NOTICE, end_visit, note_page, open_visit
from core.errors import ValidationFailed
from core.tenancy import unscoped
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

REASON = "Ticket 4711: their import shows no rows"


def staff_member(*permissions: str) -> User:
    user = UserFactory(is_staff=True, name="Sam Support")
    user.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, cast: Cast, reason: str | None) -> Any:
    place = reverse("admin:accounts_company_ask", args=(cast.company.pk, "look_inside"))
    return client.get(place) if reason is None else client.post(place, {"reason": reason})


def test_a_visit_is_open_for_an_hour(cast: Cast) -> None:
    staff = staff_member()
    before = timezone.now()
    visit = open_visit(staff=staff, company_id=cast.company.pk, reason=f"  {REASON}\n ")
    assert (visit.company_id, visit.staff, visit.reason, visit.ended_at) == (cast.company.pk, staff, REASON, None)
    assert timedelta(minutes=59) < visit.expires_at - before <= timedelta(hours=1, seconds=10)
    assert (visit.is_open, visit.state) == (True, "open")
    visit.expires_at = timezone.now()
    assert (visit.is_open, visit.state) == (False, "over")


@pytest.mark.parametrize("reason", ["", "too short", "         \n         ", "x" * 501])
def test_a_reason_is_needed(cast: Cast, reason: str) -> None:
    with pytest.raises(ValidationFailed):
        open_visit(staff=staff_member(), company_id=cast.company.pk, reason=reason)
    with cast.scope():
        assert StaffVisit.objects.count() == 0


def test_a_visit_ends_once(cast: Cast) -> None:
    visit = open_visit(staff=staff_member(), company_id=cast.company.pk, reason=REASON)
    assert end_visit(visit=visit) is True
    assert end_visit(visit=visit) is False
    with cast.scope():
        visit = StaffVisit.objects.get()
    assert (visit.is_open, visit.state) == (False, "ended")


def test_a_new_visit_ends_the_earlier_one_of_the_same_person_only(cast: Cast, outsiders: Cast) -> None:
    sam, kim = staff_member(), staff_member()
    first = open_visit(staff=sam, company_id=cast.company.pk, reason=REASON)
    others = [
        open_visit(staff=kim, company_id=cast.company.pk, reason=REASON),
        open_visit(staff=sam, company_id=outsiders.company.pk, reason=REASON),
    ]
    second = open_visit(staff=sam, company_id=cast.company.pk, reason=REASON)
    with unscoped(reason="test: visits to two companies"):
        still_open = {visit.pk for visit in StaffVisit.objects.all() if visit.is_open}
    assert still_open == {second.pk, *(visit.pk for visit in others)}
    assert first.pk not in still_open


def test_pages_are_written_down(cast: Cast) -> None:
    visit = open_visit(staff=staff_member(), company_id=cast.company.pk, reason=REASON)
    for path in ("/contact", "/" + "x" * 600):
        note_page(visit=visit, path=path)
    with cast.scope():
        pages = list(StaffVisitPage.objects.filter(visit=visit).order_by("id").values_list("path", flat=True))
    assert pages == ["/contact", "/" + "x" * 499]


def test_owners_are_not_told_unless_their_settings_ask_for_it(cast: Cast) -> None:
    open_visit(staff=staff_member(), company_id=cast.company.pk, reason=REASON)
    with unscoped(reason="test: mails"):
        assert list(Mail.objects.filter(kind="notice_staff_visited")) == []


def test_owners_who_want_to_know_get_a_mail_with_the_reason(cast: Cast) -> None:
    with cast.scope():
        CompanySettings.objects.update_or_create(defaults={"notification_settings": {NOTICE: {"email": True}}})
    open_visit(staff=staff_member(), company_id=cast.company.pk, reason="Ticket 4711: <rows> & columns")
    with unscoped(reason="test: mails"):
        mail = Mail.objects.get(kind="notice_staff_visited")
    assert (mail.to, mail.company_id) == (cast.owner.email, cast.company.pk)
    assert mail.subject == f"Our staff viewed {cast.company.name}"
    assert "Sam Support" in mail.text
    assert "Ticket 4711: <rows> & columns" in mail.text
    assert "Ticket 4711: &lt;rows&gt; &amp; columns" in mail.html


def test_the_dialog_asks_for_a_reason_and_opens_the_visit(cast: Cast) -> None:
    staff = staff_member("view_company", "add_staffvisit")
    client = browser(staff)
    assert "View as company" in ask(client, cast, None).content.decode()
    refused = ask(client, cast, "short")
    assert refused.status_code == 200
    assert "at least 10 characters" in refused.content.decode()
    blank = ask(client, cast, "a" + " " * 20 + "b")
    assert "Say why in 10 to 500 characters." in blank.content.decode()
    with cast.scope():
        assert StaffVisit.objects.count() == 0
    answer = ask(client, cast, REASON)
    with cast.scope():
        visit = StaffVisit.objects.get()
    assert (answer.status_code, answer.url) == (302, f"/c/{cast.company.pk}/")
    assert (visit.staff_id, visit.reason) == (staff.pk, REASON)


def test_who_may_look_inside(cast: Cast) -> None:
    assert Client().get(reverse("admin:accounts_company_ask", args=(cast.company.pk, "look_inside"))).status_code == 302
    for user in (
        staff_member("view_company"),
        staff_member("view_company", "change_company"),
        staff_member("add_staffvisit"),
    ):
        client = browser(user)
        assert (ask(client, cast, None).status_code, ask(client, cast, REASON).status_code) == (403, 403)
    plain = UserFactory()
    plain.user_permissions.add(*Permission.objects.filter(codename__in=("view_company", "add_staffvisit")))
    assert ask(browser(plain), cast, REASON).status_code == 302
    page = browser(staff_member("view_company")).get(reverse("admin:accounts_company_change", args=(cast.company.pk,)))
    assert "View as company" not in page.content.decode()
    with cast.scope():
        assert StaffVisit.objects.count() == 0
    root = browser(User.objects.create_superuser("root@example.com", "correct horse battery"))
    assert ask(root, cast, REASON).url == f"/c/{cast.company.pk}/"


def test_dialogs_that_do_not_exist(cast: Cast) -> None:
    client = browser(User.objects.create_superuser("root@example.com", "correct horse battery"))
    for record, name in (
        (cast.company.pk, "delete_model"),
        (cast.company.pk, "nothing"),
        ("0" * 24, "look_inside"),
        ("x", "look_inside"),
    ):
        assert client.get(reverse("admin:accounts_company_ask", args=(record, name))).status_code == 404


def test_the_dialog_needs_the_csrf_token(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    assert ask(client, cast, REASON).status_code == 403
