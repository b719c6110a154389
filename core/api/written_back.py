"""Bodies that repeat an answer: GET a record, change a value of it, PUT the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orjson import loads
from rest_framework import serializers

from core.api.input import FormInput, IdList, Input, ObjectIdInput
from core.ids import is_id
from core.text.json import dumps

if TYPE_CHECKING:
    from core.api.endpoint import Endpoint


@dataclass(frozen=True)
class WrittenBack:
    """A body without the values that only repeat the record."""

    body: Any
    ignored: tuple[str, ...] = ()
    """Values that differ from the stored ones and cannot be written."""
    record: Any = None
    """The stored record, if the body changes nothing of it."""

    @property
    def warning(self) -> str:
        return f"ignored, since they cannot be written here: {', '.join(self.ignored)}" if self.ignored else ""


def written_back(view: Any, declared: Endpoint, body: Any, path: Mapping[str, Any]) -> WrittenBack:
    """Reduce a body that repeats keys of the response to its changes.

    The body is compared with the stored record if it has keys that the response has and the input lacks. It is also
    compared if it has one value both at the top and in formData. An outdated repetition must not undo the change.
    """
    if not (path or view.singleton) or not isinstance(body, dict) or not declared.input or not declared.output:
        return WrittenBack(body)
    schema, shown = declared.input(), view.shown or declared.output
    if schema.never & body.keys():
        return WrittenBack(body)  # which is refused for these keys
    repeated = {key for key in body if key not in schema.fields and key in shown._declared_fields}
    if not repeated and not (isinstance(schema, FormInput) and schema.twice(body)):
        return WrittenBack(body)
    record = view.stored(path)
    if record is None:
        return WrittenBack({key: value for key, value in body.items() if key not in repeated})
    stored = loads(dumps(record))
    ignored: list[str] = []
    changed: dict[str, Any] = {}
    for key, value in body.items():
        if key in repeated:
            # Links that open without login are signed for each response.
            ignored += [] if key in shown.conceals else _differences(key, value, stored.get(key))
        elif key not in stored or not same(value, stored[key]):
            value = _reduced(key, schema.fields.get(key), value, stored.get(key), ignored)
            if value is not UNCHANGED:
                changed[key] = value
    if not changed and issubclass(shown, declared.output):
        return WrittenBack(body, tuple(ignored), record)
    kept = {name for name, value in schema.orders.items() if body.get(name) == value}
    kept |= {*schema.together} if changed.keys() & schema.together else set()
    needed = {
        name: body[name] for name, field in schema.fields.items() if name in body and (field.required or name in kept)
    }
    return WrittenBack(needed | changed, tuple(ignored))


UNCHANGED = object()


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. Unlike in Python, true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _reduced(key: str, field: Any, value: Any, stored: Any, ignored: list[str]) -> Any:
    """Return the part of a differing value that the input accepts, or UNCHANGED."""
    if key == "formData" and isinstance(value, dict) and isinstance(stored, dict):
        return {
            name: item for name, item in value.items() if name not in stored or not same(item, stored[name])
        } or UNCHANGED
    if isinstance(field, ObjectIdInput) and isinstance(value, dict) and isinstance(stored, dict):
        if value.get("_id") != stored.get("_id"):
            return value
        ignored += _differences(key, value, stored)
        return UNCHANGED
    if isinstance(field, IdList) and isinstance(value, list) and isinstance(stored, list):
        known = {item["_id"]: item for item in stored if isinstance(item, dict)}
        for position, item in enumerate(value):
            if isinstance(item, dict) and is_id(item.get("_id")) and item["_id"] in known:
                ignored += _differences(f"{key}.{position}", item, known[item["_id"]])
        return value
    return _fitting(field, value, stored)


def _fitting(field: Any, value: Any, stored: Any) -> Any:
    """Leave out the keys of nested objects that only answers have, and their empty values."""
    child = getattr(field, "child", None)
    if isinstance(child, Input) and isinstance(value, list):
        there = stored if isinstance(stored, list) else []
        shown = {key: None for item in there if isinstance(item, dict) for key in item}
        return [_fitting(child, _named(child, item) if item in there else item, shown) for item in value]
    if not isinstance(field, Input) or not isinstance(value, dict):
        return value
    shown = stored if isinstance(stored, dict) else {}
    return {
        key: _fitting(field.fields.get(key), item, shown.get(key))
        for key, item in value.items()
        if (key in field.fields or key not in shown)
        and not (item is None and key in shown and _refuses_null(field.fields[key]))
    }


def _named(field: Input, item: Any) -> Any:
    """Reduce a nested item of the answer to the reference that its input names it by, if it has one."""
    return next(({name: item[name]} for name in field.named_by if item.get(name) is not None), item)


def _refuses_null(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return not field.allow_null and not field.required


def _differences(path: str, value: Any, stored: Any) -> list[str]:
    """Return the paths at which the value differs from the stored one."""
    if same(value, stored) or (isinstance(stored, dict) and value == stored.get("_id", stored)):
        return []
    if isinstance(value, dict) and isinstance(stored, dict):
        return [found for key, item in value.items() for found in _differences(f"{path}.{key}", item, stored.get(key))]
    return [path]
