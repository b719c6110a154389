"""Tags and categories that rows name: by name whatever its case, or by _id."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models.functions import Lower

from core.access import room
from crm.models import ContactCategory, Tag

MAX_NAME = 200
MAX_TAGS = 10_000
"""So many tags a company may come to have by imports: a column of free text is no column of tags."""


class Labels:
    """The company's tags and categories, looked up once for all rows.

    Tags that do not exist are made, since they are free labels; categories are a company's own order and are not.
    """

    def __init__(self, member_id: str | None) -> None:
        self._member_id = member_id
        self._tags: dict[str, str] | None = None
        self._categories: dict[str, str] | None = None

    def need_tags(self, names: Iterable[str]) -> None:
        """Make sure of the tags, outside of any batch's transaction: another import may be making the same ones."""
        wanted = {name.lower(): name for name in names if len(name) <= MAX_NAME}
        if not wanted:
            return
        if self._tags is None:
            self._tags = _by_name(Tag)
        missing = [name for key, name in wanted.items() if key not in self._tags]
        if missing and len(self._tags) // 2 + len(missing) <= MAX_TAGS:
            with transaction.atomic():
                missing = missing[: room("tag")]
                Tag.objects.bulk_create([Tag(name=name, created_by_id=self._member_id) for name in missing], ignore_conflicts=True)
            self._tags = _by_name(Tag)

    def tag(self, name: str) -> str | None:
        """The tag's id; None when it could not be made."""
        return (self._tags or {}).get(name.lower())

    def category(self, name: str) -> str | None:
        """The category's id; None when there is none of that name."""
        if self._categories is None:
            self._categories = _by_name(ContactCategory)
        return self._categories.get(name.lower())


def _by_name(model: type[Tag] | type[ContactCategory]) -> dict[str, str]:
    """Lower-case name and _id -> _id; both as the database and as Python write lower case."""
    found: dict[str, str] = {}
    for pk, name, lower in model.objects.annotate(lower=Lower("name")).values_list("pk", "name", "lower"):
        found[pk] = found[lower] = pk
        found.setdefault(name.lower(), pk)
    return found
