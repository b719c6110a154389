"""Named messages: the ResponseMessage rows decide status and text (contract section 7)."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from core.api.endpoint import endpoint
from core.api.refusals import UNFORESEEN, refusal_of
from core.errors import NamedError
from core.messages import forget, message_for
from core.messages.defaults import DEFAULTS, FAILURES, OWN_FAILURES, SUCCESSES
from core.messages.services import seed
from core.models import ResponseMessage
from tests.crm.contacts.helpers import form
from tests.kit.cast import Caller, Cast

NAME = "ContactNotFound_400"


@pytest.fixture(autouse=True)
def _fresh(_alone: None) -> None:
    forget()


def edit(name: str, status: int, text: str) -> None:
    row = ResponseMessage.objects.get(name=name)
    row.status, row.text = status, text
    row.save()


def migrate() -> None:
    seed(app_config=apps.get_app_config("core"), using="default")


def row(name: str = NAME) -> tuple[int, str, int | None, str | None]:
    found: tuple[int, str, int | None, str | None]
    found = ResponseMessage.objects.values_list("status", "text", "default_status", "default_text").get(name=name)
    return found


# The defaults


def test_every_default_is_seeded_with_the_status_it_ends_in(db: None) -> None:
    quirks = {"SubscriptionExpired_400": 500, "PlanDoesNotIncludeThisFeature_400": 403}
    assert (len(FAILURES), len(DEFAULTS)) == (202, 202 + len(OWN_FAILURES) + len(SUCCESSES))
    assert ResponseMessage.objects.count() == len(DEFAULTS)
    for message in ResponseMessage.objects.all():
        assert message.status == quirks.get(message.name, int(message.name.rpartition("_")[2])), message.name
        assert message.text, message.name
        assert (message.default, message.is_edited) == ((message.status, message.text), False)


def test_the_defaults_have_the_contracts_names_and_other_successes() -> None:
    names = pathlib.Path(__file__).parent.joinpath("message-names.txt").read_text().split()
    assert sorted([*FAILURES, "LeadCreated_201"]) == sorted(names)
    assert {status for status, _ in SUCCESSES.values()} == {200, 201}


CONTRACT_200 = (
    *(
        "ContactCreated_200",
        "ContactsUpdated_200",
        "ContactsDeleted_200",
        "ContactUpdated_200",
        "ContactsProcessed_200",
    ),
    *("ImportsDeleted_200", "FilesTrashed_200", "FilesDeleted_200", "SettingsChanged_200", "PasswordChanged_200"),
    *("CompanyCreated_200", "InviteAnswered_200", "PartnerProgramRequested_200", "ReferProgramUpdated_200"),
    *("LeadsProcessed_200", "BulkJobQueued_200"),
)
"""The successes of the operations whose success the contract calls 200 (sections 4.3, 4.8, 4.9, 4.11 and 7)."""


def test_successes_have_the_contracts_statuses() -> None:
    assert {name: SUCCESSES[name][0] for name in CONTRACT_200} == dict.fromkeys(CONTRACT_200, 200)
    assert SUCCESSES["LeadCreated_201"][0] == 201
    assert {SUCCESSES[name][0] for name in SUCCESSES if "Updated" in name or "Changed" in name} == {200}
    assert {SUCCESSES[name][0] for name in SUCCESSES if "Deleted" in name} == {200}


# Migrating


def test_a_row_that_nobody_edited_takes_a_changed_default(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ResponseMessage.objects.get(name=NAME).updated_at
    monkeypatch.setitem(DEFAULTS, NAME, (404, "There is no such contact"))
    migrate()
    assert row() == (404, "There is no such contact", 404, "There is no such contact")
    assert ResponseMessage.objects.get(name=NAME).updated_at > before
    assert message_for(NAME) == (404, "There is no such contact")


@pytest.mark.parametrize("edited", [(404, "Contact not found."), (400, "Nobody here")])
def test_an_edited_row_stays_and_its_default_moves_along(
    db: None,
    edited: tuple[int, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit(NAME, *edited)
    before = ResponseMessage.objects.get(name=NAME).updated_at
    for default in ((410, "The contact has gone"), (400, "There is no such contact")):
        monkeypatch.setitem(DEFAULTS, NAME, default)
        migrate()
        assert row() == (*edited, *default)
    message = ResponseMessage.objects.get(name=NAME)
    assert (message.is_edited, message.updated_at) == (True, before)


def test_a_row_edited_to_what_becomes_the_default_follows_it(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(NAME, 404, "Gone")
    for default in ((404, "Gone"), (410, "Gone for good")):
        monkeypatch.setitem(DEFAULTS, NAME, default)
        migrate()
        assert row() == (*default, *default)


def test_a_row_without_stored_default_is_edited_when_it_differs(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ResponseMessage.objects.update(default_status=None, default_text=None)
    ResponseMessage.objects.filter(name=NAME).update(text="Nobody here")
    migrate()
    assert row() == (400, "Nobody here", *DEFAULTS[NAME])
    assert row("LeadNotFound_400") == (*DEFAULTS["LeadNotFound_400"], *DEFAULTS["LeadNotFound_400"])
    assert [message.name for message in ResponseMessage.objects.all() if message.is_edited] == [NAME]
    for name in (NAME, "LeadNotFound_400"):
        monkeypatch.setitem(DEFAULTS, name, (404, "New"))
    migrate()
    assert row() == (400, "Nobody here", 404, "New")
    assert row("LeadNotFound_400") == (404, "New", 404, "New")


def test_a_name_that_left_the_defaults_stays_and_a_new_one_comes(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = row()
    monkeypatch.delitem(DEFAULTS, NAME)
    monkeypatch.setitem(DEFAULTS, "NewComer_418", (418, "A teapot"))
    migrate()
    assert row() == before
    assert row("NewComer_418") == (418, "A teapot", 418, "A teapot")


def test_nothing_to_do_takes_one_look(
    db: None, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with django_assert_num_queries(3):  # a savepoint round it
        migrate()
    for name in list(FAILURES)[:50]:
        monkeypatch.setitem(DEFAULTS, name, (418, "A teapot"))
    ResponseMessage.objects.filter(name__in=list(SUCCESSES)[:50]).delete()
    with django_assert_num_queries(5):
        migrate()
    assert ResponseMessage.objects.filter(status=418, default_status=418).count() == 50


def test_without_the_table_nothing_is_written(db: None) -> None:
    ResponseMessage.objects.filter(name=NAME).delete()
    seed(app_config=apps.get_app_config("core"), using="default", apps=type(apps)())
    assert not ResponseMessage.objects.filter(name=NAME).exists()


# Answers


@pytest.mark.undescribed("an operator has given the message a status of their own")
def test_an_edited_row_decides(cast: Cast) -> None:
    edit("ApiNotFound_400", 404, "No such key")
    answer = cast.key.get("/api/" + "0" * 24)
    assert (answer.status, answer.body["message"]) == (404, "No such key")


@pytest.mark.undescribed("the test edits statuses")
@pytest.mark.parametrize("mount", ["key", "session"])
def test_an_edited_success_decides_on_both_mounts(cast: Cast, mount: str) -> None:
    caller: Caller = getattr(cast, mount)
    edit("LeadCreated_201", 202, "Thank you")
    edit("ContactCreated_200", 201, "Welcome to them")
    edit("TagCreated_201", 200, "Noted")
    edit("OK_200", 203, "Here you are")
    for path, body, expected in (
        ("/lead", {"formData": form(1)}, (202, "Thank you")),
        ("/contact", {"formData": form(2)}, (201, "Welcome to them")),
        ("/tag", {"name": "VIP"}, (200, "Noted")),
    ):
        made = caller.post(path, body)
        assert (made.status, made.body["message"], made.body["success"]) == (*expected, True), made.body
        page, stream, one = caller.get(path, p="1", n="10"), caller.get(path), caller.get(f"{path}/{made.data['_id']}")
        assert {(answer.status, answer.body["message"]) for answer in (page, stream, one)} == {(203, "Here you are")}


@pytest.mark.unexpected
def test_a_success_without_a_row_is_500_something_went_wrong(cast: Cast) -> None:
    ResponseMessage.objects.filter(name="OK_200").delete()
    for query in ({}, {"p": "1", "n": "10"}):
        answer = cast.key.get("/tag", **query)
        assert (answer.status, answer.body) == (500, UNFORESEEN.body())


def test_rows_are_read_once_for_many_answers(cast: Cast, django_assert_num_queries: Any) -> None:
    cast.key.get("/tag")
    with django_assert_num_queries(0):
        assert [message_for(name) for name in DEFAULTS] == list(DEFAULTS.values())


@pytest.mark.parametrize(
    "options",
    [{"success": "NobodyKnows_200"}, {"success": NAME}, {"errors": ("NobodyKnows_400",)}],
)
def test_an_endpoint_with_an_unknown_name_cannot_be_declared(options: dict[str, Any]) -> None:
    with pytest.raises(ImproperlyConfigured, match="core.messages.defaults has no (NobodyKnows|ContactNotFound)_"):
        endpoint("Do something", **options)


def test_an_unknown_name_is_500_something_went_wrong(db: None) -> None:
    assert refusal_of(NamedError("NobodyKnows_400")) == UNFORESEEN
    ResponseMessage.objects.filter(name="ApiNotFound_400").delete()
    assert message_for("ApiNotFound_400") == (500, "Something went wrong")


def test_the_body_of_an_error(cast: Cast) -> None:
    answer = cast.key.get("/api/" + "0" * 24)
    assert answer.body == {
        "status": "fail",
        "success": False,
        "name": "ApiNotFound_400",
        "message": "API key not found.",
        "warning": "id: there is no such key in this company",
        "errors": [{"field": "id", "message": "there is no such key in this company"}],
    }
    with override_settings(DEBUG=True):
        assert "Traceback" in cast.key.get("/api/" + "0" * 24).body["stack"]
