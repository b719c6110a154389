"""Who may do what: every route of the URL map against every kind of caller (contract section 5).

The expectations are derived from each operation's own declaration (module, method, needs_subscription), so that a
new route is in the
table as soon as it is mounted. All rows share two companies, and each takes back what it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.api_keys.services import create_key
from accounts.models import ApiKey, Member, Role
from accounts.roles.permissions import METHODS, MODULES
from billing.entitlements.selectors import ALWAYS
from billing.models import Subscription
from core.access import OWNERS_ONLY
from core.ids import new_id
from tests.guards.routes import Operation, operations
from tests.kit.cast import KEY, SESSION, Answer, Caller, Cast, make_cast, session_headers
from tests.kit.examples import walked
from tests.kit.factories import MemberFactory, UserFactory
from tests.kit.rows import kept_for_module, row

PROTECTED = list(operations(SESSION[1:] + "/"))
PRIVATE = list(operations("api/private/"))
REFUSED = "Your role does not allow this. Ask an owner for the permission."
NO_SESSION = "Invalid token. Please log in again"
NO_KEY = "Your session has expired, or the API key is wrong. Log in again."
NO_SUBSCRIPTION = "Cannot read properties of null (reading planDetails)"

OPEN_WITHOUT_SUBSCRIPTION = {
    ("GET", "plans"),
    ("GET", "plans/<str:id>"),
    ("GET", "settings"),
    ("GET", "file"),
    ("POST", "upload"),
    ("GET", "company"),
    ("PUT", "company"),
    *(("POST", f"gateway-{letter}{path}") for letter in "abcde" for path in ("", "/capture")),
    *(("GET", path) for path in ("subscription", "subscription/<str:id>", "manual-payment", "manual-payment/<str:id>")),
    *(("GET", f"subscription/{path}") for path in ("invoices", "invoices/<str:id>", "invoices/<str:id>/pdf")),
    *(("GET", f"subscription/{path}") for path in ("transactions", "transactions/<str:id>", "payment-methods")),
    *(("GET", f"subscription/credit-notes{path}") for path in ("", "/<str:id>", "/<str:id>/pdf")),
    *(("POST", path) for path in ("subscription", "subscription/preview", "subscription/seats", "manual-payment")),
    ("POST", "subscription/seats/preview"),
    ("POST", "manual-payment/<str:id>/choose-again"),
    *(("PUT", path) for path in ("subscription/<str:id>", "manual-payment/<str:id>")),
    *(("DELETE", path) for path in ("subscription/<str:id>", "subscription/payment-methods/<str:id>")),
    ("POST", "subscription/<str:id>/retry"),
    ("GET", "coupons"),
    ("GET", "subscription/payment-methods/setup"),
    ("POST", "subscription/payment-methods/setup"),
    ("GET", "subscription/billing-details"),
    ("GET", "subscription/usage"),
    ("PUT", "subscription/billing-details"),
    ("POST", "coupons"),
}
"""Contract section 5."""


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def companies(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, Cast]]:
    """The company that asks, and outsiders."""
    with kept_for_module(django_db_blocker):
        yield make_cast(), make_cast()


@pytest.fixture
def cast(companies: tuple[Cast, Cast]) -> Cast:
    return companies[0]


@pytest.fixture
def outsiders(companies: tuple[Cast, Cast]) -> Cast:
    return companies[1]


def everything() -> dict[str, dict[str, bool]]:
    return {module: dict.fromkeys(METHODS, True) for module in MODULES}


def keyed(operation: Operation) -> Operation:
    """The same operation on the key path."""
    return replace(operation, path=operation.path.replace(SESSION[1:], KEY[1:], 1))


def named(operation: Operation) -> tuple[str, str]:
    """The operation as the contract names it."""
    return operation.method, operation.path.removeprefix(SESSION[1:] + "/")


def flag(operation: Operation) -> str:
    return operation.endpoint.permission or ("PUT" if operation.method == "PATCH" else operation.method)


def ask(caller: Caller, operation: Operation) -> Answer:
    """Ask for records that don't exist, with an empty body: a caller who is let in gets an answer about them."""
    ids = [new_id() for _ in operation.parameters]
    path = operation.address(*ids).removeprefix(caller.prefix)
    return caller.call(operation.method, path, None if operation.method in ("GET", "DELETE") else {})


