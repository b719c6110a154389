"""Connected accounts at mail vendors: create, change, test, delete."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access import reserve_quota
from core.errors import NamedError, ValidationFailed
from core.ids import new_id
from core.outbound import OutboundRefused, checked_address
from core.tenancy import company_id
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors.logins import create_by_login, renew_login, take_back
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import NAMES, channel_of, letters
from outreach.connections.mail_vendors.vendors.base import MailVendor
from outreach.connections.senders.services import check_values, remove
from outreach.connections.smtp.outcome import SmtpError
from outreach.connections.smtp.transport import encode_address

SECRETS = ("api_key", "secret_key", "signing_key", "access_token")
CONNECTION = frozenset({"api_key", "secret_key", "region", "endpoint", "domain", "subaccount"})
"""Fields that the test depends on: a change requires a new test."""


@dataclass(frozen=True)
class VendorCheck:
    """A test's result: `stage` is where it failed (connect or auth), `detail` is for people."""

    ok: bool
    milliseconds: int
    stage: str = ""
    detail: str = ""
    temporary: bool = False


def not_found(letter: str, parameter: str = "id") -> NamedError:
    """Return the error for an id that belongs to no app of the letter in the company."""
    name = f"Mailvendor{letter.upper()}NotFound_404"
    return NamedError(name, f"there is no mailvendor-{letter} app in this company", field=parameter)


def nothing_selected(letter: str) -> NamedError:
    """Return the error for a deletion that selects nothing."""
    name = "AppNotFound_400" if letter == "c" else f"NoMailvendor{letter.upper()}Selected_400"
    return NamedError(name, f"none of them is a mailvendor-{letter} app of this company", field="ids")


