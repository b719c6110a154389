"""Connected social apps: create, change, test, delete, and read the forms of their pages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access import reserve_quota
from core.crypto import SecretUnreadable
from core.errors import NamedError, ValidationFailed
from core.hooks import Hook
from core.ids import new_id
from core.tenancy import company_id
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors.services import VendorCheck
from outreach.connections.social_apps.client import SocialClient, SocialFailed
from outreach.connections.social_apps.models import SocialAApp, SocialPage

KEY = "social-a"
NOT_FOUND = "AppNotFound_400"
SECRETS = ("app_secret", "user_token")
NEEDED = (
    ("app_id", "appId", "SocialAAppIDRequired_400"),
    ("app_secret", "appSecret", "SocialASecretRequired_400"),
    ("user_token", "userToken", "SocialATokenRequired_400"),
)
REFUSED = "InvalidCredentials_400"
NOT_ANSWERED = "InvalidRequest_400"
"""The error of a platform that refuses no token, but does not answer either."""
PAGE_ID, PAGE_TOKEN = "PageIdRequired_400", "PageIdOrTokenRequired_400"
NOT_SUBSCRIBED = "WebhookSubscriptionFailed_500"
MAX_PAGES = 200
social_app_reconnected: Hook[[str], None] = Hook(
    __name__,
    "social_app_reconnected",
    "After a social app (id) works again, in the transaction that records it. Continues work that waits for it.",
)


def not_found(parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no social app of the company."""
    return NamedError(NOT_FOUND, "there is no such social app in this company", field=parameter)


@dataclass(frozen=True)
class _PlatformData:
    """The platform's data about an app."""

    token: str
    expires_at: datetime | None
    pages: dict[str, tuple[str, str]]
    """Page -> name and token."""


def get_app(id: str, parameter: str = "id") -> SocialAApp:
    """Return the company's social app with this id. Raises AppNotFound_400."""
    app: SocialAApp | None = SocialAApp.objects.filter(pk=id).first()
    if app is None:
        raise not_found(parameter)
    return app


def create_app(*, member_id: str, **values: Any) -> SocialAApp:
    """Connect an app: its short token becomes a long-lived one, and the user's pages are stored with their tokens.

    A platform that cannot be asked leaves it unverified. Raises SocialAAppIDRequired_400, SocialASecretRequired_400,
    SocialATokenRequired_400, InvalidCredentials_400, PlanLimitExceeded_403, ConnectionTestRunning_429.
    """
    for column, name, missing in NEEDED:
        if not values.get(column):
            raise NamedError(missing, "enter a value", field=name)
    _check(values)
    app = SocialAApp(id=new_id(), company_id=company_id(), created_by_id=member_id, updated_by_id=member_id)
    for name, value in values.items():
        setattr(app, name, value)
    with connection_test_slot():
        access = _connect(app)
    with transaction.atomic():
        reserve_quota(MODULE)
        app.save(force_insert=True)
        _store_pages(app, access)
    return app


def update_app(*, id: str, member_id: str, **values: Any) -> SocialAApp:
    """Change an app. Asks the platform when a connection value changes. Empty secrets leave the stored ones.

    Leads that waited for a token are fetched then. Raises the errors of `create_app`; each of them leaves the app
    unchanged.
    """
    values = {name: value for name, value in values.items() if value or name not in ("app_id", *SECRETS)}
    _check(values)
    with transaction.atomic():
        app = _app_with_values(id, values)
    reconnects = bool({"app_id", *SECRETS} & {*values})
    with connection_test_slot() if reconnects else nullcontext():
        access = _connect(app) if reconnects else None
        with transaction.atomic():
            stored = _app_with_values(id, values)
            if reconnects:
                stored.user_token = app.user_token
                stored.token_expires_at = app.token_expires_at
                for name in ("verified", "last_error", "last_error_at"):
                    setattr(stored, name, getattr(app, name))
            stored.updated_by_id = member_id
            stored.save()
            _store_pages(stored, access)
            if access is None and values.get("is_active"):
                social_app_reconnected.send(stored.pk)
    return stored


def check_app(*, id: str) -> VendorCheck:
    """Ask the platform for the user's pages, and store their tokens.

    Raises AppNotFound_400 and ConnectionTestRunning_429.
    """
    app = get_app(id)
    began = monotonic()
    with connection_test_slot():
        try:
            access = _platform_data(app, exchanges=False)
        except SocialFailed as error:
            _note_failure(app.pk, error)
            took = round((monotonic() - began) * 1000)
            return VendorCheck(False, took, "auth" if error.refused else "connect", error.detail, error.temporary)
    with transaction.atomic():
        stored = SocialAApp.objects.select_for_update(of=("self",)).filter(pk=id).first()
        if stored is not None:
            stored.verified = True
            stored.last_error = ""
            stored.last_error_at = None
            stored.save(update_fields=["verified", "last_error", "last_error_at", "updated_at"])
            _store_pages(stored, access)
    return VendorCheck(True, round((monotonic() - began) * 1000))


