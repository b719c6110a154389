"""The three-way merge of a record's versions: undoing a change restores the overwritten values and keeps later changes.

A version is the JSON of journals: `row` (column -> value, with `custom`) and the name of each kind of links (their
whole rows). `after` contains only the differences from `before`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.types import JsonObject, Values
from crm.records.kinds import RecordKind

Version = Values

CUSTOM = "custom"
CHANGED_AT = "updated_at"
CHANGED_BY = "updated_by_id"
DELETION = ("is_deleted", "deleted_at", "merged_into_id")
"""Columns that belong together in every kind of record, like those of RecordKind.groups: a later change of one keeps
all of them."""


OPTIONAL = ("lost_reason_id",)
"""References without which the other columns of their group stand: a lead is lost without its reason, too."""


@dataclass(slots=True)
class MergedRecord:
    """The record to write.

    `row` is the whole row, `custom_keys` are the custom values that differ from the present ones. The list `kept` has
    columns, custom keys and links that were changed later.

    `added` has the links to restore (name -> whole rows), `removed` those to delete (name -> id of the row -> the
    linked id).
    """

    row: JsonObject
    present: Values
    groups: Mapping[str, tuple[str, ...]]
    custom_keys: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    added: dict[str, list[JsonObject]] = field(default_factory=dict)
    removed: dict[str, dict[str, str]] = field(default_factory=dict)
    untouched: bool = True
    """Nobody has changed updated_at since."""

    @property
    def row_differs(self) -> bool:
        return any(
            value != self.present[column]
            for column, value in self.row.items()
            if column not in (CHANGED_AT, CHANGED_BY)
        )

    @property
    def differs(self) -> bool:
        return self.row_differs or bool(self.added) or bool(self.removed)

    @property
    def revives(self) -> bool:
        """Return whether the record is deleted and will be restored."""
        return bool(self.present["is_deleted"] and not self.row["is_deleted"])

    def group(self, column: str) -> tuple[str, ...]:
        """Return the columns that belong together with this one, including itself."""
        return DELETION if column in DELETION else self.groups.get(column, (column,))

    def drop_reference(self, column: str) -> None:
        """Refer to nothing in place of a record that is gone where that can be, else keep the present values."""
        if column in OPTIONAL:
            self.row[column] = None
            self.kept.append(column)
        else:
            self.keep_present_value(column)

    def keep_present_value(self, column: str) -> None:
        """Keep the present values of the column and of those that belong to it."""
        for name in self.group(column):
            if name in self.row:
                self.row[name] = self.present[name]
        self.kept.append(column)


def merge_versions(
    kind: RecordKind, before: Version, after: Version, present: Version, fits: Callable[[str, Any], bool | None]
) -> MergedRecord:
    """Merge a record's versions: the present one, with `before`'s value for everything that only `after` has changed.

    `fits(key, value)` returns whether a custom field still accepts the value, or None if the field is gone.
    """
    was, now = before["row"], present["row"]
    then = {**was, **after["row"]}
    result = MergedRecord(dict(now), now, kind.groups, untouched=now[CHANGED_AT] == then[CHANGED_AT])
    moved = [column for column in was if column in now and was[column] != then[column] and column != CUSTOM]
    for column in moved:
        if column in (CHANGED_AT, CHANGED_BY):
            continue
        # Columns of one value are judged together: half of a phone number must
        # not come back without the other half.
        if any(name in now and now[name] != then.get(name) for name in result.group(column)):
            if now[column] != was[column]:
                result.kept.append(column)
        else:
            result.row[column] = was[column]
    _merge_custom(was.get(CUSTOM, {}), then.get(CUSTOM, {}), result, fits)
    for name, _, target in kind.links:
        _merge_links(
            name, target, before.get(name, []), after.get(name, before.get(name, [])), present.get(name, []), result
        )
    # With the former time of change as well: for a reader who asks for what has changed, nothing has.
    if result.untouched:
        result.row.update({column: was[column] for column in (CHANGED_AT, CHANGED_BY) if column in was})
    return result


def _merge_custom(was: Version, then: Version, result: MergedRecord, fits: Callable[[str, Any], bool | None]) -> None:
    now = result.present.get(CUSTOM, {})
    restored = dict(now)
    for key in was.keys() | then.keys():
        old = was.get(key)
        new = then.get(key)
        current = now.get(key)
        if is_same(old, new) or is_same(current, old):
            continue
        fit = fits(key, old)
        if fit is None:
            continue  # the field is gone, and its values too
        if not is_same(current, new) or not fit:
            result.kept.append(key)
            continue
        result.custom_keys.append(key)
        if old is None:
            restored.pop(key, None)
        else:
            restored[key] = old
    if result.custom_keys:
        result.row[CUSTOM] = restored


def is_same(first: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; Python would treat 1, 1.0 and true as equal."""
    if isinstance(first, dict) and isinstance(other, dict):
        return first.keys() == other.keys() and all(is_same(value, other[key]) for key, value in first.items())
    if isinstance(first, list) and isinstance(other, list):
        return len(first) == len(other) and all(map(is_same, first, other))
    return first == other and isinstance(first, bool) == isinstance(other, bool)


def _merge_links(
    name: str,
    target: str,
    was: Sequence[Version],
    then: Sequence[Version],
    now: Sequence[Version],
    result: MergedRecord,
) -> None:
    """Remove links that the change added, and add those that it removed, unless they have been added again."""
    before, after = {link["id"]: link for link in was}, {link["id"]: link for link in then}
    present = {link["id"]: link[target] for link in now}
    gone = {id: present[id] for id in after if id not in before and id in present}
    # The same tag may have been added again by another row, which must not become a second link.
    stay = {link[target] for link in now if link["id"] not in gone}
    back = [
        dict(link) for id, link in before.items() if id not in after and id not in present and link[target] not in stay
    ]
    if gone:
        result.removed[name] = gone
    if back:
        result.added[name] = back
    if present.keys() - before.keys() - after.keys() or any(id in after and id not in present for id in before):
        result.kept.append(name)