def member(cast: Cast, permission: dict[str, Any]) -> Member:
    """A member of the cast's company with a role of just these permissions."""
    with cast.scope():
        role = Role.objects.create(name=new_id(), permission=permission)
        return MemberFactory(status=Member.Status.ACCEPTED, role=role)


def session_of(member: Member) -> Caller:
    return Caller(SESSION, session_headers(member))


def permit(cast: Cast, member: Member, permission: dict[str, Any]) -> None:
    with cast.scope():
        Role.objects.filter(pk=member.role_id).update(permission=permission)


def become(cast: Cast, member: Member, status: str) -> None:
    with cast.scope():
        Member.objects.filter(pk=member.pk).update(status=status)


TELL_OF_CONTACTS = ("genie/audience-preview", "genie/draft-preview", "campaign/audience-preview")
"""They take contact.GET as well, since they count contacts."""


def needed(operation: Operation) -> dict[str, dict[str, bool]]:
    """The permissions that an operation takes, and no other."""
    beside = {"contact": {"GET": True}} if operation.path.endswith(TELL_OF_CONTACTS) else {}
    # The email of a quote is an email to one person.
    if operation.path.endswith("quote/<str:id>/send"):
        beside = {"genie": {"POST": True}}
    return {operation.module: {flag(operation): True}} | beside


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
    assert {"blocked", "removed"} <= set(NOT_ACCEPTED)


def test_an_owner_is_let_in(cast: Cast, subtests: pytest.Subtests) -> None:
    for operation in walked(PROTECTED):
        with row(subtests, operation):
            let_in(ask(cast.session, operation), operation)


def key_of(cast: Cast, member: Member) -> Caller:
    """A key of the member, whose use is recorded already: each row would record it again."""
    with cast.scope():
        key = create_key(member_id=member.pk)
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=timezone.now() + timedelta(days=1))
        return Caller(KEY, {"apikey": key.key})


def test_a_strict_key_may_what_its_maker_may(cast: Cast, subtests: pytest.Subtests) -> None:
    maker = member(cast, {})
    caller = key_of(cast, maker)
    for operation in map(keyed, walked(PROTECTED)):
        with row(subtests, operation):
            module, method = operation.module, flag(operation)
            permit(cast, maker, needed(operation))
            if module in OWNERS_ONLY:
                refused(ask(caller, operation), 403, REFUSED)
                continue
            let_in(ask(caller, operation), operation)
            permit(cast, maker, {})
            answer = ask(caller, operation)
            if operation.endpoint.any_member:
                let_in(answer, operation)
                continue
            refused(answer, 403, REFUSED)
            assert answer.body["warning"] == f"the role of the key's maker lacks the permission {module}.{method}"
            permit(cast, maker, everything())
            become(cast, maker, Member.Status.BLOCKED)
            refused(ask(caller, operation), 401, NO_KEY)


def test_a_key_of_the_contract_opens_all_but_members_roles_and_keys(
    cast: Cast, subtests: pytest.Subtests, settings: Any
) -> None:
    settings.STRICT_KEYS = False
    closed = set()
    maker = member(cast, {})
    caller = key_of(cast, maker)
    for operation, status in zip(map(keyed, walked(PROTECTED)), cycle(("accepted", "blocked")), strict=False):
        with row(subtests, operation):
            become(cast, maker, status)
            answer = ask(caller, operation)
            if operation.module in OWNERS_ONLY:
                closed.add(operation.module)
                refused(answer, 403, REFUSED)
            else:
                let_in(answer, operation)
    assert closed == OWNERS_ONLY & {operation.module for operation in walked(PROTECTED)}


def test_a_member_needs_the_permission_and_no_other(cast: Cast, subtests: pytest.Subtests) -> None:
    """Without it, all others do not help; every fifth operation is asked for without any, too."""
    asking = member(cast, {})
    caller = session_of(asking)
    for place, operation in enumerate(walked(PROTECTED)):
        with row(subtests, operation):
            module, method = operation.module, flag(operation)
            permit(cast, asking, needed(operation))
            let_in(ask(caller, operation), operation)
            lacking = everything()
            for one in (module, *operation.alternate_modules):
                lacking[one][method] = False
            for permission in (lacking, {})[: 1 if place % 5 else 2]:
                permit(cast, asking, permission)
                answer = ask(caller, operation)
                if operation.endpoint.any_member:
                    let_in(answer, operation)
                    continue
                refused(answer, 403, REFUSED)
                assert answer.body["warning"] == f"your role lacks the permission {module}.{method}"