def create_app(*, letter: str, member_id: str, verified: bool = True, **values: Any) -> MailApp:
    """Connect an account of the letter's vendor, and test it unless `verified` is False.

    A vendor that cannot be asked leaves it unverified, with the reason in last_error. Raises InvalidCredentials_400 for
    a key that the vendor refuses, ValidationFailed, PlanLimitExceeded_403, and ConnectionTestRunning_429.
    """
    spec = letters()[letter]
    if spec.login:
        return create_by_login(letter=letter, member_id=member_id, **values)
    app = MailApp(
        id=new_id(),
        company_id=company_id(),
        letter=letter,
        vendor=spec.key,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    _set(app, _validate(spec, values, None))
    app.verified = False
    if verified:
        with connection_test_slot():
            _connect(app)
    with transaction.atomic():
        reserve_quota(MODULE)
        app.save(force_insert=True)
    return app


def update_app(*, letter: str, id: str, member_id: str, verified: bool | None = None, **values: Any) -> MailApp:
    """Change an account. It is tested when its connection changes, or when `verified` is True.

    Without keys the old ones stay. Raises the errors of `create_app`, each without any change.
    """
    code, state = values.pop("code", ""), values.pop("state", "")
    if code or state:
        renew_login(letter=letter, id=id, member_id=member_id, code=code, state=state)
        verified = None  # Google has just taken it
    values = {name: value for name, value in values.items() if value or name not in SECRETS}
    with transaction.atomic():
        app, reconnects = _app_with_values(letter, id, values)
    tests = verified or (reconnects and verified is None)
    with connection_test_slot() if tests else nullcontext():
        if tests:
            _connect(app)
        result = {name: getattr(app, name) for name in ("verified", "last_error", "last_error_at")} if tests else {}
        with transaction.atomic():
            app, _ = _app_with_values(letter, id, values)
            if reconnects or verified is False:
                app.verified = False
            # Failures of the old settings say nothing about the new ones.
            _set(app, {**result, "paused_until": None, "paused_reason": "", "failures": 0})
            app.updated_by_id = member_id
            app.save()
    return app


def _app_with_values(letter: str, id: str, values: Values) -> tuple[MailApp, bool]:
    """Return the locked app with the values set, unsaved, and whether it connects by others than before."""
    app: MailApp = CONNECTED_APPS[channel_of(letter)].record_to_change(id, values)
    checked = _validate(app.spec, values, app)
    changed = [name for name in CONNECTION & {*checked} if name in SECRETS or getattr(app, name) != checked[name]]
    _set(app, checked)
    return app, bool(changed)


def _set(app: MailApp, values: Values) -> None:
    for name, value in values.items():
        setattr(app, name, value)
    has_key = MailApp._meta.get_field("signing_key").is_set(app)
    app.webhook_ready = app.spec.has_webhooks and (has_key or not app.spec.needs_signing_key)


def _validate(spec: MailVendor, values: Values, current: MailApp | None) -> JsonObject:
    """Return the values as they are stored. Raises ValidationFailed for those that no mail can be sent with."""
    cleaned = dict(values)
    check_values(cleaned, current)
    for setting in spec.settings:
        column, name = setting.column, NAMES.get(setting.column, setting.column)
        kept = current is not None and (setting.secret or getattr(current, column))
        if setting.required and not cleaned.get(column) and not (kept and column not in cleaned):
            raise ValidationFailed(
                f"{name} is required", f"enter a value; {spec.name} needs it ({setting.label})", field=name
            )
        if setting.choices and cleaned.get(column) and cleaned[column] not in setting.choices:
            raise ValidationFailed(f"{name} is none of them", f"choose one of {', '.join(setting.choices)}", field=name)
    for name in ("api_key", "secret_key"):
        key = cleaned.get(name, "")
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise ValidationFailed(
                f"{NAMES[name]} is no key", "check the value: some characters are not allowed", field=NAMES[name]
            )
    if cleaned.get("signing_key"):
        cleaned["signing_key"] = _bare_key(cleaned["signing_key"])
    if cleaned.get("reply_to"):
        try:
            encode_address(cleaned["reply_to"])
        except SmtpError as error:
            raise ValidationFailed("replyTo is no email address", error.detail, field="replyTo") from None
    spec.check_values(cleaned)
    if cleaned.get("endpoint"):
        try:
            cleaned["endpoint"] = checked_address(cleaned["endpoint"])
        except OutboundRefused as refused:
            raise ValidationFailed("endpoint cannot be reached", refused.detail, field="endpoint") from None
    if cleaned.get("api_key"):
        cleaned["key_hint"] = cleaned["api_key"][-4:] if len(cleaned["api_key"]) >= 12 else ""
    return cleaned


def _bare_key(text: str) -> str:
    """Return a public key without the lines around it, and any other key as it is."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return "".join(line for line in lines if not line.startswith("-----"))


def _connect(app: MailApp) -> None:
    """Test an unsaved app. Raises InvalidCredentials_400 for a key that the vendor refuses."""
    try:
        app.spec.verify(app)
    except SmtpError as error:
        if error.stage == "auth":
            raise NamedError("InvalidCredentials_400", error.detail, field="apiKey") from None
        app.verified = False
        app.last_error = error.detail
        app.last_error_at = timezone.now()
    else:
        app.verified = True
        app.last_error = ""
        app.last_error_at = None


def check_app(*, id: str, letter: str | None = None) -> VendorCheck:
    """Ask the vendor whether it takes the key, without sending. Stores the result as `verified` and `last_error`.

    Raises MailvendorXNotFound_404, and ConnectionTestRunning_429 while another test runs.
    """
    rows = MailApp.objects.filter(pk=id)
    app = (rows if letter is None else rows.filter(letter=letter)).first()
    if app is None:
        raise not_found(letter or "a")
    began, problem = monotonic(), None
    with connection_test_slot():
        try:
            app.spec.verify(app)
        except SmtpError as error:
            values: JsonObject = {"verified": False, "last_error": error.detail, "last_error_at": timezone.now()}
            problem = error
        else:
            values = {"verified": True, "last_error": "", "last_error_at": None, "failures": 0}
            values |= {"paused_until": None, "paused_reason": ""}
    MailApp.objects.filter(pk=app.pk).update(updated_at=timezone.now(), **values)
    took = round((monotonic() - began) * 1000)
    if problem is None:
        return VendorCheck(True, took)
    return VendorCheck(False, took, problem.stage, problem.detail, problem.temporary)


def delete_apps(*, letter: str, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the accounts that nothing refers to, and switch off the others, since their messages belong to the log.
    The log-ins of both are taken back at their vendor.

    Raises NoMailvendorXSelected_400 when none of the ids exists.
    """
    with transaction.atomic():
        apps = list(MailApp.objects.select_for_update(of=("self",)).filter(pk__in=ids, letter=letter))
        if not apps:
            raise nothing_selected(letter)
        counts = remove(MailApp, [app.pk for app in apps], member_id)
        logged_in = [app for app in apps if app.spec.login and app.api_key]
        MailApp.objects.filter(pk__in=[app.pk for app in logged_in]).update(
            api_key="", access_token="", access_ends_at=None, needs_login=True, verified=False
        )
    take_back(logged_in)
    return counts
