"""Messenger apps and accounts of the second social platform: create, change, test, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
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
from outreach.connections.chat_apps.client import ChatFailed
from outreach.connections.chat_apps.messenger import MessengerClient
from outreach.connections.chat_apps.models import HELD, ChatApp
from outreach.connections.chat_apps.social_b import SocialBClient
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.direct_apps.hooks import hook_secret, hook_url
from outreach.connections.mail_vendors.services import VendorCheck
from outreach.connections.senders.services import check_values, remove
from outreach.connections.smtp.outcome import SmtpError

SECRETS = ("access_token", "app_secret")
REFUSED = "InvalidCredentials_400"
NO_TOKEN, NO_ACCOUNT = "SocialBNoAccessToken_400", "SocialBAccountNotFound_404"
PER_SECOND = {ChatApp.Vendor.MESSENGER: 25, ChatApp.Vendor.SOCIAL_B: 10}
"""Messages a second, which is less than the vendors take."""
PLATFORM_FIELDS = ("phone_number_id", "display_number", "name", "last_error", "access_token", "token_expires_at")


@dataclass(frozen=True)
class DirectApps:
    """The apps of a vendor."""

    vendor: str
    noun: str
    """Names one of its apps in details of errors."""
    missing: str
    """Name of the error for an id that belongs to none of them."""
    token: str
    """Name of its token in request bodies."""
    place: str
    """Name of the field for the vendor's account."""
    ask: Callable[[ChatApp], JsonObject]
    """Returns the vendor's data of an app, by columns. Raises ChatFailed, SmtpError and NamedError."""

    def not_found(self) -> NamedError:
        """Return the error for an id that belongs to no app of the vendor in the company."""
        return NamedError(self.missing, f"there is no such {self.noun} in this company", field="id")

    def rows(self) -> QuerySet[ChatApp]:
        """Return the company's apps of the vendor."""
        return ChatApp.objects.filter(vendor=self.vendor)

    def get(self, id: str) -> ChatApp:
        """Return the company's app with this id. Raises `not_found`."""
        app: ChatApp | None = self.rows().filter(pk=id).first()
        if app is None:
            raise self.not_found()
        return app

    def create(self, *, member_id: str, verified: bool = True, **values: Any) -> ChatApp:
        """Connect an app, and check it with the vendor unless `verified` is False. If that fails, it stays unverified.

        Raises InvalidCredentials_400 for a token that the vendor refuses, and DuplicateField for an account that is
        connected already. Raises SocialBNoAccessToken_400, SocialBAccountNotFound_404, ValidationFailed,
        PlanLimitExceeded_403, and ConnectionTestRunning_429.
        """
        if not values.get("access_token"):
            raise NamedError(NO_TOKEN, "enter a value", field=self.token)
        app = ChatApp(id=new_id(), company_id=company_id(), vendor=self.vendor, created_by_id=member_id)
        app.per_second = PER_SECOND[ChatApp.Vendor(self.vendor)]
        app.updated_by_id = member_id
        app.verified = False
        self._set(app, values)
        if verified:
            with connection_test_slot():
                self._connect(app)
        with transaction.atomic():
            reserve_quota(MODULE)
            self._save(app, new=True)
        return app

    def update(self, *, id: str, member_id: str, verified: bool | None = None, **values: Any) -> ChatApp:
        """Change an app. Asks the vendor when a connection value changes, or when `verified` is True.

        Empty secrets leave the stored ones. Raises the errors of `create`; each of them leaves the app unchanged.
        """
        values = {name: value for name, value in values.items() if value or name not in SECRETS}
        reconnects = bool({"access_token", "phone_number_id"} & {*values})
        with transaction.atomic():
            app = self._app_with_values(id, values)
        tests = verified or (reconnects and verified is None)
        with connection_test_slot() if tests else nullcontext():
            test_fields: JsonObject = {}
            if tests:
                self._connect(app)
                test_fields = {name: getattr(app, name) for name in (*PLATFORM_FIELDS, "verified", "last_error_at")}
            with transaction.atomic():
                stored = self._app_with_values(id, values)
                if reconnects or verified is False:
                    stored.verified = False
                # Failures of the old settings say nothing about the new ones.
                for name, value in {**test_fields, "paused_until": None, "paused_reason": "", "failures": 0}.items():
                    setattr(stored, name, value)
                stored.updated_by_id = member_id
                self._save(stored)
        return stored

    def check(self, *, id: str) -> VendorCheck:
        """Ask the vendor, without sending. Stores the result as `verified` and `last_error`. Raises `not_found`, and
        ConnectionTestRunning_429 while another test runs."""
        app, began = self.get(id), monotonic()
        with connection_test_slot():
            try:
                values = self.ask(app)
            except (SmtpError, ChatFailed, NamedError) as error:
                detail = error.detail or self.place
                values = {"verified": False, "last_error": detail, "last_error_at": timezone.now()}
                ChatApp.objects.filter(pk=id).update(updated_at=timezone.now(), **values)
                refused = not isinstance(error, ChatFailed) or error.refused
                waits = isinstance(error, ChatFailed) and error.temporary
                took = round((monotonic() - began) * 1000)
                return VendorCheck(False, took, "auth" if refused else "connect", detail, waits)
        values |= {"verified": True, "last_error_at": None, "failures": 0, "paused_until": None, "paused_reason": ""}
        with transaction.atomic():
            stored = self.rows().select_for_update(of=("self",)).filter(pk=id).first()
            if stored is not None:
                for name, value in values.items():
                    setattr(stored, name, value)
                self._save(stored)
        return VendorCheck(True, round((monotonic() - began) * 1000))

    @transaction.atomic
    def delete(self, *, ids: Sequence[str], member_id: str) -> dict[str, int]:
        """Delete the apps that nothing refers to, and switch off the others. Raises `not_found` when ids name none."""
        counts = remove(ChatApp, list(self.rows().filter(pk__in=ids).values_list("pk", flat=True)), member_id)
        if not sum(counts.values()):
            raise NamedError(self.missing, "none of them is an app of this company", field="ids")
        return counts

    def _app_with_values(self, id: str, values: Values) -> ChatApp:
        app: ChatApp = CONNECTED_APPS[self.vendor].record_to_change(id, values)
        self._set(app, values)
        return app

    def _set(self, app: ChatApp, values: Values) -> None:
        """Set the values. Raises ValidationFailed."""
        fields = dict(values)
        check_values(fields, app if app.created_at else None)
        for column, name in (("access_token", self.token), ("app_secret", "appSecret")):
            secret = fields.get(column, "")
            if not (secret.isascii() and secret.isprintable() and " " not in secret and "/" not in secret):
                raise ValidationFailed(
                    f"{name} is no key", "check the value: some characters are not allowed", field=name
                )
        if self.vendor == ChatApp.Vendor.MESSENGER and "access_token" in fields:
            fields["phone_number_id"] = bot_id(fields["access_token"])
        if not str(fields.get("phone_number_id", "0")).isalnum():
            raise ValidationFailed(f"{self.place} is no id", "use letters and digits only", field=self.place)
        if self.vendor == ChatApp.Vendor.SOCIAL_B and "access_token" in fields:
            fields.setdefault("token_expires_at", None)  # the end of the old one says nothing about the new one
        for name, value in fields.items():
            setattr(app, name, value)

    def _connect(self, app: ChatApp) -> None:
        """Ask for an unsaved app. Raises InvalidCredentials_400 for a token that the vendor refuses."""
        try:
            values = self.ask(app)
        except SmtpError as error:
            raise NamedError(REFUSED, error.detail, field=self.token) from None
        except ChatFailed as error:
            if error.refused:
                raise NamedError(REFUSED, error.detail, field=self.token) from None
            app.verified = False
            app.last_error = error.detail
            app.last_error_at = timezone.now()
        else:
            for name, value in {**values, "verified": True, "last_error_at": None}.items():
                setattr(app, name, value)

    def _save(self, app: ChatApp, *, new: bool = False) -> None:
        """Save an app. Raises DuplicateField for an account that another app holds."""
        try:
            with transaction.atomic():
                app.save(force_insert=new)
        except IntegrityError as error:
            if "chatapp_phone" not in str(error):
                raise
            raise DuplicateField(self.place, HELD) from None


