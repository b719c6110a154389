"""The search over the people of all companies, on the back office's first page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Company, User
from config.backoffice.people import MAX_ROWS
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


def browser(*names: str) -> Client:
    user = UserFactory(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(user)
    return client


def found(client: Client, term: str) -> str:
    page = client.get(reverse("admin:index"), {"person": term}).content.decode()
    return page.partition('class="backoffice-people"')[2].partition("</section>")[0]


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def test_people_of_every_company_are_found_by_email_name_and_company(cast: Cast, root: Client) -> None:
    other = make_cast()
    with unscoped(reason="test: a name that is searched for"):
        Company.objects.filter(pk=other.company.pk).update(name="Zebra Tools")
        type(other.owner).objects.filter(pk=other.owner.pk).update(name="Quentin Q")
    account = reverse("admin:accounts_user_change", args=(other.owner.user_id,))
    company = reverse("admin:accounts_company_change", args=(other.company.pk,))
    for term in (other.owner.email.upper(), "quentin", "ebra tool"):
        answer = found(root, term)
        assert account in answer, term
        assert company in answer, term
        assert cast.company.pk not in answer
    assert "No people found." in found(root, "nobody@nowhere.example")


def test_accounts_without_a_company_are_found(root: Client) -> None:
    user = UserFactory(email="lonely@example.net", name="Lonely <b>")
    answer = found(root, "lonely@")
    assert reverse("admin:accounts_user_change", args=(user.pk,)) in answer
    assert "Lonely &lt;b&gt;" in answer


@pytest.mark.parametrize("term", ["", "a", "ab", "  ab  "])
def test_a_short_term_lists_nobody(cast: Cast, root: Client, term: str) -> None:
    assert "<table" not in found(root, term)


def test_a_search_shows_what_the_permissions_allow(cast: Cast) -> None:
    term = cast.owner.email
    assert found(browser("view_company"), term) == ""
    members = found(browser("view_member"), term)
    assert reverse("admin:accounts_member_change", args=(cast.owner.pk,)) in members
    assert "/accounts/user/" not in members
    assert "/accounts/company/" not in members
    assert cast.company.name in members
    assert cast.owner.email not in found(browser("view_user"), term).partition("</form>")[2]


def test_an_answer_is_bounded_and_takes_one_query_of_each_kind(cast: Cast, root: Client) -> None:
    for number in range(MAX_ROWS + 2):
        UserFactory(email=f"crowd{number}@example.net")
    with CaptureQueriesContext(connection) as captured:
        answer = found(root, "crowd")
    assert answer.count("/change/") == MAX_ROWS
    searches = [query["sql"] for query in captured if "%crowd%" in query["sql"].lower()]
    assert len(searches) == 2
