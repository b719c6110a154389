"""Use cases of secrets."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access.quota import lock_company
from core.errors import NamedError
from core.lists import BulkSelection
from crm.records.writes.unique_names import save_unique_name
from workflows.secrets.models import WorkflowSecret

NOT_FOUND, TAKEN = "WorkflowSecretNotFound_404", "WorkflowSecretNameAlreadyExists_400"
MAX_SECRETS = 100
LOCK = "workflow-secrets"
USED_EVERY = timedelta(minutes=1)
"""Precision of the stored time of a secret's last use."""
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")


@transaction.atomic
def create_secret(*, member_id: str, name: str, host: str, value: str) -> WorkflowSecret:
    """Keep a secret. Raises InvalidInput_400, WorkflowSecretNameAlreadyExists_400."""
    host = host.lower()
    if not HOST.fullmatch(host):
        raise NamedError("InvalidInput_400", "enter a host, such as api.example.org", field="host")
    if not value.isascii() or not value.isprintable():
        raise NamedError("InvalidInput_400", "check the value: some characters are not allowed", field="value")
    lock_company(LOCK)
    if WorkflowSecret.objects.count() >= MAX_SECRETS:
        raise NamedError(
            "InvalidInput_400", f"a company keeps at most {MAX_SECRETS} secrets; delete one first", field="name"
        )
    secret = WorkflowSecret(name=name, host=host, value=value, created_by_id=member_id)
    save_unique_name(secret, TAKEN)
    return secret


@transaction.atomic
def delete_secrets(*, selection: BulkSelection) -> int:
    """Delete secrets; calls that need one fail from then on. Raises WorkflowSecretNotFound_404 when ids name none."""
    deleted, _ = selection.apply(WorkflowSecret.objects.all()).delete()
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a secret of this company", field="ids")
    return int(deleted)


def secret_for(id: str, host: str) -> str | None:
    """Return the secret with this id, if it is for the host, to send it there."""
    secret: Any = WorkflowSecret.objects.filter(pk=id, host=host.lower()).first()
    if secret is None:
        return None
    now = timezone.now()
    # At most once a minute: calls that are made side by side need not wait for each other.
    if secret.last_used_at is None or secret.last_used_at < now - USED_EVERY:
        WorkflowSecret.objects.filter(pk=id).update(last_used_at=now)
    return str(secret.value)


def has_secret(id: str, host: str) -> bool:
    """Return whether the company has the secret, and for this host."""
    return bool(WorkflowSecret.objects.filter(pk=id, host=host).exists())
