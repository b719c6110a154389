"""Use cases of tags and contact categories, whose names are unique in the company, ignoring case."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection, transaction

from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.hooks import Hook
from core.lists import BulkSelection, in_batches
from core.types import Values
from crm.records.writes.unique_names import save_unique_name
from crm.tags.models import ContactCategory, Tag

TagModel = Tag | ContactCategory

TAKEN: dict[type[TagModel], str] = {
    Tag: "TagNameAlreadyExists_400",
    ContactCategory: "ContactCategoryNameAlreadyExists_400",
}
NOT_FOUND: dict[type[TagModel], str] = {Tag: "TagNotFound_400", ContactCategory: "ContactCategoryNotFound_400"}
MODULES: dict[type[TagModel], str] = {Tag: "tag", ContactCategory: "contact-category"}
DELETED: dict[type[TagModel], str] = {Tag: "tag.deleted", ContactCategory: "contact-category.deleted"}
"""The event of a tag's deletion. There are no events of the records that had it."""
before_tags_deleted: Hook[[list[str]], object] = Hook(
    __name__,
    "before_tags_deleted",
    "Before tags (ids) are deleted, in that transaction. Removes them from the records that have them.",
)
before_categories_deleted: Hook[[list[str]], object] = Hook(
    __name__,
    "before_categories_deleted",
    "Before contact categories (ids) are deleted, in that transaction. Removes them from the records that have them.",
)
BEFORE_DELETED: dict[type[TagModel], Hook[[list[str]], object]] = {
    Tag: before_tags_deleted,
    ContactCategory: before_categories_deleted,
}


@transaction.atomic
def create_tag(model: type[TagModel], *, actor_id: str, values: Values) -> TagModel:
    """Create a tag or category.

    Raises TagNameAlreadyExists_400 or ContactCategoryNameAlreadyExists_400, PlanLimitExceeded_403.
    """
    reserve_quota(MODULES[model])
    return _save(model(created_by_id=actor_id, updated_by_id=actor_id, **values))


@transaction.atomic
def update_tag(model: type[TagModel], *, id: str, actor_id: str, values: Values) -> TagModel:
    """Change the given values of a tag or category.

    Raises TagNotFound_400 or ContactCategoryNotFound_400, and the errors of create_tag for a name.
    """
    tag = model.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if tag is None:
        raise not_found(model)
    for name, value in values.items():
        setattr(tag, name, value)
    tag.updated_by_id = actor_id
    return _save(tag)


@transaction.atomic
def delete_tags(model: type[TagModel], *, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected tags or categories and remove them from records. Returns the number deleted.

    Raises TagNotFound_400 or ContactCategoryNotFound_400 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(model.objects.all()), lock=True):
        names = dict(model.objects.filter(pk__in=ids).values_list("pk", "name"))
        BEFORE_DELETED[model].send(ids)
        # Django's, since forms and other records of higher apps refer to categories too.
        model.objects.filter(pk__in=ids).delete()
        emit(
            DELETED[model],
            ids,
            payloads={id: {"name": name} for id, name in names.items()},
            actor_id=actor_id,
            automation=automation,
        )
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND[model], f"none of them is a {model._meta.verbose_name} of this company", field="ids")
    return deleted


def not_found(model: type[TagModel]) -> NamedError:
    """Return the error of an id that the company lacks."""
    return NamedError(NOT_FOUND[model], f"there is no such {model._meta.verbose_name} in this company", field="id")


def _save(tag: TagModel) -> TagModel:
    save_unique_name(tag, TAKEN[type(tag)])
    return tag


def check_tags(*, tag_ids: Iterable[str] = (), category_ids: Iterable[str] = ()) -> None:
    """Refuse tags (TagNotFound_400) and categories (ContactCategoryNotFound_400) that the active company lacks."""
    missing = missing_tags(tag_ids)
    if missing:
        raise NamedError("TagNotFound_400", f"there is no tag {', '.join(missing[:5])} in this company", field="tags")
    missing = missing_categories(category_ids)
    if missing:
        raise NamedError(
            "ContactCategoryNotFound_400",
            f"there is no contact category {', '.join(missing[:5])} in this company",
            field="category",
        )


def missing_tags(ids: Iterable[str], *, lock: bool = True) -> list[str]:
    """Return the ids that belong to no tag of the active company. `lock` protects the others until the transaction
    ends, so that the caller can refer to them."""
    return _missing(Tag, ids, lock=lock)


def missing_categories(ids: Iterable[str | None]) -> list[str]:
    """Return the ids that belong to no contact category of the active company."""
    return _missing(ContactCategory, ids)


def _missing(model: type[TagModel], ids: Iterable[str | None], *, lock: bool = True) -> list[str]:
    tag_ids = list(dict.fromkeys(id for id in ids if id))
    if not tag_ids:
        return []
    with connection.cursor() as cursor:
        # The lock lasts until the caller's transaction ends, so that a deletion waits until the records have their
        # tags.
        locking = "FOR KEY SHARE" if lock else ""
        cursor.execute(f"SELECT id FROM {model._meta.db_table} WHERE id = ANY(%s) {locking}", [tag_ids])
        existing = {id for (id,) in cursor.fetchall()}
    return [id for id in tag_ids if id not in existing]
