"""The message texts in the back office: where each is shown, and their file."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from config.backoffice.places import EVERYWHERE, SHARED, UNUSED, message_places
from core.messages import forget, message_for
from core.messages.defaults import DEFAULTS
from core.models import ResponseMessage
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db
LIST = "admin:core_responsemessage_changelist"
NOT_USED = {
    "DuplicateTimezone_409",
    "InvalidTemplateStatus_400",
    "JobIdRequired_400",
    "PlatformTemplateNotFound_404",
    "SMTPNotFound_404",
    "SettingsNotFound_404",
    "TemplateNotFound_404",
    "TimezoneNotFound_404",
}
"""Names of the contract that no operation answers with (docs/deviations.md)."""


@pytest.fixture(autouse=True)
def _fresh(_alone: None) -> None:
    forget()


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def send(client: Client, *rows: tuple[str, object, str]) -> HttpResponse:
    target = io.StringIO()
    csv.writer(target).writerows([("name", "status", "text"), *rows])
    file = SimpleUploadedFile("texts.csv", target.getvalue().encode())
    response: HttpResponse = client.post(reverse("admin:core_responsemessage_import_file"), {"file": file})
    return response


def test_every_message_knows_where_it_is_shown() -> None:
    places = message_places()
    assert set(places) == set(DEFAULTS)
    assert {name for name, entry in places.items() if not entry.places} == NOT_USED
    assert all(entry.area == UNUSED for name, entry in places.items() if name in NOT_USED)
    assert all(places[name].area == SHARED for name in EVERYWHERE)
    assert len({entry.area for entry in places.values()}) > 10


def test_the_list_is_filtered_by_area_and_by_changes(staff: Client) -> None:
    row = ResponseMessage.objects.get(name="ContactNotFound_400")
    row.text = "No such contact"
    row.save()
    listed = staff.get(reverse(LIST), {"edited": "yes"}).context["cl"].result_list
    assert [message.name for message in listed] == [row.name]
    page = staff.get(reverse(LIST), {"area": "Workflows"})
    names = [message.name for message in page.context["cl"].result_list]
    assert names
    assert all(message_places()[name].area == "Workflows" for name in names)
    found = staff.get(reverse(LIST), {"q": "No such contact"}).context["cl"].result_list
    assert [message.name for message in found] == [row.name]


def test_a_message_lists_its_operations(staff: Client) -> None:
    row = ResponseMessage.objects.get(name="ContactUpdated_200")
    text = staff.get(reverse("admin:core_responsemessage_change", args=(row.pk,))).content.decode()
    assert "PUT /contact/{" in text or "PATCH /contact/{" in text


def test_the_exported_file_changes_nothing_when_it_is_imported(staff: Client) -> None:
    content = staff.get(reverse("admin:core_responsemessage_export_file")).content
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(rows) == len(DEFAULTS)
    file = SimpleUploadedFile("texts.csv", content)
    response = staff.post(reverse("admin:core_responsemessage_import_file"), {"file": file}, follow=True)
    assert "0 texts changed" in response.content.decode()


def test_a_changed_file_changes_texts(staff: Client) -> None:
    assert send(staff, ("ContactNotFound_400", 404, "No such contact")).status_code == 302
    assert message_for("ContactNotFound_400") == (404, "No such contact")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("Nothing_400", 400, "Text"), "no message of this name"),
        (("ContactNotFound_400", 200, "Text"), "Choose a status from 400 to 599"),
        (("ContactNotFound_400", "²", "Text"), "Choose a status"),
        (("ContactNotFound_400", "4" * 5000, "Text"), "Choose a status"),
        (("ContactNotFound_400", 400, " "), "Enter a text"),
        (("ContactNotFound_400", 400, "x" * 501), "at most 500"),
        (("ContactNotFound_400", 400, "No %(name)s"), "Keep the placeholders: none"),
        (("ContactNotFound_400", 400, "No {0}"), "Keep the placeholders"),
    ],
)
def test_a_bad_row_changes_nothing_and_is_named(staff: Client, row: tuple[str, object, str], problem: str) -> None:
    response = send(staff, ("LeadNotFound_400", 400, "No such lead"), row)
    text = response.content.decode()
    assert response.status_code == 200
    assert "Line 3" in text
    assert problem in text
    assert message_for("LeadNotFound_400") == DEFAULTS["LeadNotFound_400"]


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"",
        b"\xff\xfe",
        b"name,status,text\nContactNotFound_400,400," + b"x" * 140_000,
        b"x" * 140_000,
        b"name,status,text\nContactNotFound_400,400,a\rb\n",
    ],
)
def test_another_file_is_refused(staff: Client, content: bytes) -> None:
    file = SimpleUploadedFile("texts.csv", content)
    response = staff.post(reverse("admin:core_responsemessage_import_file"), {"file": file})
    assert response.status_code == 200


def test_a_file_of_excel_on_a_mac_is_read(staff: Client) -> None:
    file = SimpleUploadedFile("texts.csv", b"name,status,text\rLeadNotFound_400,400,No such lead\r")
    assert staff.post(reverse("admin:core_responsemessage_import_file"), {"file": file}).status_code == 302
    assert message_for("LeadNotFound_400") == (400, "No such lead")


def test_placeholders_of_the_default_are_kept(staff: Client) -> None:
    ResponseMessage.objects.filter(name="LeadNotFound_400").update(default_text="No %(name)s here")
    assert "Keep the placeholders: %(name)s" in send(staff, ("LeadNotFound_400", 400, "Gone")).content.decode()
    assert send(staff, ("LeadNotFound_400", 400, "%(name)s has gone")).status_code == 302


def test_readers_export_and_do_not_import() -> None:
    viewer = UserFactory(is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_responsemessage"))
    client = Client()
    client.force_login(viewer)
    assert client.get(reverse("admin:core_responsemessage_export_file")).status_code == 200
    assert send(client, ("LeadNotFound_400", 400, "Gone")).status_code == 403
    assert Client().get(reverse("admin:core_responsemessage_export_file")).status_code == 302


@pytest.mark.parametrize("term", ["organizationnotfound", "Organization not found", "no such firm", "OWN words"])
def test_messages_are_found_by_name_default_and_own_text(staff: Client, term: str) -> None:
    message = ResponseMessage.objects.get(name="OrganizationNotFound_400")
    message.text = "There is no such firm in own words."
    message.save()
    found = staff.get(reverse(LIST), {"q": term}).context["cl"].queryset
    assert "OrganizationNotFound_400" in found.values_list("name", flat=True)