@transaction.atomic
def delete_apps(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete apps; their forms stay, and get no more leads. Raises AppNotFound_400 when none of the ids exists."""
    rows = SocialAApp.objects.filter(pk__in=ids)
    count = len(rows.values_list("pk"))
    if not count:
        raise NamedError(NOT_FOUND, "none of them is a social app of this company", field="ids")
    rows.delete()
    return {"deletedCount": count}


def forms_of(*, id: str, page_id: str) -> list[JsonObject]:
    """Return the forms of a page as the platform has them. Raises PageIdRequired_400, PageIdOrTokenRequired_400,
    InvalidCredentials_400 with what the platform said, and InvalidRequest_400 where it could not be asked."""
    if not page_id:
        raise NamedError(PAGE_ID, "enter a value", field="pageId")
    app = get_app(id)
    client = client_of_page(app, page_id)
    with connection_test_slot():
        try:
            rows = client.forms(page_id)
        except SocialFailed as error:
            if error.refused:
                _note_failure(app.pk, error)
            raise NamedError(REFUSED if error.refused else NOT_ANSWERED, error.detail, field="pageId") from None
    return [
        {
            "formId": _text(row.get("id"), 40),
            "name": _text(row.get("name"), 200),
            "status": _text(row.get("status"), 32),
            "fields": _questions(row),
        }
        for row in rows[:500]
        if row.get("id")
    ]


def _questions(row: Values) -> list[dict[str, str]]:
    questions = row.get("questions")
    rows = (
        [question for question in questions[:100] if isinstance(question, dict)] if isinstance(questions, list) else []
    )
    fields = [{"key": _text(question.get("key"), 100), "label": _text(question.get("label"), 300)} for question in rows]
    return [question for question in fields if question["key"]]


def subscribe_page(app: SocialAApp, page_id: str) -> None:
    """Subscribe to the platform's notifications of a page's leads; outside of a transaction. Raises
    WebhookSubscriptionFailed_500."""
    client = client_of_page(app, page_id)
    with connection_test_slot():
        try:
            client.subscribe(page_id)
        except SocialFailed as error:
            raise NamedError(NOT_SUBSCRIBED, error.detail, field="pageId") from None
    SocialPage.objects.filter(app=app, page_id=page_id).update(subscribed_at=timezone.now())


def client_of_page(app: SocialAApp, page_id: str) -> SocialClient:
    """Return the client that holds the page's token. Raises PageIdOrTokenRequired_400."""
    page = SocialPage.objects.filter(app=app, page_id=page_id).first()
    try:
        token = page.token if page else ""
    except SecretUnreadable:
        token = ""
    if not token:
        raise NamedError(PAGE_TOKEN, "the app has no token of this page; connect it again", field="pageId")
    return SocialClient(token)


def note_refusal(app_id: str, detail: str) -> None:
    """Remember that the platform refuses the app's token."""
    _note_failure(app_id, SocialFailed(detail))


def _note_failure(app_id: str, error: SocialFailed) -> None:
    now = timezone.now()
    changes = {"verified": False, "last_error": error.detail, "last_error_at": now, "updated_at": now}
    SocialAApp.objects.filter(pk=app_id).update(**changes)


def _connect(app: SocialAApp) -> _PlatformData | None:
    """Ask the platform for an unsaved app. Raises InvalidCredentials_400 for a token that it refuses."""
    try:
        access = _platform_data(app, exchanges=True)
    except SocialFailed as error:
        if not error.temporary:
            raise NamedError(REFUSED, error.detail, field="userToken") from None
        app.verified = False
        app.last_error = error.detail
        app.last_error_at = timezone.now()
        return None
    app.user_token = access.token
    app.token_expires_at = access.expires_at
    app.verified = True
    app.last_error = ""
    app.last_error_at = None
    return access


def _platform_data(app: SocialAApp, *, exchanges: bool) -> _PlatformData:
    """Ask for the pages, with a long-lived token. Raises SocialFailed."""
    try:
        token, secret = app.user_token, app.app_secret
    except SecretUnreadable:
        raise SocialFailed("The stored token was given for another app. Enter it again.", refused=True) from None
    expires_at = app.token_expires_at
    if exchanges:
        token, seconds = SocialClient(token).exchange_token(app.app_id, secret)
        expires_at = timezone.now() + timedelta(seconds=seconds) if seconds else None
    pages = {
        _text(row.get("id"), 40): (_text(row.get("name"), 200), row["access_token"])
        for row in SocialClient(token).pages()[:MAX_PAGES]
        if _text(row.get("id"), 40) and isinstance(row.get("access_token"), str) and row["access_token"].isascii()
    }
    return _PlatformData(token, expires_at, pages)


def _store_pages(app: SocialAApp, access: _PlatformData | None) -> None:
    """Store the pages and their tokens, and wake the leads that waited for them."""
    if access is None:
        return
    stored = {page.page_id: page for page in SocialPage.objects.select_for_update(of=("self",)).filter(app=app)}
    for page_id, (name, token) in access.pages.items():
        page = stored.get(page_id) or SocialPage(app=app, page_id=page_id)
        page.name = name
        page.token = token
        page.save()
    SocialPage.objects.filter(app=app).exclude(page_id__in=access.pages).delete()
    social_app_reconnected.send(app.pk)


def _app_with_values(id: str, values: Values) -> SocialAApp:
    app: SocialAApp = CONNECTED_APPS[KEY].record_to_change(id, values)
    for name, value in values.items():
        setattr(app, name, value)
    return app


def _check(values: Values) -> None:
    """Raise ValidationFailed for an app id or a key with invalid characters."""
    app_id = values.get("app_id", "")
    if app_id and not (app_id.isascii() and app_id.isalnum()):
        raise ValidationFailed("appId is no id", "use letters and digits only", field="appId")
    for column, name, _ in NEEDED[1:]:
        secret = values.get(column, "")
        if not (secret.isascii() and secret.isprintable() and " " not in secret):
            raise ValidationFailed(f"{name} is no key", "check the value: some characters are not allowed", field=name)


def _text(value: Any, most: int) -> str:
    return value[:most].replace("\0", "") if isinstance(value, str) else ""
