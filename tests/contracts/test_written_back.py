"""GET a record, change a value of it, PUT the whole: of every resource that can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest

from core.api.input import MAX_ERRORS
from outreach.connections.mail_vendors.registry import DEFAULT_LETTERS
from tests.contracts.records import create_records
from tests.guards.population import populate
from tests.guards.routes import Operation, operations
from tests.kit.cast import SESSION, Answer, Caller, Cast, make_cast
from tests.kit.examples import EVERY, walked
from tests.kit.rows import kept_for_module, row

pytestmark = pytest.mark.django_db

COMMANDS = {
    "api/private/refer-program",
    "api/private/change-password",
    "api/protected/manual-payment/<str:id>",  # tests/billing/checkout/test_put_back.py
    "api/protected/subscription/<str:id>",
    "api/protected/subscription/billing-details",
}
"""What changes no record: to join or leave, a password, which has no GET, and what is said of a payment."""
CHANGED: dict[str, tuple[str, Any]] = {
    "company": ("name", "Other company"),
    "settings": ("appName", "Other app"),
    "white-label-options": ("productName", "Other brand"),
    "genie/settings": ("windowDays", [1, 2]),
    "lead-activity/follow-up/<str:id>": ("title", "Call twice"),
    "comment/<str:id>": ("text", "Other words"),
    "task/<str:id>": ("title", "Ring twice"),
    "quote/<str:id>": ("title", "Other words"),
    "quote/settings": ("validDays", 7),
    "apps/smtp/<str:id>": ("fromName", "Other sender"),
    "webhook/<str:id>": ("description", "Other program"),
    **{f"apps/mailvendor-{letter}/<str:id>": ("name", "Other sender") for letter in DEFAULT_LETTERS},
    "apps/ai-offline/<str:id>": ("name", "Other composer"),
    "apps/ai-a/<str:id>": ("modelSettings", {"temperature": 0.5, "topP": 1, "topK": 1, "maxOutputTokens": 2048}),
    "apps/ai-b/<str:id>": ("monthlyCostCap", 2.5),
    "apps/chatapp/<str:id>": ("name", "Other number"),
    "apps/messenger/<str:id>": ("name", "Other bot"),
    "apps/social-b/<str:id>": ("name", "Other account"),
    "apps/lead-source/<str:id>": ("timeoutSeconds", 5),
    "apps/enrich/<str:id>": ("timeoutSeconds", 5),
    "apps/bucket/<str:id>": ("subpath", "other"),
    "apps/imap/<str:id>": ("isActive", False),
    "inbox/<str:id>": ("isRead", True),
    "apps/ocr/<str:id>": ("confidence", 0.5),
    "genie/<str:schedulerId>": ("tokenCap", 5),
    "member/<str:id>": ("name", "Other member"),
    "role/<str:id>": ("description", "Other role"),
    "calllog/<str:id>": ("notes", "Other notes"),
    "contact/<str:id>": ("name", "Other contact"),
    "custom-field/<str:id>": ("helper", "Other help"),
    "custom-section/<str:id>": ("description", "Other section"),
    "lead/<str:id>": ("status", "won"),
    "pipeline/<str:id>": ("name", "Other pipeline"),
    "lost-reason/<str:id>": ("name", "Other reason"),
    "meeting/<str:id>": ("title", "Other meeting"),
    "videocall/<str:id>": ("title", "Other call"),
    "my-videocall/<str:id>": ("title", "Other call"),
    "offline-meeting/<str:id>": ("place", "Other room"),
    "videocall/settings": ("provider", "link-template"),
    "booking-page/<str:id>": ("title", "Other words"),
    "my-calendar/hours": ("days", [{"day": 1, "from": "09:00", "to": "10:00"}]),
    "product-service/<str:id>": ("unit", "hour"),
    "dashboard/<str:id>": ("description", "Other words"),
    "saved-view/<str:id>": ("name", "Other view"),
    "segment/<str:id>": ("description", "Other segment"),
    "campaign/<str:id>": ("name", "Other campaign"),
    "workflow/<str:id>": ("name", "Other workflow"),
    "contact-category/<str:id>": ("color", "#000000"),
    "tag/<str:id>": ("color", "#000000"),
    "team/<str:id>": ("description", "Other team"),
    "template/email/<str:id>": ("category", "Other category"),
    "template/chatapp/<str:id>": ("category", "MARKETING"),
    "canned-answer/<str:id>": ("text", "Other words"),
    "answer-time/<str:id>": ("firstMinutes", 5),
    "chat-widget/<str:id>": ("greeting", "Other words"),
    "form/<str:id>": ("title", "Other title"),
    "apps/social-a/<str:id>": ("name", "Other app"),
    "manual-chatbot/<str:id>": ("description", "Other words"),
    "lead-activity/<str:id>/notes": ("notes", "Other notes"),
    "profile": ("darkMode", True),
    "ai-usage/caps": ("monthlyTokenCap", 5),
    "notification/<str:id>": ("isRead", True),
    "file/<str:id>": ("name", "other.csv"),
    "contact/import/<str:id>": ("category", None),
    "lead/import/<str:id>": ("category", None),
    "organization/import/<str:id>": ("tags", []),
    "organization/<str:id>": ("name", "Other firm"),
}
"""Address -> a value to change."""
ONE_WAY = {
    *("bulk-job/<str:id>", "export/<str:id>", "form/lead/<str:id>", "lead/lead-gen-ai/<str:id>"),
    *("genie/send-jobs/<str:sendJobId>", "message/<str:id>"),
}
"""Only their status can be changed, or they must be drafts."""
OWN = {
    "updatedAt",
    "updatedBy",
    "formData",
    "statusChangedAt",
    "stage",
    "lastError",
    "lastErrorAt",
    "verified",
    "timezone",
    "sequence",
    "editedAt",
    "mentions",
    "url",
}
"""What changes along with a value."""


def changes() -> Iterator[Operation]:
    # An @action may read what another changes at the same address.
    read = {one.path for one in operations("api/") if one.method == "GET" and one.action not in ("list", "retrieve")}
    for operation in operations("api/"):
        in_place = operation.parameters or operation.view.singleton or operation.path in read
        changing = operation.method in ("PUT", "PATCH") and operation.endpoint.input is not None
        if changing and in_place and "/key/" not in operation.path and operation.path not in COMMANDS:
            yield operation


class Place(NamedTuple):
    """A record, and who changes it by which operation."""

    operation: Operation
    caller: Caller
    path: str
    address: str

    def read(self) -> dict[str, Any]:
        answer = self.caller.get(self.address)
        assert answer.status == 200, answer.body
        return dict(answer.data)

    @property
    def target(self) -> str:
        return self.address + self.path.partition(">")[2]

    def write(self, body: dict[str, Any]) -> Answer:
        return self.caller.call(self.operation.method, self.target, body)


def place(cast: Cast, operation: Operation, by_key: bool) -> Place:
    """The newest record that the operation can change."""
    private = "api/private/" in operation.path
    caller = cast.key if by_key else cast.session
    if private:
        caller = Caller("/api/private", cast.session.headers)
    path = operation.path.removeprefix("api/private/").removeprefix(SESSION[1:] + "/")
    head, parameter, _ = path.partition("/<")
    record = f"/{head}/{caller.get(f'/{head}').data[0]['_id']}" if parameter else f"/{head}"
    return Place(operation, caller, path, record)


@pytest.fixture(scope="module")
def places(django_db_setup: None, django_db_blocker: Any) -> Iterator[list[Place]]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        create_records(cast)
        populate(cast)
        yield [place(cast, operation, bool(number % 2)) for number, operation in enumerate(changes())]


def lasting(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out the address of a file's content, which says until what second it opens."""
    return {name: value for name, value in values.items() if name != "url"}


