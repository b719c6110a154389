"""The tags, categories and members that rows name, by name in any case or by _id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from accounts.models import Member
from core.access import remaining_quota
from crm.field_types.base import plain_text, split_items
from crm.field_types.values import address_in
from crm.imports.models import Import
from crm.records.problems import ValueProblem
from crm.tags.models import ContactCategory, Tag
from crm.teams.services import ACTIVE

MAX_NAME = 200
MAX_TAGS = 10_000
NO_TAG = f"a name has at most {MAX_NAME} characters, and there are at most {MAX_TAGS:,} tags, or what the plan allows"
"""The message for a tag beyond the limit, which exists because a column of free text is no column of tags."""
TAGS, CATEGORY, ORGANIZATION, OWNER = "tags", "category", "organization", "owner"
GOOGLE, STAR = " ::: ", "* "
EVERYBODY = frozenset({"* myContacts", "* My Contacts"})
"""Google's group of all contacts of an account, which gives no information about one of them."""


class MemberLookup:
    """The company's members, by _id, address or name."""

    def __init__(self) -> None:
        self._members: dict[str, tuple[str, str]] | None = None

    def find(self, text: str) -> tuple[str, str] | None:
        """Return (_id, status) of the member in a cell; empty ones for a name that several share."""
        if self._members is None:
            self._members = _members()
        return self._members.get(address_in(text).lower())

    def read(self, key: str, text: str) -> tuple[str | None, list[ValueProblem]]:
        """Return the id of the active member in a cell of the column, and the problems."""
        member = self.find(text)
        if member is None:
            problem = f"no member is called “{text[:60]}”. Enter the email address of a member."
            return None, [ValueProblem(key, "MemberNotFound_404", problem)]
        id, status = member
        if not status:
            problem = f"several members are called “{text[:60]}”. Enter the email address of one."
            return None, [ValueProblem(key, "MemberNotFound_404", problem)]
        if status not in ACTIVE:
            problem = f"the membership of “{text[:60]}” is {status}"
            return None, [ValueProblem(key, "MemberNotAccepted_400", problem)]
        return id, []


def _members() -> dict[str, tuple[str, str]]:
    """Return lower-case address, name or _id -> (_id, status). A name that several members share is left out."""
    rows = list(Member.objects.annotate(lower=Lower("name")).values_list("pk", "email", "lower", "status"))
    names: dict[str, tuple[str, str]] = {}
    for pk, _, name, status in rows:
        names[name] = ("", "") if name in names else (pk, status)
    return (
        names | {email: (pk, status) for pk, email, _, status in rows} | {pk: (pk, status) for pk, _, _, status in rows}
    )


