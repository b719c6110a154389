"""Every error body has a name that programs can compare, and names the fields that were refused."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.test import Client

from config.api_docs.guides import page_of
from config.slow_clients import refuse
from core.api.refusals import NAMES
from core.errors import (
    ApiError,
    DuplicateField,
    FieldError,
    InvalidFormat,
    NamedError,
    ValidationFailed,
    detail_of,
    renamed_fields,
)
from core.messages.defaults import DEFAULTS, FAILURES
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, SESSION, Caller, Cast
from tests.kit.examples import EVERY, walked

MISSING = "f" * 24
BODIES: tuple[Any, ...] = ({"shade": 1}, [], None)
QUIRKS = {"SubscriptionExpired_400": 500, "PlanDoesNotIncludeThisFeature_400": 403}
"""Names whose rows have another status, as the contract says."""


def check(status: int, body: Any) -> str:
    """Check the body of an error and return its name."""
    name = str(body["name"])
    assert name in DEFAULTS or name in NAMES, name
    assert status == QUIRKS.get(name, int(name[-3:])), name
    for error in body.get("errors", ()):
        assert error["field"], body
        assert error["message"], body
    return name


def wrong_requests(cast: Cast, operation: Operation) -> Iterator[tuple[int, Any]]:
    """Yield the answers to requests that the operation refuses.

    Keys open the views of sessions: there each address gets one of the bodies.
    """
    by_key = operation.path.startswith("api/key/")
    by_session = operation.path.startswith(("api/protected/", "api/private/"))
    headers = cast.session.headers if by_session else {}
    if by_key:
        headers = cast.key.headers
    for number, (values, sent) in enumerate(((MISSING, headers), ("x", headers), (MISSING, {}))):
        address = operation.address(*[values] * len(operation.parameters))
        for body in BODIES[number : number + 1] if by_key else BODIES:
            answer = Caller("", dict(sent)).call(operation.method, address, body, {"shade": "1"})
            if answer.status >= 400 and answer.headers["Content-Type"] == "application/json":
                yield answer.status, answer.body


@pytest.mark.undescribed("bodies and parameters that nobody would send")
def test_every_operation_names_its_errors(cast: Cast, subtests: pytest.Subtests) -> None:
    names: dict[str, int] = {}
    for operation in walked(operations("api/")):
        with subtests.test(str(operation)):
            for status, body in wrong_requests(cast, operation):
                name = check(status, body)
                names[name] = names.get(name, 0) + 1
    if EVERY == 1:
        common = {"ValidationError_400", "InvalidDataFormat_400", "InvalidRequest_400", "ExpiredSession_401"}
        assert {*common, "InvalidToken_401"} <= names.keys()
        assert sum(names.values()) > 2000


def raw(path: str, body: bytes = b"", method: str = "POST", kind: str = "application/json", **extra: Any) -> str:
    response = Client(raise_request_exception=False).generic(method, path, body, content_type=kind, **extra)
    return check(response.status_code, orjson.loads(response.content))


@pytest.mark.undescribed("what is refused before any view")
def test_what_is_refused_before_a_view_has_a_name(cast: Cast) -> None:
    headers = {"headers": cast.key.headers}
    for mount in (KEY, SESSION, "/api/private", "/api/public", "/api"):
        assert raw(f"{mount}/nowhere") == "NotFound_404"
    assert raw(f"{KEY}/tag", method="PATCH", **headers) == "NotFound_404"
    assert raw(f"{KEY}/tag", b"<a/>", kind="application/xml", **headers) == "UnsupportedMediaType_400"
    assert raw(f"{KEY}/tag", b"{", **headers) == "ValidationError_400"
    most = str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    assert raw(f"{KEY}/tag", b"{}", CONTENT_LENGTH=most, **headers) == "BodyTooLarge_400"
    assert raw("/api/public/login", b"{}", CONTENT_LENGTH=str(settings.PUBLIC_BODY_BYTES + 1)) == "BodyTooLarge_400"
    assert raw("/api/public/login", b"{}", CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked") == "ValidationError_400"
    assert raw("/api/public/webhooks/gateway-a/x") == "NotFound_404"
    for place in ("return", "saved"):
        assert raw(f"/api/public/payments/{place}/x", method="GET") == "NotFound_404"


def test_slow_callers_get_a_name() -> None:
    answered: list[str] = []
    content = refuse({"PATH_INFO": f"{KEY}/tag"}, lambda status, headers: answered.append(status))
    assert check(int(answered[0][:3]), orjson.loads(content[0])) == "TooManyRequests_429"


def test_limits_and_lost_records_have_names(cast: Cast, settings: Any) -> None:
    tag = cast.key.post("/tag", {"name": "VIP"}).data
    stale = cast.key.call("PUT", f"/tag/{tag['_id']}", {"name": "A"}, HTTP_IF_MATCH='W/"aaaaaaaaaaaa.00.00"')
    assert check(stale.status, stale.body) == "RecordChanged_412"
    settings.API_REQUESTS_A_MINUTE_EACH = 1
    answers = [cast.key.get("/tag") for _ in range(3)]
    assert check(answers[-1].status, answers[-1].body) == "TooManyRequests_429"


def test_fields_are_named(cast: Cast) -> None:
    asked = cast.key.post("/contact", {"formData": {"email": "no"}}).body
    assert asked["name"] == "ContactDataRequired_400"
    assert {one["field"] for one in asked["errors"]} == {"countryCode", "number", "email"}
    asked = cast.key.get("/contact", p=0, n=1).body
    assert (asked["name"], [one["field"] for one in asked["errors"]]) == ("InvalidRequest_400", ["p"])
    asked = cast.key.post("/tag", {"name": 5, "color": [], "shade": 1}).body
    assert [one["field"] for one in asked["errors"]] == ["shade"]
    asked = cast.key.post("/tag", {"name": 5, "color": []}).body
    assert [one["field"] for one in asked["errors"]] == ["name", "color"]


@pytest.mark.parametrize("body", [b"[1]", b"null", b"5", b'"x"', b"{", b"\xff", b"[" * 5000])
def test_a_body_that_is_no_object_is_named(cast: Cast, body: bytes) -> None:
    response = Client(raise_request_exception=False).generic(
        "POST", f"{KEY}/contact", body, content_type="application/json", headers=cast.key.headers
    )
    answer = orjson.loads(response.content)
    assert (response.status_code, check(response.status_code, answer)) == (400, "ValidationError_400")
    assert [error["field"] for error in answer["errors"]] == ["body"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("apps/ai-b", "apiKey"),
        ("apps/smtp", "password"),
        ("apps/mailvendor-a", "apiKey"),
        ("workflow/secrets", "value"),
        ("apps/bucket", "secretKey"),
    ],
)
@pytest.mark.parametrize("value", [["canary-1"], {"canary-1": 1}, 1234567890])
def test_a_secret_of_a_wrong_type_is_not_repeated(cast: Cast, path: str, field: str, value: object) -> None:
    refused = cast.session.post(f"/{path}", {field: value})
    assert refused.status == 400
    assert not {"canary", "1234567890"} & {*re.findall(r"canary|1234567890", orjson.dumps(refused.body).decode())}


@pytest.mark.parametrize(
    ("field", "detail", "paths"),
    [
        ("status", "status: Enter a: b", ["status"]),
        ("nodes[1].id", "nodes[1].id: Enter a: b", ["nodes.1.id"]),
        ("nodes[one]", "nodes[one]: Enter a: b", ["nodes[one]"]),
        (("lead", "contact"), "lead, contact: Enter a: b", ["lead", "contact"]),
        (["steps[0].a", "c-d"], "steps[0].a, c-d: Enter a: b", ["steps.0.a", "c-d"]),
        ("", "Enter a: b", []),
        ((), "Enter a: b", []),
    ],
)
def test_errors_name_their_fields(field: str | Sequence[str], detail: str, paths: list[str]) -> None:
    listed = [{"field": path, "message": "Enter a: b"} for path in paths]
    error = NamedError("InvalidInput_400", "Enter a: b", field=field)
    assert (error.detail, error.errors, str(error)) == (detail, listed, f"InvalidInput_400: {detail}")
    with_text = ValidationFailed("wrong", "Enter a: b", field=field)
    assert (with_text.message, with_text.detail, with_text.errors) == ("Validation error: wrong", detail, listed)
    without = ValidationFailed("Enter a: b", field=field)
    assert (without.message, without.detail, without.errors) == (f"Validation error: {detail}", "", listed)
    malformed = InvalidFormat("_id", 1, "Enter a: b", field=field)
    whole = [{"field": "_id", "message": "Enter a: b"}]
    assert (malformed.message, malformed.detail) == ("Invalid format for field _id: 1", detail)
    assert malformed.errors == (listed or whole)
    duplicate = DuplicateField(field, "Enter a: b")
    assert (duplicate.detail, duplicate.errors) == (detail, listed)


def test_renamed_fields_are_those_of_the_body() -> None:
    own = [FieldError(field="a", message="is taken", code="unique"), FieldError(field="b", message="is empty")]
    for error, names in (
        (NamedError("InvalidInput_400", "name a: or c", field=("a", "c")), ["x.0.y", "c"]),
        (NamedError("InvalidInput_400", "name a: or c", errors=own), ["x.0.y", "b"]),
    ):
        with pytest.raises(NamedError) as refused, renamed_fields({"a": "x[0].y", "z": "c"}):
            raise error
        assert [entry["field"] for entry in refused.value.errors] == names
        assert refused.value.detail == (detail_of(["x[0].y", "c"], "name a: or c") if error.fields else "name a: or c")
    assert refused.value.errors[0] == {"field": "x.0.y", "message": "is taken", "code": "unique"}


@pytest.mark.parametrize(
    ("caller", "method", "path", "body", "name", "fields"),
    [
        ("key", "POST", "/api", {"type": "temporary"}, "DurationRequired_400", ["durationMinutes"]),
        ("key", "POST", "/calllog", {}, "InvalidInput_400", ["lead", "contact", "number"]),
        ("key", "POST", "/role", {}, "RoleOrPermissionRequired_400", ["name", "permission"]),
        ("key", "POST", "/role", {"name": "A"}, "RoleOrPermissionRequired_400", ["permission"]),
        (
            "key",
            "POST",
            "/meeting",
            {"title": "A", "startsAt": "2090-01-01T10:00:00Z"},
            "InvalidInput_400",
            ["endsAt", "durationMinutes"],
        ),
        (
            "private",
            "PUT",
            "/change-password",
            {"currentPassword": "wrong", "newPassword": "correct horse battery 2"},
            "InvalidPassword_400",
            ["currentPassword"],
        ),
    ],
)
def test_fields_that_belong_together_are_all_named(
    cast: Cast, caller: str, method: str, path: str, body: Any, name: str, fields: list[str]
) -> None:
    sender = cast.key if caller == "key" else Caller("/api/private", cast.session.headers)
    answer = sender.call(method, path, body)
    assert (answer.status, answer.body["name"]) == (400, name), answer.body
    assert [error["field"] for error in answer.body["errors"]] == fields


@pytest.mark.parametrize("kind", ["application/xml", "text/csv", "multipart/form-data; boundary=B"])
def test_a_refused_content_type_is_named(cast: Cast, kind: str) -> None:
    response = Client().generic("POST", f"{KEY}/tag", b"{}", content_type=kind, headers=cast.key.headers)
    assert [error["field"] for error in orjson.loads(response.content)["errors"]] == ["Content-Type"]


REFUSALS = ("NamedError", "ValidationFailed", "InvalidFormat", "DuplicateField")
IN_TEXT = re.compile(r"[A-Za-z_][\w.[\]-]*(, [A-Za-z_][\w.[\]-]*)*: ")
"""The beginning of a text that names its fields."""


def field_names() -> set[str]:
    """The fields of all bodies whose names are no words of English."""
    names: set[str] = set()
    for operation in operations("api/"):
        names |= {*operation.endpoint.input().fields} if operation.endpoint.input else set()
    return {name for name in names if re.search("[a-z][A-Z]", name)}


def refusals(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the line and the text of each refusal of a module, and whether it names its fields."""
    for node in ast.walk(ast.parse(path.read_text())):
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSALS
        if named and node.args:
            text = node.args[-1]
            parts = text.values if isinstance(text, ast.JoinedStr) else [text]
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "name" for part in parts)
            yield node.lineno, words, bool({keyword.arg for keyword in node.keywords} & {"field", "errors"})