def bot_id(token: str) -> str:
    """Return the bot's id, with which its token begins. Raises ValidationFailed for an invalid token."""
    id, colon, rest = token.partition(":")
    if not (colon and rest and id.isascii() and id.isdigit() and len(id) <= 20):
        raise ValidationFailed("botToken is none", "enter a token, such as 123456:ABC-DEF", field="botToken")
    return id


def _ask_messenger(app: ChatApp) -> JsonObject:
    client = MessengerClient.for_app(app)
    bot = client.me()
    place, problem = (app.pk, app.hook_salt), ""
    try:
        client.set_webhook(hook_url(app.vendor, *place), hook_secret(*place))
    except ChatFailed as failed:
        problem = f"It can write, and is told of nothing: {failed.detail}"
    name = _word(bot, "first_name", 200)
    username = _word(bot, "username", 39)
    return {
        "phone_number_id": str(bot["id"]),
        "display_number": username and f"@{username}",
        "name": app.name or name,
        "last_error": problem,
    }


def _ask_social_b(app: ChatApp) -> JsonObject:
    client = SocialBClient.for_app(app)
    account = client.me()
    if str(account["user_id"]) != app.phone_number_id:
        raise NamedError(NO_ACCOUNT, "enter the account of the token", field="accountId")
    username = _word(account, "username", 39)
    fields = {"display_number": f"@{username}", "name": app.name or username, "last_error": ""}
    return {**fields, **_lasting(app, client)}


def _lasting(app: ChatApp, client: SocialBClient) -> JsonObject:
    """Return a token that lasts, by columns, for one that may hold for an hour. Where the platform gives none, as for a
    token that lasts already, the given one stays."""
    if not app.app_secret or app.token_expires_at is not None:
        return {}
    try:
        token = client.lasting(app.app_secret)
    except ChatFailed:
        return {}
    return {"access_token": token.text, "token_expires_at": token.ends_at}


def _word(profile: Values, name: str, most: int) -> str:
    value = profile.get(name)
    return value[:most].replace("\0", "") if isinstance(value, str) else ""


MESSENGERS = DirectApps(
    vendor=ChatApp.Vendor.MESSENGER,
    noun="messenger app",
    missing="MessengerAppNotFound_404",
    token="botToken",  # noqa: S106  the name of a field
    place="botToken",
    ask=_ask_messenger,
)
SOCIAL_B = DirectApps(
    vendor=ChatApp.Vendor.SOCIAL_B,
    noun="social account",
    missing="SocialBAppNotFound_404",
    token="accessToken",  # noqa: S106  the name of a field
    place="accountId",
    ask=_ask_social_b,
)
