"""Connected SMTP senders: create, change, test, delete."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from core.access import reserve_quota
from core.crypto import SecretUnreadable
from core.errors import NamedError, ValidationFailed
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.senders.models import Sender, Smtp
from outreach.connections.smtp.transport import SmtpConfig, SmtpError, Timeouts, encode_address, verify

CONNECTION = frozenset({"host", "port", "username", "password", "secure", "from_email"})
"""Fields that the connection test depends on: a change requires a new test."""
TIMEOUTS = Timeouts(connect=8, command=8, total=8)
"""Timeouts of a connection test, within a request."""
NOT_FOUND = "SmtpNotFound_404"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no sender of the company."""
    return NamedError(NOT_FOUND, "there is no such sender in this company", field="id")


@dataclass(frozen=True)
class ConnectionCheck:
    """A connection test's result: `stage` is where it failed (connect, tls, auth, mail), `detail` is for people."""

    ok: bool
    encryption: str | None = None
    stage: str = ""
    detail: str = ""
    temporary: bool = False


def config_of(smtp: Smtp) -> SmtpConfig:
    """Return the sender's server and account. Raises SmtpError when the stored password was not given for them."""
    try:
        password = smtp.password
    except SecretUnreadable:
        detail = "The stored password was given for another server or account. Enter the password again."
        raise SmtpError("auth", detail, temporary=False) from None
    return SmtpConfig(
        host=smtp.host,
        port=smtp.port,
        username=smtp.username,
        password=password,
        secure=smtp.secure,
        from_email=smtp.from_email,
    )


def get_sender(id: str) -> Smtp:
    """Return the company's sender with this id. Raises SmtpNotFound_404 when there is none."""
    sender = Smtp.objects.filter(pk=id).first()
    if sender is None:
        raise not_found()
    return sender


def create_sender(*, member_id: str, verified: bool = True, **values: Any) -> Smtp:
    """Create a sender, and test it unless `verified` is False.

    A failed test leaves it unverified, with the reason in last_error.

    Raises PlanLimitExceeded_403 at the plan's limit, and ConnectionTestRunning_429 while another test runs.
    """
    check_values(values)
    with connection_test_slot() if verified else nullcontext():
        with transaction.atomic():
            reserve_quota(MODULE)
            smtp = Smtp.objects.create(verified=False, created_by_id=member_id, updated_by_id=member_id, **values)
        if verified:
            _test(smtp)
    return smtp


def update_sender(*, id: str, member_id: str, verified: bool | None = None, **values: Any) -> Smtp:
    """Change the sender. Tests it when server, account or From address change, or when `verified` is True.

    Without a password the old one stays. Raises ValidationFailed for another server or account without a password, and
    ConnectionTestRunning_429, which changes nothing.
    """
    if not values.get("password"):
        values.pop("password", None)
    with ExitStack() as held:
        with transaction.atomic():
            smtp = CONNECTED_APPS["smtp"].record_to_change(id, values)
            check_values(values, smtp)
            reconnects = any(
                name == "password" or getattr(smtp, name) != values[name] for name in CONNECTION & {*values}
            )
            tests = verified or (reconnects and verified is None)
            if tests:
                held.enter_context(connection_test_slot())
            # Failures of the old settings say nothing about the new ones.
            fresh: JsonObject = {"paused_until": None, "paused_reason": "", "failures": 0}
            if reconnects or verified is False:
                fresh["verified"] = False
            for name, value in {**values, **fresh, "updated_by_id": member_id}.items():
                setattr(smtp, name, value)
            smtp.save(update_fields=[*values, *fresh, "updated_by", "updated_at"])
        if tests:
            _test(smtp)
    return smtp  # type: ignore[no-any-return]


def check_values(values: Values, current: Sender | None = None) -> None:
    """Raise ValidationFailed for values that no mail can be sent with."""
    address = values.get("from_email")
    if address is not None:
        try:
            encode_address(address)
        except SmtpError as error:
            raise ValidationFailed("fromEmail is no email address", error.detail, field="fromEmail") from None
    start, step = (values.get(name, getattr(current, name, None)) for name in ("ramp_start", "ramp_step"))
    if start is not None and not step:
        raise ValidationFailed("rampStep is required with rampStart", "enter 1 or more", field="rampStep")


def check_sender(*, id: str) -> ConnectionCheck:
    """Connect, log in and check the From address without sending. Stores the result as `verified` and `last_error`.

    Raises ConnectionTestRunning_429 while another test runs.
    """
    smtp = get_sender(id)
    with connection_test_slot():
        return _test(smtp)


def _test(smtp: Smtp) -> ConnectionCheck:
    try:
        encryption = verify(config_of(smtp), timeouts=TIMEOUTS)
    except SmtpError as error:
        values: JsonObject = {"verified": False, "last_error": error.detail, "last_error_at": timezone.now()}
        result = ConnectionCheck(False, stage=error.stage, detail=error.detail, temporary=error.temporary)
    else:
        values = {
            "verified": True,
            "last_error": "",
            "last_error_at": None,
            "failures": 0,
            "paused_until": None,
            "paused_reason": "",
        }
        result = ConnectionCheck(True, encryption=encryption)
    Smtp.objects.filter(pk=smtp.pk).update(updated_at=timezone.now(), **values)
    return result


@transaction.atomic
def delete_senders(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the senders that nothing refers to, and switch off the others, since their messages belong to the log.

    Raises NoSMTPSelected_400 when none of the ids exists.
    """
    counts = remove(Smtp, ids, member_id)
    if not sum(counts.values()):
        raise NamedError("NoSMTPSelected_400", "none of the selected senders exists in this company")
    return counts


def remove(model: type[Sender], ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete those of the senders of a kind that nothing needs, and switch the others off. Returns how many."""
    used = set[str]()
    for relation in model._meta.related_objects:
        if relation.on_delete is not models.PROTECT:
            continue  # goes with the sender, or stays without it
        rows = relation.related_model._default_manager
        name = relation.field.name
        used |= set(rows.filter(**{f"{name}__in": ids}).values_list(f"{name}_id", flat=True).distinct())
    senders = model._default_manager
    _, kinds = senders.filter(pk__in=ids).exclude(pk__in=used).delete()
    deleted = kinds.get(model._meta.label, 0)
    off = senders.filter(pk__in=used).update(is_active=False, updated_by_id=member_id, updated_at=timezone.now())
    return {"deletedCount": deleted, "deactivatedCount": off}