def test_each_refusal_that_speaks_of_a_field_names_it_for_programs() -> None:
    """The fields are an argument. Text is for people, so that no code reads fields out of it."""
    names, looked_at, wrong = field_names(), 0, []
    for package in ("core", "accounts", "billing", "crm", "outreach", "workflows", "config"):
        for path in sorted((settings.BASE_DIR / package).rglob("*.py")):
            for line, text, has_fields in refusals(path):
                spoken = names & {*re.findall(r"\w+", text)}
                looked_at += 1
                if (spoken and not has_fields) or (not has_fields and IN_TEXT.match(text)):
                    wrong.append(f"{path.relative_to(settings.BASE_DIR)}:{line}: {text}")
    assert looked_at > 500
    assert wrong == []


def kinds_of(error: type[ApiError]) -> Iterator[type[ApiError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_every_kind_of_error_has_a_known_name_and_the_docs_list_those_without_a_row() -> None:
    found = {kind.name: kind.status for kind in kinds_of(ApiError) if "name" in kind.__dict__}
    assert len(found) > 8
    assert {name for name in found if name not in DEFAULTS} <= NAMES.keys()
    assert [(name, status) for name, status in found.items() if int(name[-3:]) != status] == []
    guide = page_of("errors")
    assert guide is not None
    assert set(re.findall(r"<code>(\w+_\d{3})</code>", guide.content)) >= NAMES.keys() | FAILURES.keys()