NOT_ACCEPTED = [
    status for status in Member.Status.values if status not in (Member.Status.OWNER, Member.Status.ACCEPTED)
]


def test_whose_membership_is_not_accepted_is_refused(cast: Cast, subtests: pytest.Subtests) -> None:
    """Whatever their role; one check stands before all operations, so that each gets one status in turn."""
    asking = member(cast, everything())
    caller = session_of(asking)
    for operation, status in zip(walked(PROTECTED), cycle(NOT_ACCEPTED), strict=False):
        with row(subtests, operation):
            become(cast, asking, status)
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


def a_session_that_is_over(cast: Cast, outsiders: Cast) -> dict[str, str]:
    with time_machine.travel(timezone.now() - timedelta(minutes=61), tick=False):
        return session_headers(cast.owner)


WITHOUT_SESSION: list[Callable[[Cast, Cast], dict[str, str]]] = [nothing, a_key, a_session_that_is_over]
NOT_A_MEMBER = [without_authmember, authmember_of_others, nobodys_session]


def test_who_brings_no_session_of_a_member_is_401(cast: Cast, outsiders: Cast, subtests: pytest.Subtests) -> None:
    """Each way of being nobody in turn, none at all among them: one check stands before all operations."""
    for table, ways in ((PROTECTED, [*WITHOUT_SESSION, *NOT_A_MEMBER]), (PRIVATE, WITHOUT_SESSION)):
        brought = [way(cast, outsiders) for way in ways]
        for operation, headers in zip(walked(table), cycle(brought), strict=False):
            with row(subtests, operation):
                refused(ask(Caller("", headers), operation), 401, NO_SESSION)


def test_who_brings_no_key_of_ours_is_401(cast: Cast, subtests: pytest.Subtests) -> None:
    """Without a key and with one of nobody in turn: one check stands before all operations."""
    for operation, headers in zip(map(keyed, walked(PROTECTED)), cycle(({}, {"apikey": "f" * 64})), strict=False):
        with row(subtests, operation):
            refused(ask(Caller("", headers), operation), 401, NO_KEY)


def test_the_private_path_takes_a_session_alone(cast: Cast, subtests: pytest.Subtests) -> None:
    for operation in walked(PRIVATE):
        with row(subtests, operation):
            for headers in (without_authmember(cast, cast), cast.session.headers):
                answer = ask(Caller("", headers), operation)
                assert answer.status not in (401, 403), (str(operation), answer.body)
                assert answer.status < 500, (str(operation), answer.body)


def test_without_a_subscription_all_is_closed_but_what_the_contract_names(
    cast: Cast, subtests: pytest.Subtests
) -> None:
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.EXPIRED)
    for place, operation in enumerate(walked(PROTECTED)):
        with row(subtests, operation):
            is_open = named(operation) in OPEN_WITHOUT_SUBSCRIPTION
            both = ((cast.session, operation), (cast.key, keyed(operation)))
            for caller, asked in both if is_open else both[place % 2 :][:1]:
                answer = ask(caller, asked)
                if is_open:
                    let_in(answer, operation)
                else:
                    refused(answer, 500, NO_SUBSCRIPTION)


def test_the_operations_that_stay_open_are_all_there() -> None:
    declared = {named(operation) for operation in PROTECTED if not operation.endpoint.needs_subscription}
    assert declared == OPEN_WITHOUT_SUBSCRIPTION


def test_a_plan_without_the_module_binds_sessions_and_not_keys(cast: Cast, subtests: pytest.Subtests) -> None:
    for operation in walked(PROTECTED):
        with row(subtests, operation):
            with cast.scope():
                opening = {operation.module, *operation.alternate_modules}
                Subscription.objects.update(modules=[module for module in MODULES if module not in opening])
            asked = ask(cast.session, operation)
            if ALWAYS.isdisjoint(opening):
                refused(asked, 403, "Your plan does not include this feature.")
            else:  # what it takes to buy another plan
                let_in(asked, operation)
            let_in(ask(cast.key, keyed(operation)), operation)
