"""Known keys of each value in expressions, to complete paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crm.field_types.base import FieldSpec


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a value. Without keys and items it is a single value, which has no parts."""

    keys: Mapping[str, Shape] | None = None
    """The values of an object."""
    item: Shape | None = None
    """Each item of a list."""
    is_open: bool = False
    """The value may be anything, such as the body of a response."""

    def child(self, key: str) -> Shape | None:
        """Return the form of the value under a key, or None if there is none."""
        if self.is_open:
            return self
        if self.item is not None:
            return self.item if key.isdecimal() else None
        return (self.keys or {}).get(key)


SINGLE = Shape()
OPEN = Shape(is_open=True)
OUTPUTS = dict.fromkeys(("id", "text", "number", "boolean", "date"), SINGLE)
"""Type of a step's output -> its form, if it is a single value."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A key of a path that its value does not have."""

    shape: Shape
    """The form of the value before the key."""
    before: str
    """The path to that value."""
    key: str


def missing_key(root: str, shape: Shape, keys: Sequence[str]) -> Missing | None:
    """Return the first key of a path that leads to no value, or None if each leads on."""
    before = root
    for key in keys:
        value = shape.child(key)
        if value is None:
            return Missing(shape, before, key)
        shape = value
        before = f"{before}.{key}"
    return None


def shape_of_field(field: FieldSpec) -> Shape:
    """Return the form of the values of a custom field."""
    children = Shape(keys={child.key: shape_of_field(child) for child in field.children})
    name = field.value_type.name
    if name == "any":
        return OPEN
    if name == "array":
        return Shape(item=children if field.children else SINGLE)
    if name == "object":
        single = children if field.children else OPEN
    else:
        single = SINGLE
    return Shape(item=single) if field.many else single