def test_every_record_can_be_written_back(places: list[Place], subtests: pytest.Subtests) -> None:
    assert {one.path for one in places} == CHANGED.keys() | ONE_WAY
    for one in walked(places):
        with row(subtests, one.operation):
            before = one.read()
            answer = one.write(before)
            assert (answer.status, answer.body.get("warning")) == (200, None), answer.body
            assert lasting({name: answer.data[name] for name in before}) == lasting(before)
            assert lasting(one.read()) == lasting(before)


def test_every_record_can_be_written_back_with_a_change(places: list[Place], subtests: pytest.Subtests) -> None:
    for one in walked(one for one in places if one.path in CHANGED):
        with row(subtests, one.operation):
            before, (key, value) = one.read(), CHANGED[one.path]
            assert before[key] != value
            answer = one.write(before | {key: value})
            assert (answer.status, answer.body.get("warning")) == (200, None), answer.body
            after = one.read()
            assert after[key] == value
            assert {name for name in before if before[name] != after[name]} <= {key, *OWN}
            if "formData" in before:
                assert after["formData"] == before["formData"] | {key: value}


def test_every_record_has_an_etag_and_the_time_of_its_last_change(
    places: list[Place], subtests: pytest.Subtests
) -> None:
    for one in walked(places):
        with row(subtests, one.operation):
            before = one.read()
            # A notification has one value to change.
            assert "updatedAt" in before or one.path == "notification/<str:id>"
            if one.target != one.address:
                continue  # a tag is one of the record's own address
            refused = one.caller.call(one.operation.method, one.target, before, HTTP_IF_MATCH='"x"')
            assert (refused.status, refused.body["name"]) == (412, "RecordChanged_412"), refused.body
            assert refused.body["changed"]["etag"] == one.caller.get(one.address).headers["ETag"]


