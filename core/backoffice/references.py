"""Models of the ids in columns and in JSON, so that pages can show names instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin import AdminSite
from django.db import models

from core.backoffice.panels import render_link
from core.ids import is_id
from core.types import JsonObject

Model = type[models.Model]
Of = Model | Callable[[Any], Model | None]
"""A model, or a function that returns it for a record."""
MAX_IDS = 40
"""The most ids of a key that are looked up: pages show these alone."""
_keys: dict[str, Model] = {}
_kinds: dict[str, Model] = {}


def register_references(model: Model, *keys: str) -> None:
    """Declare that these keys of JSON contain ids of the model's records."""
    for key in keys:
        _keys[key] = model


def register_event_kind(model: Model, *kinds: str) -> None:
    """Declare that events whose kind begins with one of these prefixes are about the model's records."""
    for kind in kinds:
        _kinds[kind] = model


def is_known(key: str) -> bool:
    """Return whether a key has ids of records."""
    return key in _keys


def model_of(kind: str) -> Model | None:
    """Return the model that events of the kind (contact.created) are about."""
    return _kinds.get(kind.partition(".")[0])


def title_needs(site: AdminSite, model: Model) -> Sequence[str]:
    """Return the relations that the titles of a model's records need."""
    return getattr(site.get_model_admin(model), "title_needs", ()) if site.is_registered(model) else ()


def names_of(references: Iterable[tuple[Model, str]]) -> JsonObject:
    """Return id -> link to the record, by one query for each model."""
    ids_by_model: dict[Model, set[str]] = {}
    for model, id in references:
        ids_by_model.setdefault(model, set()).add(id)
    names: JsonObject = {}
    for model, ids in ids_by_model.items():
        needs = title_needs(admin.site, model)
        rows = model._default_manager.filter(pk__in=list(ids))
        names |= {row.pk: render_link(row) for row in (rows.select_related(*needs) if needs else rows)}
    return names


def ids_in(record: models.Model, refers: Mapping[str, Of], fields: Iterable[str]) -> Iterable[tuple[Model, str]]:
    """Yield the records that the ids in these fields of a record refer to, as far as known."""
    for name in fields:
        value = getattr(record, name, None)
        of = refers.get(name)
        if of is None:
            model = _keys.get(name)
        else:
            model = of if isinstance(of, type) else of(record)
        if model is not None:
            yield from ((model, id_text) for id_text in _ids(value))
        elif isinstance(value, Mapping | list):
            yield from _references_in(value)


def _ids(value: Any) -> list[str]:
    return [entry for entry in (value if isinstance(value, list) else [value]) if is_id(entry)][:MAX_IDS]


def _references_in(value: Any, depth: int = 0) -> Iterable[tuple[Model, str]]:
    if depth > 6:
        return
    if isinstance(value, Mapping):
        field = value.get("field")
        if isinstance(field, str) and field in _keys:
            yield from ((_keys[field], id) for id in _ids(value.get("value")))
        for key, inner in value.items():
            if key in _keys and not isinstance(inner, Mapping):
                yield from ((_keys[key], id) for id in _ids(inner))
            else:
                yield from _references_in(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value[:MAX_IDS]:
            yield from _references_in(inner, depth + 1)
