"""Back office pages of the logs, beyond what the guard asks of every page."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.request_log.recorder import store
from core.backoffice import paginator
from core.ids import new_id
from tests.accounts.request_log.helpers import entry
from tests.kit.cast import Cast

LIST = "admin:accounts_serverlog_changelist"


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def shown(client: Client, query: str) -> set[str]:
    """The routes on the list."""
    answer = client.get(f"{reverse(LIST)}?{query}")
    assert answer.status_code == 200
    return {row.route for row in answer.context["cl"].result_list}


def test_filters_by_company_status_and_auth_path(staff: Client, cast: Cast) -> None:
    store(
        [
            entry(route="/mine", company_id=cast.company.pk),
            entry(route="/missing", status=404),
            entry(route="/broken", status=500, door="session"),
        ]
    )
    assert shown(staff, "") == {"/mine", "/missing", "/broken"}
    assert shown(staff, f"company__id__exact={cast.company.pk}") == {"/mine"}
    assert shown(staff, "status_from=400&status_to=499") == {"/missing"}
    assert shown(staff, "status_from=500") == {"/broken"}
    assert shown(staff, "auth_path__exact=session") == {"/broken"}
    assert shown(staff, "q=CONTACT") == {"/mine", "/missing", "/broken"}


def test_a_request_of_an_account_that_is_gone_opens(staff: Client) -> None:
    gone = entry(user_id=new_id())
    store([gone])
    assert shown(staff, "") == {"/contact"}
    assert staff.get(reverse("admin:accounts_serverlog_change", args=[gone.id])).status_code == 200


def test_a_long_log_is_not_counted(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paginator, "EXACT", 10)
    store([entry() for _ in range(40)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_serverlog")
    with CaptureQueriesContext(connection) as captured:
        shown(staff, "")
    counts = [one["sql"] for one in captured.captured_queries if "COUNT(" in one["sql"] and "serverlog" in one["sql"]]
    assert all("LIMIT 11" in sql for sql in counts), counts
    assert any("reltuples" in one["sql"] for one in captured.captured_queries)
