"""Tags and contact categories: a company's own names for its contacts, unique whatever their case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import IntegrityError, transaction

from core.access import take
from core.errors import Named, shorten
from crm.models import ContactCategory, Tag

Label = Tag | ContactCategory

TAKEN: dict[type[Label], str] = {Tag: "TagNameAlreadyExists_400", ContactCategory: "ContactCategoryNameAlreadyExists_400"}
MODULES: dict[type[Label], str] = {Tag: "tag", ContactCategory: "contact-category"}
NOT_FOUND: dict[type[Label], str] = {Tag: "TagNotFound_400", ContactCategory: "ContactCategoryNotFound_400"}


@transaction.atomic
def create_label(model: type[Label], *, actor_id: str, values: Mapping[str, Any]) -> Label:
    """A new tag or category; TagNameAlreadyExists_400 or ContactCategoryNameAlreadyExists_400, PlanLimitExceeded_403."""
    take(MODULES[model])
    return _save(model(created_by_id=actor_id, updated_by_id=actor_id, **values))


@transaction.atomic
def update_label(model: type[Label], *, id: str, actor_id: str, values: Mapping[str, Any]) -> Label:
    """Change what is given of a tag or category; TagNotFound_400 or ContactCategoryNotFound_400, and a taken name as in create_label."""
    label = model.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if label is None:
        raise not_found(model)
    for name, value in values.items():
        setattr(label, name, value)
    label.updated_by_id = actor_id
    return _save(label)


def not_found(model: type[Label]) -> Named:
    """The error of an id that is none of the company's."""
    return Named(NOT_FOUND[model], f"id: there is no such {model._meta.verbose_name} in this company")


def _save(label: Label) -> Label:
    try:
        with transaction.atomic():
            label.save()
    except IntegrityError as error:
        if "name_unique" not in str(error):
            raise
        raise Named(TAKEN[type(label)], f"name: {shorten(label.name, 60)!r} exists already, whatever the case of its letters") from None
    return label


def check_labels(*, tag_ids: Iterable[str] = (), category_ids: Iterable[str] = ()) -> None:
    """Refuse tags (TagNotFound_400) and categories (ContactCategoryNotFound_400) that the active company lacks."""
    missing = missing_tags(tag_ids)
    if missing:
        raise Named("TagNotFound_400", f"tags: there is no tag {', '.join(missing[:5])} in this company")
    missing = missing_categories(category_ids)
    if missing:
        raise Named("ContactCategoryNotFound_400", f"category: there is no contact category {', '.join(missing[:5])} in this company")


def missing_tags(ids: Iterable[str]) -> list[str]:
    """Those of the ids that are no tag of the active company."""
    return _missing(Tag, ids)


def missing_categories(ids: Iterable[str | None]) -> list[str]:
    """Those of the ids that are no contact category of the active company."""
    return _missing(ContactCategory, ids)


def _missing(model: type[Label], ids: Iterable[str | None]) -> list[str]:
    wanted = list(dict.fromkeys(id for id in ids if id))
    if not wanted:
        return []
    known = set(model.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    return [id for id in wanted if id not in known]