class Lookups:
    """The company's tags and categories, looked up once for all rows.

    Missing tags are created, since anybody may invent tags; missing categories are not, since the company defines them.
    """

    def __init__(self, job: Import) -> None:
        self._job = job
        self._members = MemberLookup()
        self._tags: dict[str, str] | None = None
        self._categories: dict[str, str] | None = None

    def create_missing_tags(self, batch: Iterable[Mapping[str, str]]) -> None:
        """Create the missing tags of a batch's rows, outside of its transaction: another import may be creating the
        same ones."""
        names_by_key = {
            # The first spelling wins, as it would if the rows were written one after the other.
            name.lower(): name
            for named in batch
            for name in split_names(named.get(TAGS, ""))
            if len(name) <= MAX_NAME
        }
        if not names_by_key:
            return
        if self._tags is None:
            self._tags = ids_by_name(Tag.objects.all())
        missing = [name for key, name in names_by_key.items() if key not in self._tags]
        if missing and len(self._tags) // 2 + len(missing) <= MAX_TAGS:
            with transaction.atomic():
                missing = missing[: remaining_quota("tag")]
                # Without conflicts: another import may make the same tag right now, and both
                # use the one that is there afterwards.
                Tag.objects.bulk_create(
                    [Tag(name=name, created_by_id=self._job.created_by_id) for name in missing], ignore_conflicts=True
                )
            self._tags = ids_by_name(Tag.objects.all())

    def apply_to(self, row: Any, named: Mapping[str, str]) -> list[ValueProblem]:
        """Set the tags, the category and the owner of the row. Returns the problems. The tags are those of the import
        and of the row; the category is the row's or else the import's."""
        problems = self.put_tags(row, named)
        row.category_id = self._job.category_id
        if not named:
            return problems
        problems += self.put_owner(row, named)
        row.company = named.get(ORGANIZATION, "")
        name = named.get(CATEGORY, "")
        category = self._category(name) if name else None
        row.category_id = category or row.category_id
        if name and category is None:
            problems.append(
                ValueProblem(
                    CATEGORY,
                    "ContactCategoryNotFound_400",
                    f"the category “{name[:60]}” does not exist; create it first",
                )
            )
        return problems

    def put_tags(self, row: Any, named: Mapping[str, str]) -> list[ValueProblem]:
        """Set the tags of the row, those of the import and its own. Returns the problems."""
        tags = {name: (self._tags or {}).get(name.lower()) for name in split_names(named.get(TAGS, ""))}
        row.tag_ids = list(dict.fromkeys([*self._job.tags, *(tag for tag in tags.values() if tag)])) or None
        return [
            ValueProblem(TAGS, "TagNotFound_400", f"the tag “{name[:60]}” can't be created; {NO_TAG}")
            for name, tag in tags.items()
            if tag is None
        ]

    def put_owner(self, row: Any, named: Mapping[str, str]) -> list[ValueProblem]:
        """Set the owner that the row names. Returns the problems."""
        text = named.get(OWNER)
        if not text:
            return []
        owner, problems = self._members.read(OWNER, text)
        if owner:
            row.system["owner_id"] = owner
        return problems

    def tester(self, key: str) -> Callable[[str], bool] | None:
        """Return a function that checks whether a cell of the column names an existing record; None if missing ones
        are created."""
        testers: dict[str, Callable[[str], bool]] = {
            CATEGORY: lambda text: self._category(text) is not None,
            OWNER: lambda text: self._members.find(text) is not None,
        }
        return testers.get(key)

    def _category(self, name: str) -> str | None:
        if self._categories is None:
            self._categories = ids_by_name(ContactCategory.objects.all())
        return self._categories.get(name.lower())


def untag_imports(tag_ids: list[str]) -> None:
    """Remove deleted tags from imports, which would otherwise set them on their rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE crm_import SET tags = tags - %s::text[] WHERE company_id = current_setting('app.company') AND tags"
            " ?| %s::text[]",
            [tag_ids, tag_ids],
        )


def clear_import_categories(category_ids: list[str]) -> None:
    """Remove deleted categories from imports."""
    Import.objects.filter(category_id__in=category_ids).update(category=None)


def split_names(text: str) -> list[str]:
    """Return the distinct names in a cell, which is split as those of fields with several values are.

    Google writes "* myContacts ::: Fair": its system groups begin with a star, and all contacts are in that one.
    """
    items = split_items(text)
    if not text.startswith("[") and (GOOGLE in text or text.startswith(STAR)):
        items = [item.removeprefix(STAR) for item in items if item not in EVERYBODY]
    names = (" ".join(plain_text(item).split()) for item in items)
    return list(dict.fromkeys(name for name in names if name))


def ids_by_name(records: QuerySet[Any]) -> dict[str, str]:
    """Return lower-case name and _id -> _id, with the lower case of both the database and Python."""
    ids: dict[str, str] = {}
    for pk, name, lower in records.annotate(lower=Lower("name")).values_list("pk", "name", "lower"):
        ids[pk] = ids[lower] = pk
        ids.setdefault(name.lower(), pk)
    return ids
