"""The back office over every model: who gets in, what opens, how many queries it takes, and that no secret is on any
page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import cycle, product, zip_longest
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.auth.models import Permission
from django.db import connection, models, transaction
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from accounts.models import Company, SecondFactor, User
from billing.models import AddOnPrice, MeterPrice, PlanPrice
from config.backoffice.menu import GROUPS, group_of, navigation
from core.backoffice.admin import BackOfficeAdmin, is_secret
from core.backoffice.site import BackOfficeSite
from core.models import Hold, ObjectSequence
from core.tenancy import active_scope, company_scope, unscoped
from crm.models import (
    ContactTag,
    ConvertedValue,
    CustomFieldValue,
    ExportPart,
    Journal,
    LeadProduct,
    LeadTag,
    LeadValue,
    MeetingAttendee,
    OrganizationTag,
    OrganizationValue,
    ProductServiceValue,
    SegmentMember,
    SegmentRecord,
    Stage,
    StageChange,
    TeamMember,
)
from tests.guards.admin_words import CODE_WORDS, WRONG_PLURAL, check_page, check_title
from tests.guards.backoffice_rows import HASHES, MAKERS, SECRET
from tests.guards.routes import routed
from tests.kit.examples import walked
from tests.kit.factories import CompanyFactory, UserFactory
from tests.kit.html_form import form_data
from tests.kit.rows import kept_for_module

OURS = {"core", "accounts", "billing", "crm", "outreach", "workflows"}
NOT_REGISTERED = {
    ContactTag: "shown on the contact's page",
    OrganizationTag: "shown on the organization's page",
    OrganizationValue: "a composite key; the values are on the organization's page",
    ConvertedValue: "what a job puts by until it ends; the job has a page",
    ExportPart: "what an export has read until it ends; the export has a page",
    Journal: "copies of records for undoing, which people see as the records themselves",
    AddOnPrice: "edited on its add-on's page",
    MeterPrice: "edited on its plan's page",
    PlanPrice: "edited on its plan's page",
    SecondFactor: "told on the user's page",
    Stage: "shown on the pipeline's page",
    StageChange: "a composite key; the lead's timeline shows the moves",
    LeadTag: "shown on the lead's page",
    LeadProduct: "shown on the lead's page",
    ProductServiceValue: "a composite key; the values are on the product's page",
    MeetingAttendee: "shown on the meeting's page",
    TeamMember: "shown on the team's page",
    SegmentRecord: "counted on the segment's page",
    SegmentMember: "counted on the segment's page",
    Hold: "one row, which every page tells of",
    ObjectSequence: "a counter; the events show it",
    LeadValue: "a composite key; the values are on the lead's page",
    CustomFieldValue: "a composite key, which Django's admin cannot show; the values are on the contact's page",
}
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
MAX_QUERIES = 30
MORE_ROWS = 4
"""A query for each row shows with a few."""

every_model = pytest.mark.parametrize("model", walked(REGISTERED), ids=lambda model: model._meta.label)


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Company, User]]:
    """The company and the superuser of all tests."""
    with kept_for_module(django_db_blocker):
        yield CompanyFactory(), User.objects.create_superuser("root@example.com", "correct horse battery")


@pytest.fixture
def company(db: None, kept: tuple[Company, User]) -> Company:
    return kept[0]


@pytest.fixture
def staff(db: None, kept: tuple[Company, User]) -> Client:
    """A superuser's browser."""
    client = Client()
    client.force_login(kept[1])
    return client


@pytest.fixture(scope="module")
def menus() -> dict[str | None, Any]:
    """The menus that have been made."""
    return {}


@pytest.fixture
def menu(monkeypatch: pytest.MonkeyPatch, menus: dict[str | None, Any]) -> None:
    """The menu is made once for all pages whose reader has all permissions: it is the same on each."""
    find = BackOfficeSite.get_app_list

    def found(site: BackOfficeSite, request: HttpRequest, app_label: str | None = None) -> Any:
        if not request.user.is_superuser:
            return find(site, request, app_label)
        if app_label not in menus:
            menus[app_label] = find(site, request, app_label)
        return menus[app_label]

    monkeypatch.setattr(BackOfficeSite, "get_app_list", found)


