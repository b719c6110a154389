"""Saving of records whose name is unique in the company."""

from __future__ import annotations

from django.db import IntegrityError, models, transaction

from core.errors import NamedError, shorten


def save_unique_name(record: models.Model, taken: str) -> None:
    """Save a record of a model whose constraint ends in `name_unique`.

    Raises the error `taken` when another record has the name.
    """
    try:
        with transaction.atomic():
            record.save()
    except IntegrityError as error:
        # Another constraint has failed, which is a bug or another refusal.
        if "name_unique" not in str(error):
            raise
        name = shorten(record.name, 60)  # type: ignore[attr-defined]
        raise NamedError(taken, f"{name!r} is already in use", field="name") from None
