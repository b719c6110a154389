"""The default among a company's apps of a kind: one at a time, which a constraint `…_one_default` holds."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import NamedError

CHOSEN = "RecordChanged_409"
"""The error if two members make different apps the default at the same time."""


def save_default(app: Any) -> None:
    """Save the app; a new default replaces the previous one.

    Raises RecordChanged_409 when another app is made the default at the same time.
    """
    if app.is_default:
        release_default(app)
    try:
        with transaction.atomic():
            app.save()
    except IntegrityError as error:
        if "_one_default" not in str(error):
            raise
        detail = "another app was made the default at the same moment; read the apps, and try again"
        raise NamedError(CHOSEN, detail, field="isDefault") from None


def release_default(app: Any) -> None:
    """Unset the current default, so that another app can become it."""
    type(app).objects.filter(is_default=True).exclude(pk=app.pk).update(is_default=False, updated_at=timezone.now())
