"""Who may do what: every route of the URL map against every kind of caller (contract section 5).

The expectations are derived from each operation's own declaration (module, method, needs_subscription), so that a new route is in the
table as soon as it is mounted.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.models import Member, Role
from accounts.roles.permissions import METHODS, MODULES
from billing.models import Subscription
from core.ids import new_id
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, SESSION, Answer, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, UserFactory

PROTECTED = list(operations(SESSION[1:] + "/"))
PRIVATE = list(operations("api/private/"))
REFUSED = "You do not have permission to do this"
NO_SESSION = "Invalid token. Please log in again"
NO_SUBSCRIPTION = "Cannot read properties of null (reading planDetails)"

OPEN_WITHOUT_SUBSCRIPTION = {
    ("GET", "plans"),
    ("GET", "plans/<str:id>"),
    ("GET", "settings"),
    ("GET", "file"),
    ("POST", "upload"),
    ("GET", "company"),
    ("PUT", "company"),
}
"""Contract section 5, of what is there today; the payment paths join it with the payments."""


def everything() -> dict[str, dict[str, bool]]:
    return {module: dict.fromkeys(METHODS, True) for module in MODULES}


def flag(operation: Operation) -> str:
    return "PUT" if operation.method == "PATCH" else operation.method


def ask(caller: Caller, operation: Operation) -> Answer:
    """The operation on records that are nowhere, with an empty body: who is let in gets an answer about these."""
    ids = [new_id() for _ in operation.parameters]
    path = operation.address(*ids).removeprefix(caller.prefix)
    return caller.call(operation.method, path, None if operation.method in ("GET", "DELETE") else {})


def member_caller(cast: Cast, permission: dict[str, Any]) -> Caller:
    """A session of a member of the cast's company with a role of just these permissions."""
    with cast.scope():
        role = Role.objects.create(name=new_id(), permission=permission)
        return Caller(SESSION, session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=role)))


def let_in(answer: Answer, operation: Operation) -> None:
    assert answer.status not in (401, 403), (str(operation), answer.body)
    assert answer.status < 500, (str(operation), answer.body)
    if operation.endpoint.many and not operation.parameters:
        assert answer.status == 200, (str(operation), answer.body)


def refused(answer: Answer, status: int, message: str) -> None:
    assert (answer.status, answer.body["success"], answer.body["message"]) == (status, False, message), answer.body


def test_the_table_has_rows() -> None:
    assert len(PROTECTED) > 80
    assert len(PRIVATE) >= 16


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_owner_and_key_are_let_in(operation: Operation, cast: Cast) -> None:
    let_in(ask(cast.session, operation), operation)
    with cast.scope():
        Member.objects.filter(pk=cast.owner.pk).update(status=Member.Status.BLOCKED)
    at_key = Caller("/" + KEY[1:], cast.key.headers)
    keyed = Operation(
        operation.method, operation.path.replace(SESSION[1:], KEY[1:], 1), operation.view, operation.endpoint
    )
    let_in(ask(at_key, keyed), operation)


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_a_member_needs_the_permission_and_no_other(operation: Operation, cast: Cast) -> None:
    module, method = operation.view.module or "", flag(operation)
    let_in(ask(member_caller(cast, {module: {method: True}}), operation), operation)
    lacking = everything()
    for one in (module, *operation.view.also):
        lacking[one][method] = False
    answer = ask(member_caller(cast, lacking), operation)
    refused(answer, 403, REFUSED)
    assert answer.body["warning"] == f"your role lacks the permission {module}.{method}"


NOT_ACCEPTED = [
    status for status in Member.Status.values if status not in (Member.Status.OWNER, Member.Status.ACCEPTED)
]


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_whose_membership_is_not_accepted_is_refused(operation: Operation, cast: Cast) -> None:
    assert "blocked" in NOT_ACCEPTED
    assert "removed" in NOT_ACCEPTED
    caller = member_caller(cast, everything())
    let_in(ask(caller, operation), operation)
    for status in NOT_ACCEPTED:
        with cast.scope():
            Member.objects.filter(pk=caller.headers["authmember"]).update(status=status)
        refused(ask(caller, operation), 403, REFUSED)


def without_authmember(cast: Cast, outsiders: Cast) -> dict[str, str]:
    return {"Authorization": cast.session.headers["Authorization"]}


def authmember_of_others(cast: Cast, outsiders: Cast) -> dict[str, str]:
    return {**outsiders.session.headers, "authmember": cast.owner.pk}


def nobodys_session(cast: Cast, outsiders: Cast) -> dict[str, str]:
    stranger = MemberFactory.build(user=UserFactory(is_staff=True, is_superuser=True), id=cast.owner.pk)
    return session_headers(stranger)


def nothing(cast: Cast, outsiders: Cast) -> dict[str, str]:
    return {}


def a_key(cast: Cast, outsiders: Cast) -> dict[str, str]:
    return cast.key.headers


WITHOUT_SESSION: list[Callable[[Cast, Cast], dict[str, str]]] = [nothing, a_key]
NOT_A_MEMBER = [without_authmember, authmember_of_others, nobodys_session]


@pytest.mark.parametrize("operation", [*PROTECTED, *PRIVATE], ids=str)
def test_who_brings_no_session_of_a_member_is_401(operation: Operation, cast: Cast, outsiders: Cast) -> None:
    private = operation in PRIVATE
    for headers in WITHOUT_SESSION if private else [*WITHOUT_SESSION, *NOT_A_MEMBER]:
        refused(ask(Caller("", headers(cast, outsiders)), operation), 401, NO_SESSION)
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        refused(ask(Caller("", cast.session.headers), operation), 401, NO_SESSION)


@pytest.mark.parametrize("operation", PRIVATE, ids=str)
def test_the_private_door_takes_a_session_alone(operation: Operation, cast: Cast) -> None:
    for headers in (without_authmember(cast, cast), cast.session.headers):
        answer = ask(Caller("", headers), operation)
        assert answer.status not in (401, 403), (str(operation), answer.body)
        assert answer.status < 500, (str(operation), answer.body)


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_without_a_subscription_all_is_closed_but_what_the_contract_names(operation: Operation, cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.EXPIRED)
    row = (operation.method, operation.path.removeprefix(SESSION[1:] + "/"))
    keyed = Operation(
        operation.method, operation.path.replace(SESSION[1:], KEY[1:], 1), operation.view, operation.endpoint
    )
    for caller, asked in ((cast.session, operation), (cast.key, keyed)):
        answer = ask(caller, asked)
        if row in OPEN_WITHOUT_SUBSCRIPTION:
            let_in(answer, operation)
        else:
            refused(answer, 500, NO_SUBSCRIPTION)


def test_the_doors_that_stay_open_are_all_there() -> None:
    declared = {
        (one.method, one.path.removeprefix(SESSION[1:] + "/"))
        for one in PROTECTED
        if not one.endpoint.needs_subscription
    }
    assert declared == OPEN_WITHOUT_SUBSCRIPTION


@pytest.mark.parametrize("operation", PROTECTED, ids=str)
def test_a_plan_without_the_module_binds_sessions_and_not_keys(operation: Operation, cast: Cast) -> None:
    with cast.scope():
        opening = {operation.view.module, *operation.view.also}
        Subscription.objects.update(modules=[module for module in MODULES if module not in opening])
    refused(ask(cast.session, operation), 403, "Your plan does not include this feature")
    keyed = Operation(
        operation.method, operation.path.replace(SESSION[1:], KEY[1:], 1), operation.view, operation.endpoint
    )
    let_in(ask(cast.key, keyed), operation)
