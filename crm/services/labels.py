"""Tags and contact categories."""

from __future__ import annotations

from collections.abc import Iterable

from core.errors import Named
from crm.models import ContactCategory, Tag


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


def missing_categories(ids: Iterable[str]) -> list[str]:
    """Those of the ids that are no contact category of the active company."""
    return _missing(ContactCategory, ids)


def _missing(model: type[Tag] | type[ContactCategory], ids: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return []
    known = set(model.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    return [id for id in wanted if id not in known]
