"""Connected chat apps: create, change, test, delete."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access import reserve_quota
from core.errors import DuplicateField, NamedError, ValidationFailed
from core.ids import new_id
from core.tenancy import company_id
from core.types import JsonObject, Values
from outreach.connections.chat_apps.client import ChatClient, ChatFailed
from outreach.connections.chat_apps.models import HELD, ChatApp
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors.services import VendorCheck
from outreach.connections.senders.services import check_values, remove
from outreach.connections.smtp.outcome import SmtpError

KEY = "chatapp"
NOT_FOUND = "ChatAppNotFound_404"
SECRETS = ("access_token", "app_secret")
CONNECTION = frozenset({"access_token", "phone_number_id", "waba_id", "api_version"})
"""Fields that the test depends on: a change requires a new test."""
_IDS = {"phone_number_id": "phoneNumberId", "waba_id": "wabaId", "app_id": "appId"}
_VERSION = re.compile(r"v\d{1,3}\.\d{1,2}")


def not_found(parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no chat app of the company."""
    return NamedError(NOT_FOUND, "there is no such chat app in this company", field=parameter)


def numbers() -> QuerySet[ChatApp]:
    """Return the company's numbers, without the accounts of other vendors."""
    return ChatApp.objects.filter(vendor=ChatApp.Vendor.CHATAPP)


def get_app(id: str, parameter: str = "id") -> ChatApp:
    """Return the company's chat app with this id. Raises ChatAppNotFound_404."""
    app: ChatApp | None = numbers().filter(pk=id).first()
    if app is None:
        raise not_found(parameter)
    return app


def create_app(*, member_id: str, verified: bool = True, **values: Any) -> ChatApp:
    """Connect a number, and check it with the vendor unless `verified` is False.

    If the vendor cannot be reached, it stays unverified, with the reason in last_error. Raises InvalidCredentials_400
    for a token that the vendor refuses, and DuplicateField for a number that is connected already. Raises
    ValidationFailed, PlanLimitExceeded_403, and ConnectionTestRunning_429.
    """
    app = ChatApp(id=new_id(), company_id=company_id(), created_by_id=member_id, updated_by_id=member_id)
    _set(app, _validate(values, None))
    app.verified = False
    if verified:
        # Before the transaction: the vendor is asked while nothing is locked.
        with connection_test_slot():
            _connect(app)
    with _number_held(), transaction.atomic():
        reserve_quota(MODULE)
        app.save(force_insert=True)
    return app


def update_app(*, id: str, member_id: str, verified: bool | None = None, **values: Any) -> ChatApp:
    """Change an app. Asks the vendor when a connection value changes, or when `verified` is True.

    Empty secrets leave the stored ones. Raises the errors of `create_app`; each of them leaves the app unchanged.
    """
    values = {name: value for name, value in values.items() if value or name not in SECRETS}
    with transaction.atomic():
        app, reconnects = _app_with_values(id, values)
    tests = verified or (reconnects and verified is None)
    with connection_test_slot() if tests else nullcontext():
        test_fields: JsonObject = {}
        if tests:
            _connect(app)
            test_fields = {
                name: getattr(app, name) for name in (*_PLATFORM_FIELDS, "verified", "last_error", "last_error_at")
            }
        with _number_held(), transaction.atomic():
            # Read again under the lock: another member may have changed it while the vendor was asked.
            app, _ = _app_with_values(id, values)
            if reconnects or verified is False:
                app.verified = False
            # Failures of the old settings say nothing about the new ones.
            _set(app, {**test_fields, "paused_until": None, "paused_reason": "", "failures": 0})
            app.updated_by_id = member_id
            app.save()
    return app


