"""What staff can do in the back office beside looking: commands, edits that have rules, deletions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.api_keys.services import create_key
from accounts.auth.sessions.services import end_family
from accounts.models import ApiKey, InviteLog, Member, RefreshToken, Role, User
from billing.models import Subscription
from core.events import emit
from core.messages.defaults import DEFAULTS
from core.models import Event, EventDelivery, ResponseMessage, TaskSchedule
from crm.models import Contact, Import, Tag
from outreach.models import AiApp, GenieScheduler, SendJob, SendJobTransition, Smtp, Suppression
from tests.guards.backoffice_rows import MAKERS
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, MemberFactory, SmtpFactory, TagFactory, UserFactory
from tests.kit.html_form import form_data


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def address(row: models.Model, page: str = "change") -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=(row.pk,))


def command(client: Client, row: models.Model, name: str) -> str:
    """The page's text after the button was pressed."""
    answer = client.post(address(row, "command"), {"command": name}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def edit(client: Client, row: models.Model, **values: Any) -> Any:
    """Send the record's form with these values changed; the answer."""
    sent = form_data(client.get(address(row)).content.decode(), f"{row._meta.model_name}_form")
    return client.post(address(row), {**sent, **values})


def tick(client: Client, row: models.Model, *boxes: str) -> Any:
    """Send the record's form with these boxes of its matrix ticked and no others; the answer."""
    sent = form_data(client.get(address(row)).content.decode(), f"{row._meta.model_name}_form")
    kept = {name: value for name, value in sent.items() if ":" not in name}
    return client.post(address(row), {**kept, **dict.fromkeys(boxes, "on")})


def test_logging_in_leads_to_the_overview(staff: Client) -> None:
    client = Client()
    answer = client.post(reverse("admin:login"), {"username": "Root@example.com", "password": "correct horse battery"})
    assert (answer.status_code, answer.url) == (302, reverse("admin:index"))


def test_subscription_expires_and_lives_again(cast: Cast, staff: Client) -> None:
    with cast.scope():
        subscription = Subscription.objects.get()
    assert cast.key.get("/contact").status == 200
    command(staff, subscription, "expire")
    assert cast.key.get("/contact").status == 500
    command(staff, subscription, "activate")
    assert cast.key.get("/contact").status == 200
    assert list(LogEntry.objects.order_by("id").values_list("object_id", flat=True)) == [subscription.pk] * 2


def test_commands_run_from_the_list_on_records_of_several_companies(cast: Cast, outsiders: Cast, staff: Client) -> None:
    ids = []
    for one in (cast, outsiders):
        with one.scope():
            ids.append(Subscription.objects.get().pk)
    staff.post(reverse("admin:billing_subscription_changelist"), {"action": "expire", "_selected_action": ids})
    assert [one.key.get("/contact").status for one in (cast, outsiders)] == [500, 500]


def test_commands_want_post_and_a_known_name(cast: Cast, staff: Client) -> None:
    with cast.scope():
        subscription = Subscription.objects.get()
    assert staff.get(address(subscription, "command")).status_code == 405
    assert staff.post(address(subscription, "command"), {"command": "delete_model"}).status_code == 403
    assert staff.post(address(subscription, "command"), {}).status_code == 403


def test_limits_of_a_subscription_keep_their_shape(cast: Cast, staff: Client) -> None:
    with cast.scope():
        subscription = Subscription.objects.get()
    for bad in ("-1", "many", "1.5", "²"):
        assert edit(staff, subscription, **{"limits:contact": bad}).status_code == 200, bad
    assert edit(staff, subscription, **{"limits:contact": "5", "limits:nothing": "5"}).status_code == 302
    with cast.scope():
        assert Subscription.objects.get().limits == {"contact": 5}


@pytest.mark.undescribed("an operator has given the message a status of their own")
def test_message_is_edited_and_reset(cast: Cast, staff: Client) -> None:
    row = ResponseMessage.objects.get(name="ContactNotFound_400")
    missing = "/contact/" + "0" * 24
    assert edit(staff, row, status="404", text="No such contact").status_code == 302
    assert (cast.key.get(missing).status, cast.key.get(missing).body["message"]) == (404, "No such contact")
    command(staff, row, "reset")
    row.refresh_from_db()
    assert (row.status, row.text) == DEFAULTS["ContactNotFound_400"]
    assert edit(staff, row, status="42").status_code == 200
    assert edit(staff, row, name="Other").status_code == 302
    row.refresh_from_db()
    assert row.name == "ContactNotFound_400"


def test_sender_password_is_written_and_never_read(cast: Cast, staff: Client) -> None:
    with cast.scope():
        smtp = SmtpFactory(password="old-password-xyz")
    assert edit(staff, smtp, new_password="").status_code == 302
    with cast.scope():
        assert (Smtp.objects.get().password, Smtp.objects.get().verified) == ("old-password-xyz", True)
    assert edit(staff, smtp, new_password="new-password-xyz", per_day="50").status_code == 302
    with cast.scope():
        stored = Smtp.objects.get()
    assert (stored.password, stored.verified, stored.per_day) == ("new-password-xyz", False, 50)
    assert "password-xyz" not in staff.get(address(smtp)).content.decode()
    assert "password-xyz" not in "".join(LogEntry.objects.values_list("change_message", flat=True))


def test_ai_key_is_written_and_never_read(cast: Cast, staff: Client) -> None:
    with cast.scope():
        app = AiApp.objects.create(provider="offline", name="Composer", api_key="first-key-xyz")
    assert edit(staff, app, new_api_key="second-key-xyz").status_code == 302
    with cast.scope():
        assert AiApp.objects.get().api_key == "second-key-xyz"
    assert "key-xyz" not in staff.get(address(app)).content.decode()


def test_a_failed_connection_test_says_why(cast: Cast, staff: Client) -> None:
    with cast.scope():
        smtp = SmtpFactory(host="127.0.0.1", port=1)
    text = command(staff, smtp, "test")
    with cast.scope():
        found = Smtp.objects.get()
    assert not found.verified
    assert found.last_error
    assert "backoffice" in text


def test_references_offer_records_of_the_same_company_only(cast: Cast, outsiders: Cast, staff: Client) -> None:
    foreign = outsiders.narrow.role
    page = staff.get(address(cast.narrow)).content.decode()
    assert foreign.pk not in page
    assert edit(staff, cast.narrow, role=foreign.pk).status_code == 200
    with cast.scope():
        assert Member.objects.get(pk=cast.narrow.pk).role_id == cast.narrow.role_id


def test_the_last_owner_stays(cast: Cast, staff: Client) -> None:
    for name in ("make_plain", "remove"):
        assert "last owner stays its owner" in command(staff, cast.owner, name)
        with cast.scope():
            assert Member.objects.get(pk=cast.owner.pk).status == "owner"
    with cast.scope():
        MemberFactory(status=Member.Status.OWNER)
    command(staff, cast.owner, "remove")
    with cast.scope():
        assert Member.objects.get(pk=cast.owner.pk).status == "removed"


def test_members_are_moved_by_the_services(cast: Cast, staff: Client) -> None:
    def status() -> str:
        with cast.scope():
            return Member.objects.get(pk=cast.narrow.pk).status

    assert "is accepted, not blocked" in command(staff, cast.narrow, "unblock")
    for name, expected in (
        ("block", "blocked"),
        ("unblock", "accepted"),
        ("make_owner", "owner"),
        ("make_plain", "accepted"),
    ):
        command(staff, cast.narrow, name)
        assert status() == expected
    assert "only an open or expired invite is sent again" in command(staff, cast.narrow, "resend")
    with cast.scope():
        steps = list(
            InviteLog.objects.filter(member=cast.narrow).order_by("created_at", "pk").values_list("action", "action_by")
        )
    assert steps == [("blocked", None), ("unblocked", None), ("role_changed", None), ("role_changed", None)]


def test_a_role_is_given_and_its_permission_replaced(cast: Cast, staff: Client) -> None:
    with cast.scope():
        role = Role.objects.get(name="Viewer")
    assert edit(staff, cast.narrow, role=role.pk).status_code == 302
    assert cast.narrow_session.get("/tag").status == 200
    assert tick(staff, role, "permission:contact:GET", "permission:contacts:GET").status_code == 302
    assert cast.narrow_session.get("/tag").status == 403
    assert cast.narrow_session.get("/contact").status == 200
    with cast.scope():
        assert Role.objects.get(pk=role.pk).permission == {"contact": {"GET": True}}, "there is no module contacts"
    command(staff, role, "make_default")
    with cast.scope():
        assert list(Role.objects.filter(is_default=True)) == [role]
        assert InviteLog.objects.get(member=cast.narrow).role == role


def test_a_taken_name_is_said(cast: Cast, outsiders: Cast, staff: Client) -> None:
    with outsiders.scope():
        TagFactory(name="Elsewhere")
    with cast.scope():
        TagFactory(name="Press")
        tag = TagFactory(name="Other")
    assert edit(staff, tag, name="pRESS").status_code == 200
    assert edit(staff, tag, name="Elsewhere").status_code == 302
    with cast.scope():
        assert Tag.objects.get(pk=tag.pk).name == "Elsewhere"


def test_a_key_that_is_deleted_lets_nobody_in(cast: Cast, staff: Client) -> None:
    assert staff.post(address(cast.api_key, "delete"), {"post": "yes"}).status_code == 302
    assert cast.key.get("/contact").status == 401
    with cast.scope():
        assert ApiKey.objects.count() == 0


def test_who_unsubscribed_stays_suppressed(cast: Cast, staff: Client) -> None:
    with cast.scope():
        gone = Suppression.objects.create(email="gone@example.org", reason=Suppression.Reason.UNSUBSCRIBED)
        wrong = Suppression.objects.create(email="wrong@example.org", reason=Suppression.Reason.MANUAL)
    assert staff.post(address(gone, "delete"), {"post": "yes"}).status_code == 403
    assert staff.post(address(wrong, "delete"), {"post": "yes"}).status_code == 302
    with cast.scope():
        assert list(Suppression.objects.values_list("email", flat=True)) == ["gone@example.org"]


def test_contacts_and_ledgers_cannot_be_changed(cast: Cast, staff: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="Before")
        job = MAKERS[SendJob](1)
        step = MAKERS[SendJobTransition](2)
    for row in (contact, job, step):
        assert staff.post(address(row), {"name": "After", "status": "sent"}).status_code == 403
        assert staff.post(address(row, "delete"), {"post": "yes"}).status_code == 403
    with cast.scope():
        assert Contact.objects.get(pk=contact.pk).name == "Before"
        assert SendJob.objects.get(pk=job.pk).status == SendJob.Status.DRAFT


def test_import_is_cancelled_once(cast: Cast, staff: Client) -> None:
    with cast.scope():
        job = MAKERS[Import](1)
    command(staff, job, "cancel")
    with cast.scope():
        assert Import.objects.get(pk=job.pk).status == Import.Status.CANCELLED
    assert "cannot be cancelled" in command(staff, job, "cancel")


def test_progress_is_renewed(cast: Cast, outsiders: Cast, staff: Client) -> None:
    rows = []
    for one in (cast, outsiders):
        with one.scope():
            rows.append(MAKERS[Import](7))
    assert Client().get(reverse("admin:crm_import_progress")).status_code == 302
    bars = staff.get(reverse("admin:crm_import_progress"), {"ids": f"{rows[0].pk},{rows[1].pk},nonsense"}).json()
    assert set(bars) == {row.pk for row in rows}
    assert "<strong>7%</strong> 7 of 100 · 7 Created" in bars[rows[0].pk]
    assert "data-moving" not in bars[rows[0].pk]


def test_run_is_cancelled_with_its_messages(cast: Cast, staff: Client) -> None:
    with cast.scope():
        job = MAKERS[SendJob](1)
        run = GenieScheduler.objects.get()
    assert "1 Draft" in staff.get(address(run)).content.decode()
    command(staff, run, "cancel")
    with cast.scope():
        assert SendJob.objects.get(pk=job.pk).status == SendJob.Status.CANCELLED
        assert GenieScheduler.objects.get().cancelled_at is not None


def test_parked_event_is_tried_again(cast: Cast, staff: Client) -> None:
    with cast.scope():
        emit("contact.created", [cast.owner.pk])
        delivery = EventDelivery.objects.create(
            consumer="nobody",
            event=Event.objects.get(),
            due_at=timezone.now(),
            status="parked",
            attempts=10,
            error="It broke",
        )
    command(staff, delivery, "retry")
    with cast.scope():
        found = EventDelivery.objects.get(pk=delivery.pk)
    assert (found.status, found.attempts) == ("pending", 0)


def test_sessions_end(cast: Cast, staff: Client) -> None:
    assert cast.session.get("/contact").status == 200
    command(staff, cast.owner.user, "end_all_sessions")
    assert cast.session.get("/contact").status == 401
    assert RefreshToken.objects.filter(user=cast.owner.user, revoked_at=None).count() == 0
    other = RefreshToken.objects.get(user=cast.narrow.user)
    end_family(family=other.family)
    other.refresh_from_db()
    assert other.revoked_at is not None


def test_only_superusers_give_rights(staff: Client) -> None:
    clerk = UserFactory(is_staff=True)
    clerk.user_permissions.add(*Permission.objects.filter(codename__in=("view_user", "change_user")))
    root, plain = User.objects.get(email="root@example.com"), UserFactory()
    client = Client()
    client.force_login(clerk)
    assert client.post(address(root), {"email": "mine@example.com"}).status_code == 403
    assert client.get(reverse("admin:auth_user_password_change", args=(root.pk,))).status_code == 403
    assert edit(client, plain, name="New name", is_superuser="on", is_staff="on").status_code == 302
    plain.refresh_from_db()
    assert (plain.name, plain.is_superuser, plain.is_staff) == ("New name", False, False)
    assert edit(client, clerk, is_superuser="on").status_code == 302
    clerk.refresh_from_db()
    assert clerk.is_superuser is False


def test_a_user_is_added_with_a_password(staff: Client) -> None:
    sent = {"email": "New@Example.com", "name": "New", "usable_password": "true"}
    bad = staff.post(reverse("admin:accounts_user_add"), {**sent, "password1": "12345678", "password2": "12345678"})
    assert bad.status_code == 200
    assert (
        staff.post(
            reverse("admin:accounts_user_add"), {**sent, "password1": "battery horse 9", "password2": "battery horse 9"}
        ).status_code
        == 302
    )
    assert User.objects.get(email="new@example.com").check_password("battery horse 9")


def test_company_profile_wants_a_known_timezone(cast: Cast, staff: Client) -> None:
    assert edit(staff, cast.company, timezone="Europe/Nowhere").status_code == 200
    assert edit(staff, cast.company, timezone="Europe/Oslo").status_code == 302
    cast.company.refresh_from_db()
    assert cast.company.timezone == "Europe/Oslo"


def test_company_page_shows_its_own_records_only(cast: Cast, staff: Client) -> None:
    other = make_cast()
    with cast.scope():
        MAKERS[Import](1)
        MAKERS[GenieScheduler](5)
        create_key(member_id=cast.owner.pk)
    with other.scope():
        MAKERS[Import](2)
    text = staff.get(address(cast.company)).content.decode()
    for shown in ("people1.csv", "Run 5", cast.owner.email, cast.narrow.email, cast.api_key.masked_key, "Active"):
        assert shown in text, shown
    assert "people2.csv" not in text
    assert other.owner.email not in text
    assert cast.api_key.key not in text


def test_a_periodic_task_is_made_due(staff: Client) -> None:
    later = timezone.now() + timedelta(days=1)
    task, other = (TaskSchedule.objects.create(name=name, due_at=later) for name in ("sweep-something", "sweep-else"))
    assert "sweep-something" in command(staff, task, "do_now")
    task.refresh_from_db()
    other.refresh_from_db()
    assert (task.due_at <= timezone.now(), other.due_at) == (True, later)


def test_a_colour_is_chosen_by_its_name_and_another_stays(cast: Cast, staff: Client) -> None:
    with cast.scope():
        tag = TagFactory(color="#123456")
    page = staff.get(address(tag)).content.decode()
    assert '<option value="#123456" selected>Current color (#123456)</option>' in page
    assert '<option value="#dc2626">Red</option>' in page
    assert edit(staff, tag, name="Fair").status_code == 302
    with cast.scope():
        tag.refresh_from_db()
    assert (tag.name, tag.color) == ("Fair", "#123456")
    assert edit(staff, tag, color="#dc2626").status_code == 302
    with cast.scope():
        tag.refresh_from_db()
    assert tag.color == "#dc2626"
