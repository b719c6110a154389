"""One record of every company-owned model, made from the models' own fields."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from accounts.models import Member
from billing.ledger.services import post_transaction
from billing.models import Posting
from core.fields import CompanyForeignKey
from core.ids import ObjectIdField, new_id
from core.tenancy.row_security import company_models
from tests.kit.cast import Cast

GUESSES: dict[type[models.Field], Any] = {
    models.BooleanField: False,
    models.DateTimeField: timezone.now,
    models.DateField: lambda: timezone.now().date(),
    models.TimeField: lambda: timezone.now().time(),
    models.JSONField: dict,
    models.IntegerField: 1,
    models.DecimalField: 1,
    models.FloatField: 1.0,
    models.GenericIPAddressField: "127.0.0.1",
    models.EmailField: lambda: f"{new_id()}@example.net",
    models.CharField: lambda: new_id(),
    models.TextField: lambda: new_id(),
    models.BinaryField: b"",
}


FILLED = {
    "PersonalMail": ("send_job",),
    "CallLog": ("contact",),
    "Comment": ("contact",),
    "Conversation": ("contact",),
    "Coupon": ("percent",),
    "LeadActivity": ("lead",),
    "SegmentRecord": ("contact",),
}
"""Model -> nullable fields that a record needs all the same."""


def populate(cast: Cast) -> dict[type[models.Model], str]:
    """Model -> id of a record of the cast's company; models with composite keys are made and left out of the answer."""
    made: dict[type[models.Model], Any] = {Member: cast.owner}
    with cast.scope():
        for model in company_models():
            _make(model, made)
    return {model: record.pk for model, record in made.items() if isinstance(record.pk, str)}


def _make(model: type[models.Model], made: dict[type[models.Model], Any]) -> Any:
    if model in made:
        return made[model]
    existing = model.objects.first()
    if existing is None and model is Posting:
        post_transaction("inv:1", "EUR", [("receivable", 1), ("revenue", -1)])  # the database takes what balances
        existing = Posting.objects.first()
    if existing is None:
        values = {
            field.name: _value(field, made)
            for field in model._meta.local_fields
            if _is_needed(field) or field.name in FILLED.get(model.__name__, ())
        }
        existing = model.objects.create(**values)
    made[model] = existing
    return existing


def record_like(model: type[models.Model], **values: Any) -> Any:
    """Make another record of a model, with these values and guesses for the other fields that it needs."""
    made: dict[type[models.Model], Any] = {}
    needed = [field for field in model._meta.local_fields if _is_needed(field) and field.name not in values]
    guessed = {field.name: _value(field, made) for field in needed}
    return model._default_manager.create(**guessed, **values)


def _is_needed(field: models.Field) -> bool:
    if field.name in ("company", "pk") or field.has_default() or field.null or getattr(field, "auto_now", False):
        return False
    return not (
        isinstance(field, models.AutoField | models.BigAutoField)
        or field.generated
        or getattr(field, "auto_now_add", False)
        or field.has_db_default()
        or isinstance(field, models.CompositePrimaryKey)
    )


def _value(field: models.Field, made: dict[type[models.Model], Any]) -> Any:
    if isinstance(field, CompanyForeignKey):
        return _make(field.related_model, made)
    if isinstance(field, models.ForeignKey):
        user = made[Member].user
        return user if field.related_model is type(user) else _make(field.related_model, made)
    if field.choices:
        return field.choices[0][0]
    if isinstance(field, ObjectIdField):
        return new_id()
    for kind, guess in GUESSES.items():
        if isinstance(field, kind):
            value = guess() if callable(guess) else guess
            return value[: field.max_length] if isinstance(value, str) and field.max_length else value
    raise TypeError(f"no guess for {field}")