def check_app(*, id: str) -> VendorCheck:
    """Ask the vendor for the number, without sending. Stores the result as `verified` and `last_error`.

    Raises ChatAppNotFound_404, and ConnectionTestRunning_429 while another test runs.
    """
    app = get_app(id)
    began, problem = monotonic(), None
    with connection_test_slot():
        try:
            values = _number_columns(app)
        except (SmtpError, ChatFailed) as error:
            values = {"verified": False, "last_error": error.detail, "last_error_at": timezone.now()}
            problem = error
        else:
            values |= {"verified": True, "last_error": "", "last_error_at": None, "failures": 0}
            values |= {"paused_until": None, "paused_reason": ""}
    try:
        with transaction.atomic():
            ChatApp.objects.filter(pk=app.pk).update(updated_at=timezone.now(), **values)
    # The number is unique among verified apps of all companies; another company may have it.
    except IntegrityError as error:
        if not _is_held(error):
            raise
        problem = ChatFailed(HELD)
        values = {"verified": False, "last_error": HELD, "last_error_at": timezone.now()}
        ChatApp.objects.filter(pk=app.pk).update(updated_at=timezone.now(), **values)
    took = round((monotonic() - began) * 1000)
    if problem is None:
        return VendorCheck(True, took)
    refused = isinstance(problem, SmtpError) or problem.refused
    return VendorCheck(False, took, "auth" if refused else "connect", problem.detail, problem.temporary)


@transaction.atomic
def delete_apps(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the apps that nothing refers to, and switch off the others, since their messages belong to the log.

    Raises ChatAppNotFound_404 when none of the ids exists.
    """
    counts = remove(ChatApp, list(numbers().filter(pk__in=ids).values_list("pk", flat=True)), member_id)
    if not sum(counts.values()):
        raise NamedError(NOT_FOUND, "none of them is a chat app of this company", field="ids")
    return counts


def _is_held(error: IntegrityError) -> bool:
    return "chatapp_phone" in str(error)


@contextmanager
def _number_held() -> Iterator[None]:
    """Convert the database's error for a number that another app has into the API's error."""
    try:
        yield
    except IntegrityError as error:
        if not _is_held(error):
            raise
        raise DuplicateField("phoneNumberId", HELD) from None


_PLATFORM_FIELDS = ("display_number", "quality_rating", "messaging_limit", "name")


def _number_columns(app: ChatApp) -> JsonObject:
    """Return the vendor's data of the app's number, by columns. Raises ChatFailed and SmtpError."""
    details = ChatClient.for_app(app).number()

    def text(name: str, most: int) -> str:
        value = details.get(name)
        return value[:most].replace("\0", "") if isinstance(value, str) else ""

    return {
        "display_number": text("display_phone_number", 40),
        "quality_rating": text("quality_rating", 16),
        "messaging_limit": text("messaging_limit_tier", 32),
        "name": app.name or text("verified_name", 200),
    }


def _connect(app: ChatApp) -> None:
    """Ask for an unsaved app. Raises InvalidCredentials_400 for a token that the vendor refuses."""
    try:
        _set(app, _number_columns(app))
    except SmtpError as error:
        raise NamedError("InvalidCredentials_400", error.detail, field="accessToken") from None
    except ChatFailed as error:
        if error.refused:
            raise NamedError("InvalidCredentials_400", error.detail, field="accessToken") from None
        app.verified = False
        app.last_error = error.detail
        app.last_error_at = timezone.now()
    else:
        app.verified = True
        app.last_error = ""
        app.last_error_at = None


def _app_with_values(id: str, values: Values) -> tuple[ChatApp, bool]:
    """Return the locked app with the values set, unsaved, and whether it connects by others than before."""
    app: ChatApp = CONNECTED_APPS[KEY].record_to_change(id, values)
    checked = _validate(values, app)
    changed = [name for name in CONNECTION & {*checked} if name in SECRETS or getattr(app, name) != checked[name]]
    _set(app, checked)
    return app, bool(changed)


def _set(app: ChatApp, values: Values) -> None:
    for name, value in values.items():
        setattr(app, name, value)


def _validate(values: Values, current: ChatApp | None) -> JsonObject:
    """Return the values as they are stored. Raises ValidationFailed."""
    stored = dict(values)
    check_values(stored, current)
    for column, name in _IDS.items():
        # The ids become parts of addresses.
        if stored.get(column) and not (stored[column].isascii() and stored[column].isalnum()):
            raise ValidationFailed(f"{name} is no id", "use letters and digits only", field=name)
    for column, name in (("access_token", "accessToken"), ("app_secret", "appSecret")):
        secret = stored.get(column, "")
        if not (secret.isascii() and secret.isprintable() and " " not in secret):
            raise ValidationFailed(f"{name} is no key", "check the value: some characters are not allowed", field=name)
    if "api_version" in stored and not _VERSION.fullmatch(stored["api_version"]):
        raise ValidationFailed("apiVersion is no version", "enter a version such as v23.0", field="apiVersion")
    return stored