def other(value: Any) -> Any:
    """A value that differs from this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, {"shade": 1}]
    if isinstance(value, dict):
        return {**value, "shade": 1}
    return "2001-01-01T00:00:00.000Z"


def read_only(one: Place) -> list[str]:
    """The keys of the answer that cannot be written."""
    shown = one.operation.view(action="retrieve").shown or one.operation.endpoint.output
    written = one.operation.endpoint.input().fields
    return [name for name in shown._declared_fields if name not in written]


def test_no_value_that_cannot_be_written_is_ignored(places: list[Place], subtests: pytest.Subtests) -> None:
    """Other values of all fields that cannot be written are sent at once: each of them has to be named."""
    tried = 0
    for one in walked(places):
        before = one.read()
        shown = one.operation.view(action="retrieve").shown or one.operation.endpoint.output
        names = [name for name in read_only(one) if name in before]
        moving = [name for name in names if name in shown.moving]
        with row(subtests, one.operation):
            for fixed in batched(name for name in names if name not in shown.moving):
                answer = one.write(before | {name: other(before[name]) for name in fixed})
                assert (answer.status, answer.body["name"]) == (400, "ValidationError_400"), answer.body
                assert {error["field"].split(".")[0] for error in answer.body["errors"]} == {*fixed}
                assert lasting(one.read()) == lasting(before)
            if moving:
                answer = one.write(before | {name: other(before[name]) for name in moving})
                assert answer.status == 200, answer.body
                prefix, _, listed = answer.body["warning"].partition("ignored, since they change by themselves: ")
                assert (prefix, {path.split(".")[0] for path in listed.split(", ")}) == ("", {*moving})
                assert lasting(one.read()) == lasting(before)
            unknown = one.write({**before, "shade": 1})
            assert (unknown.status, "shade: unknown key" in unknown.body["warning"]) == (400, True)
        tried += len(names)
    assert tried > 600 // EVERY


def batched(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the names in parts of as many as one answer has errors."""
    left = [*names]
    while left:
        yield left[:MAX_ERRORS]
        left = left[MAX_ERRORS:]


HOSTILE = (5, True, "x", [], [[]], [{}], {}, {"_id": []}, [{"_id": []}], [{"_id": {}}], [{"_id": [[{}]]}], None)


def hostile(places: list[Place], subtests: pytest.Subtests, step: int) -> int:
    """Write hostile values to each field, every `step`-th of them in turn. Return how many were written."""
    turn = tried = 0
    for one in walked(places):
        before = one.read()
        for name in [*one.operation.endpoint.input().fields]:
            turn += 1
            for value in HOSTILE[turn % step :: step]:
                with row(subtests, one.operation):
                    answer = one.write({**before, name: value})
                    assert answer.status < 500, (name, value, answer.body)
                tried += 1
    return tried


def test_hostile_values_beside_what_the_answer_has_are_no_500(places: list[Place], subtests: pytest.Subtests) -> None:
    assert hostile(places, subtests, step=15) > 100 // EVERY


@pytest.mark.slow
def test_chaos_of_every_hostile_value_in_every_field(places: list[Place], subtests: pytest.Subtests) -> None:
    assert hostile(places, subtests, step=1) > 1500


EMPTY: tuple[object, ...] = (None, "", [], {})


def test_null_empties_a_value_or_is_refused(places: list[Place], subtests: pytest.Subtests) -> None:
    tried = refused = 0
    for one in walked(places):
        before = one.read()
        for name in [*one.operation.endpoint.input().fields]:
            if before.get(name) in EMPTY:
                continue
            with row(subtests, f"{one.operation} {name}"):
                answer = one.write({**before, name: None})
                if answer.status == 200:
                    assert one.read()[name] in EMPTY, answer.body
                else:
                    fields = {error["field"].split(".")[-1] for error in answer.body["errors"]}
                    # The parts of a telephone number are one value.
                    assert fields & {name, "number"}, answer.body
                    refused += 1
                tried += 1
    assert tried > 100 // EVERY
    assert refused > 50 // EVERY
