"""ObjectIds: 24 hex characters, made in Python, sortable by their time of creation."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from secrets import randbits, token_hex
from typing import TYPE_CHECKING, Any, TypeGuard

from django.db import models
from django.db.models.lookups import In

if TYPE_CHECKING:
    _CharField = models.CharField[Any, Any]
else:
    _CharField = models.CharField

PATTERN = re.compile(r"[0-9a-f]{24}", re.ASCII)


_COUNTED = 0xFFFFFF
_MAX_SECONDS = 0xFFFFFFFF
_process = token_hex(5)
_counter = count(randbits(24))


def _reset_after_fork() -> None:
    """Take another random value: a forked process would continue with the ids of its parent."""
    global _process, _counter  # noqa: PLW0603
    _process, _counter = token_hex(5), count(randbits(24))


# Without it, two workers would make the same ids after the fork.
os.register_at_fork(after_in_child=_reset_after_fork)


def new_id() -> str:
    """Make a new ObjectId: seconds, a random value of the process, and a counter, as BSON's specification has it.

    pymongo's ObjectId takes six times as long, and a message that is sent needs eight.
    """
    # Three bytes, as in BSON: an id repeats only if a process makes 16 million within a second.
    return f"{int(time.time()):08x}{_process}{next(_counter) & _COUNTED:06x}"


def min_id_at(at: datetime) -> str:
    """Return the least ObjectId of this second. Older rows have smaller ids, so the primary key finds them."""
    seconds = min(max(int(at.timestamp()), 0), _MAX_SECONDS)
    return f"{seconds:08x}{0:016x}"


def time_of(id: str) -> datetime:
    """Return the time at which the ObjectId was made, to the second."""
    return datetime.fromtimestamp(int(id[:8], 16), tz=UTC)


def is_id(value: object) -> TypeGuard[str]:
    """Return whether the value is a well-formed ObjectId string."""
    return isinstance(value, str) and PATTERN.fullmatch(value) is not None


class ObjectIdField(_CharField):
    """A primary key of 24 hex characters, compared byte by byte (docs/decisions/0003-ids.md)."""

    def __init__(self, **options: object) -> None:
        options.setdefault("max_length", 24)
        # Compared byte by byte: the order is that of time, and an upgrade of the system's locale breaks no
        # index.
        options.setdefault("db_collation", "C")
        options.setdefault("editable", False)
        super().__init__(**options)  # type: ignore[arg-type]


def are_ids(values: Any) -> bool:
    """Return whether a collection holds nothing but ids."""
    is_collection = isinstance(values, list | tuple | set | frozenset) and values
    return bool(is_collection) and all(type(entry) is str and PATTERN.fullmatch(entry) is not None for entry in values)


def as_array(ids: Iterable[str]) -> str:
    """Return ids as the text of a PostgreSQL array, for `= ANY(%s)`: psycopg writes lists thirty times slower."""
    return f"{{{','.join(id if PATTERN.fullmatch(id) else _quoted(id) for id in ids)}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


FEW = 10
"""Up to this number of ids a statement lists them one by one: PostgreSQL has better plans for a single one."""


class IdsAsArray:
    """Mix-in of the lookup `in`: many ids travel as one array, not as a parameter and an expression each."""

    rhs: Any
    process_lhs: Any

    def get_prep_lookup(self) -> Any:
        rhs = self.rhs
        # Doubled ids would make the array longer for nothing.
        return list(dict.fromkeys(rhs)) if are_ids(rhs) else super().get_prep_lookup()  # type: ignore[misc]

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        if not are_ids(self.rhs) or len(self.rhs) <= FEW:
            return super().as_sql(compiler, connection)  # type: ignore[misc]
        left, params = self.process_lhs(compiler, connection)
        return f"{left} = ANY(%s)", [*params, as_array(self.rhs)]


@ObjectIdField.register_lookup
class IdIn(IdsAsArray, In):
    """The lookup `in` of ids."""