def address(model: type[models.Model], page: str, *args: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def is_ours(model: type[models.Model]) -> bool:
    return model._meta.app_label in OURS


def make(model: type[models.Model], company: Company, count: int) -> list[Any]:
    with company_scope(company.pk):
        start = model._base_manager.count()
        return [MAKERS[model](start + n) for n in range(count)]


def search_of(row: Any) -> str:
    """What somebody types to find the row: its id, or its name where ids cannot be searched for."""
    fields = admin.site._registry[type(row)].search_fields
    return row.pk if "=id" in fields else row.name


def values_of(row: Any) -> dict[str, Any]:
    """The stored columns, but for those that each save writes anew, times to the second as forms show them."""
    with unscoped(reason="test: one row of any company"):
        values = type(row)._base_manager.filter(pk=row.pk).values().get()
    values.pop("updated_at", None)
    return {
        name: value.replace(microsecond=0) if isinstance(value, datetime) else value for name, value in values.items()
    }


def opens(client: Client, path: str) -> tuple[str, int]:
    """The page's text and its number of queries, but for what is asked once per process; it shows no secret."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(path)
    assert response.status_code == 200, (path, response.status_code)
    text = response.content.decode()
    for hidden in (SECRET, HASHES[:16], "aesgcm:", "md5$"):
        assert hidden not in text, f"{path} shows {hidden}"
    return text, sum("django_content_type" not in query["sql"] for query in queries.captured_queries)


def test_kinds_are_called_by_words() -> None:
    for model in REGISTERED:
        for name in (str(model._meta.verbose_name), str(model._meta.verbose_name_plural)):
            assert not CODE_WORDS.search(name), f"{model._meta.label} is called {name}"
        assert not WRONG_PLURAL.search(name), f"{model._meta.label}: {name}"


def test_the_menu_has_few_groups_with_each_kind_once(staff: Client) -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.get(is_superuser=True)
    groups = navigation(request)[1:]
    assert [group["title"] for group in groups] == list(GROUPS)
    assert len(GROUPS) <= 11
    pages = [item["link"] for group in groups for item in group["items"]]
    assert sorted(pages) == sorted(address(model, "changelist") for model in REGISTERED)
    assert {group_of(model) for model in REGISTERED} == set(GROUPS)
    assert all(group["collapsible"] for group in groups)


@pytest.mark.parametrize("name", ["member hourss", "deliverys", "inboxs", "branchs"])
def test_wrong_plurals_are_recognized(name: str) -> None:
    assert WRONG_PLURAL.search(name)


def test_every_model_is_registered() -> None:
    concrete = {model for model in apps.get_models() if model._meta.app_label in OURS}
    assert len(concrete) > 20
    assert concrete - set(REGISTERED) == set(NOT_REGISTERED)
    assert all(isinstance(page, BackOfficeAdmin) for page in admin.site._registry.values())
    assert set(REGISTERED) == set(MAKERS)


@every_model
@pytest.mark.usefixtures("menu")
def test_list_search_and_record_page(model: type[models.Model], company: Company, staff: Client) -> None:
    row = make(model, company, 1)[0]
    pages = address(model, "changelist"), address(model, "change", row.pk)
    seen = [opens(staff, page) for page in pages]
    few = [queries for _, queries in seen]
    check_title(row)
    for page, (text, _) in zip(pages, seen, strict=True):
        check_page(page, text)
    check_unchanged_save(staff, row, pages[1], seen[1][0])
    others = make(model, company, MORE_ROWS)
    many = [opens(staff, page)[1] for page in pages]
    text, _ = opens(staff, pages[0] + "?" + urlencode({"q": search_of(row)}))
    assert pages[1] in text
    assert not [other for other in others if other.pk != row.pk and address(model, "change", other.pk) in text]
    for page, alone, beside in zip(pages, few, many, strict=True):
        assert beside <= alone, f"{page}: {alone} queries with 1 row, {beside} with {MORE_ROWS + 1}"
        assert beside <= MAX_QUERIES
    assert staff.get(address(model, "change", "0" * 24 if is_ours(model) else "0")).status_code == 302


def check_unchanged_save(staff: Client, row: Any, place: str, page: str) -> None:
    """Check that the page of a record, sent as it was read, keeps the record; or that nothing can be sent."""
    with transaction.atomic():
        edits = admin.site._registry[type(row)].edits
        if not edits:
            assert staff.post(place, {}).status_code == 403
            return
        sent = form_data(page, f"{row._meta.model_name}_form")
        assert set(sent) & set(edits)
        before = values_of(row)
        answer = staff.post(place, sent)
        assert answer.status_code == 302, answer.context["errors"]
        assert values_of(row) == before
        transaction.set_rollback(True)


@every_model
@pytest.mark.usefixtures("menu")
def test_filters(model: type[models.Model], company: Company, staff: Client) -> None:
    """Each page carries one value of every filter, until all values of all were asked for."""
    make(model, company, 2)
    page = admin.site._registry[model]
    asked: list[list[tuple[str, str]]] = []
    for entry in page.list_filter:
        if isinstance(entry, type):
            choices = entry(RequestFactory().get("/"), {}, model, page).lookup_choices
            assert choices
            asked.append([(str(entry.parameter_name), value) for value, _ in choices])
            continue
        name = entry if isinstance(entry, str) else entry[0]
        field = get_fields_from_path(model, name)[-1]
        if isinstance(field, models.ForeignKey):
            asked.append([(f"{name}__id__exact", company.pk)])
        elif field.choices:
            asked.append([(f"{name}__exact", field.flatchoices[0][0])])
        elif isinstance(field, models.BooleanField):
            asked.append([(f"{name}__exact", "1")])
    for values in zip_longest(*asked):
        opens(staff, address(model, "changelist") + "?" + urlencode([value for value in values if value]))


@every_model
def test_add_page(model: type[models.Model], staff: Client) -> None:
    if admin.site._registry[model].adds:
        opens(staff, address(model, "add"))
    else:
        assert staff.get(address(model, "add")).status_code == 403


@every_model
def test_only_staff_with_the_permission(model: type[models.Model], company: Company) -> None:
    """Without the permission neither page opens; with it the list of one model, the record of the next."""
    row = make(model, company, 1)[0]
    paths = (address(model, "changelist"), address(model, "change", row.pk))
    seen = paths[REGISTERED.index(model) % 2]
    clerk, viewer = UserFactory(is_staff=True), UserFactory(is_staff=True)
    codename = f"view_{model._meta.model_name}"
    viewer.user_permissions.add(
        Permission.objects.get(codename=codename, content_type__app_label=model._meta.app_label)
    )
    client = Client()
    client.force_login(viewer)
    assert client.get(seen).status_code == 200, seen
    client.force_login(clerk)
    for path in paths:
        assert client.get(path).status_code == 403, path
    client.force_login(viewer)
    for name in admin.site._registry[model].commands:
        assert client.post(address(model, "command", row.pk), {"command": name}).status_code == 403


def test_who_is_no_staff_is_sent_to_the_log_in(company: Company) -> None:
    """The site looks at that before any page of it, so that each page gets one of the two in turn."""
    stranger, plain = Client(), Client()
    plain.force_login(UserFactory())
    for model, client in zip(walked(REGISTERED), cycle((stranger, plain)), strict=False):
        row = make(model, company, 1)[0]
        for path in (address(model, "changelist"), address(model, "change", row.pk)):
            assert client.get(path).status_code == 302, path


def test_overview(company: Company, staff: Client) -> None:
    for model in MAKERS:
        make(model, company, 1)
    opens(staff, reverse("admin:index"))
    text, few = opens(staff, reverse("admin:index"))
    assert "Running imports" in text
    for model in MAKERS:
        make(model, company, 5)
    _, many = opens(staff, reverse("admin:index"))
    assert many <= few
    assert many <= MAX_QUERIES


def test_staff_without_permission_see_nothing(company: Company) -> None:
    client = Client()
    client.force_login(UserFactory(is_staff=True))
    text, _ = opens(client, reverse("admin:index"))
    assert "You have no permissions yet" in text
    assert "Contacts" not in text


def test_the_scope_ends_with_the_page(company: Company, staff: Client) -> None:
    opens(staff, reverse("admin:index"))
    assert active_scope() is None


def test_a_strangers_page_runs_without_scope(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(admin.site, "login", lambda request, **_: seen.append(active_scope()))
    client = Client()
    client.force_login(UserFactory())
    assert client.get(reverse("admin:index")).status_code == 302
    assert active_scope() is None


def test_forms_need_the_csrf_token(company: Company) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("csrf@example.com", "correct horse battery"))
    subscription = make(MODELS["billing.Subscription"], company, 1)[0]
    assert (
        client.post(address(type(subscription), "command", subscription.pk), {"command": "expire"}).status_code == 403
    )


def test_every_secret_is_recognised() -> None:
    found = {
        f"{model._meta.label}.{field.name}"
        for model in REGISTERED
        for field in model._meta.concrete_fields
        if is_secret(field)
    }
    assert {
        "accounts.ApiKey.key",
        "accounts.ApiKey.key_hash",
        "accounts.User.password",
        "outreach.MailApp.access_token",
        "outreach.MailApp.api_key",
        "outreach.MailApp.secret_key",
        "outreach.MailApp.signing_key",
        "outreach.Smtp.password",
    } <= found


MODELS = {model._meta.label: model for model in REGISTERED}


NUL_PLACES = ("%00", "a%00b", "_00")


def test_a_nul_in_an_address_or_a_value_is_no_error_of_ours(company: Company, staff: Client) -> None:
    """Staff read such an address and post to it; who has not logged in is sent away before it is looked at.

    One check stands before all pages, so that each address gets one of the forms, read or posted to, in turn.
    """
    staff.raise_request_exception = False
    paths = [path for path, _ in routed(get_resolver().url_patterns) if path.startswith("admin/") and "<" in path]
    assert len(paths) > 3 * len(REGISTERED)
    stranger = Client()
    ways = (staff.get, lambda path: staff.post(path, {"command": "x"}), stranger.get)
    for path, (nul, ask) in zip(walked(paths), cycle(product(NUL_PLACES, ways)), strict=False):
        address = "/" + re.sub(r"<[^>]+>", nul, path).replace("^", "").replace("$", "")
        assert ask(address).status_code < 500, address


def test_a_nul_in_a_query_or_a_form_is_a_400(staff: Client) -> None:
    """One check stands before all pages, so that each list gets one of the queries in turn."""
    staff.raise_request_exception = False
    for model, query in zip(walked(REGISTERED), cycle(("q=%00", "id__exact=%00", "%00=1", "p=%00")), strict=False):
        page = address(model, "changelist")
        assert staff.get(f"{page}?{query}").status_code == 400
        assert staff.post(page, {"action": "x", "_selected_action": "\0"}).status_code == 400
