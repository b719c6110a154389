"""The back office page of imports: what became of the rows, and what can be done now."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from crm.models import BulkJob, Contact, Import
from tests.crm.imports.helpers import csv_of, people, run
from tests.kit.cast import Cast

FINISHED = {"download_errors", "undo"}


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


@pytest.fixture
def job(cast: Cast) -> Import:
    """A finished import, with one row that failed and one that exists."""
    content = csv_of([*people(2), "Bad,bad,+49,1512345", "Short,short@example.org,+44,12", people(1)[0]])
    made = run(cast, content)
    assert (made["created"], made["failed"], made["skipped"]) == (2, 2, 1)
    with cast.scope():
        found: Import = Import.objects.get(pk=made["_id"])
        return found


def place(job: Import, page: str = "change") -> str:
    return reverse(f"admin:crm_import_{page}", args=(job.pk,))


def actions(client: Client, job: Import) -> list[str]:
    return [action.name for action in client.get(place(job)).context["record_actions"]]


def press(client: Client, job: Import, name: str) -> Any:
    return client.post(place(job, "command"), {"command": name})


def test_the_page_says_what_became_of_the_rows_and_what_is_wrong(cast: Cast, staff: Client, job: Import) -> None:
    answer = staff.get(place(job))
    told = {name: str(value) for name, value in answer.context["summary"]}
    assert (told["Created"], told["Failed"], told["Skipped (already exist)"]) == ("2", "2", "1")
    text = " ".join(answer.content.decode().split())
    assert "“bad” is not an email address. Enter one like name@example.com." in text
    short = "“12” is too short for the United Kingdom (+44). Write 10 digits, such as 7400 123456."
    assert short in text
    assert "another contact has person1@example.org already" in text
    assert "Phone number" in text, "the table of columns says where each goes"
    assert '<th scope="col">Filled cells</th>' in text
    assert "Field type" not in text, "the stored description of the columns is in the table alone"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("completed", ["download_errors", "undo"]),
        ("failed", ["resume", "download_errors", "cancel"]),
        ("paused", ["resume", "download_errors", "cancel"]),
        ("running", ["download_errors", "pause", "cancel"]),
        ("cancelled", ["download_errors", "undo"]),
    ],
)
def test_only_what_the_state_admits_is_on_offer(
    cast: Cast, staff: Client, job: Import, status: str, expected: list[str]
) -> None:
    with cast.scope():
        Import.objects.filter(pk=job.pk).update(status=status)
    assert actions(staff, job) == expected
    wanted = [action.name for action in staff.get(place(job)).context["record_actions"] if action.wanted]
    assert wanted == expected[:1]


def test_rows_with_problems_are_downloaded(cast: Cast, staff: Client, job: Import) -> None:
    answer = press(staff, job, "download_errors")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="people-problems.csv"'
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert "Phone: “12” is too short for the United Kingdom (+44). Write 10 digits, such as 7400 123456." in text
    assert text.count("\n") == 4, "a header and three rows"


def test_an_import_is_undone_once(cast: Cast, staff: Client, job: Import) -> None:
    press(staff, job, "undo")
    with cast.scope():
        undoing = BulkJob.objects.get(undoes_import=job)
        assert Contact.objects.filter(import_job=job).count() == 2
    assert "undo" not in actions(staff, job)
    assert "Undone by" in dict(staff.get(place(job)).context["summary"])
    press(staff, job, "undo")
    with cast.scope():
        assert list(BulkJob.objects.filter(undoes_import=job)) == [undoing]
