"""Re-encrypt the secrets at rest that have an older form or an older key (docs/operations.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.management import BaseCommand, CommandError
from django.db import models, transaction
from django.db.models import Case, F, Value, When
from django.db.models.functions import Length

from core.crypto import SecretUnreadable, is_current
from core.fields import EncryptedTextField, InstanceRow
from core.tenancy import unscoped

BATCH = 500


class Command(BaseCommand):
    help = "Encrypts secrets at rest again, under the first of FIELD_ENCRYPTION_KEY, while the service runs."

    def handle(self, *args: Any, **options: Any) -> None:
        renewed = unreadable = 0
        with unscoped(reason="secrets of all companies are encrypted again"):
            for field in encrypted_fields():
                done, failed = renew(field)
                renewed, unreadable = renewed + done, unreadable + failed
        self.stdout.write(f"Encrypted again: {renewed}")
        if unreadable:
            raise CommandError(f"{unreadable} secrets cannot be read under any key of FIELD_ENCRYPTION_KEY")


def encrypted_fields() -> Iterator[EncryptedTextField]:
    """Yield all encrypted fields of all models."""
    for model in apps.get_models():
        yield from (field for field in model._meta.concrete_fields if isinstance(field, EncryptedTextField))


def renew(field: EncryptedTextField) -> tuple[int, int]:
    """Re-encrypt the outdated secrets of a field, each batch in a transaction. Returns the number of those done, and of
    those that cannot be read."""
    done = unreadable = 0
    rows = field.model._base_manager.alias(length=Length(field.name)).filter(length__gt=0)
    rows = rows.only(*field.reads, field.name).order_by("pk").select_for_update(of=("self",), no_key=True)
    last: Any = None
    while True:
        # A transaction per batch, so that live writes wait for some rows only.
        with transaction.atomic():
            batch = list((rows if last is None else rows.filter(pk__gt=last))[:BATCH])
            if not batch:
                return done, unreadable
            last = batch[-1].pk
            counts = _renew(field, batch)
        done, unreadable = done + counts[0], unreadable + counts[1]


def _renew(field: EncryptedTextField, batch: list[models.Model]) -> tuple[int, int]:
    cases, unreadable = [], 0
    for row in batch:
        token, place = row.__dict__[field.attname], InstanceRow(row)
        if is_current(token, field.place(place)):
            continue
        try:
            sealed = field.seal(field.open(token, place), place)
        except SecretUnreadable:
            unreadable += 1
        else:
            cases.append(When(pk=row.pk, then=Value(sealed, output_field=field)))
    if cases:
        rows = field.model._base_manager.filter(pk__in=[row.pk for row in batch])
        rows.update(**{field.name: Case(*cases, default=F(field.name))})
    return len(cases), unreadable
