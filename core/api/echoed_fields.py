"""Bodies that repeat an answer: GET a record, change one value, PUT the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from orjson import loads
from rest_framework import serializers

from core.api.input import MAX_ERRORS, FormInput, IdList, Input, ObjectIdInput
from core.errors import FieldError, ValidationFailed
from core.ids import is_id
from core.internals.rest_framework import declared_fields
from core.text.json import dumps
from core.types import JsonObject, Values

if TYPE_CHECKING:
    from core.api.endpoint import Endpoint


LAST_CHANGE = "updatedAt"
SIGNATURE = re.compile(r"/\w{6}\.[\w-]{43}/")
"""The time and the HMAC of django.core.signing.TimestampSigner, as a part of a path."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
"""A time as answers write it."""
FIXED = "cannot be changed here; leave it out, or send it as it is now"


@dataclass(frozen=True)
class WrittenBack:
    """A body without the values that only repeat the record."""

    body: Any
    outdated: tuple[str, ...] = ()
    """Values of `Output.moving` that differ from the stored ones, and are ignored."""
    record: Any = None
    """The stored record, if the body changes nothing."""

    @property
    def warning(self) -> str:
        return f"ignored, since they change by themselves: {', '.join(self.outdated)}" if self.outdated else ""


def strip_echoed_fields(view: Any, declared: Endpoint, body: Any, path: Values) -> WrittenBack:
    """Reduce a body that repeats keys of the response to its changes.

    A body is compared with the stored record only if it repeats: keys that the input lacks, nested records, or the same
    value at the top and in formData. A stale repetition must not stand against the change. Raises ValidationFailed for
    values that differ from the stored ones and cannot be written.
    """
    is_one = bool(path or view.singleton)
    if not is_one or not isinstance(body, dict) or not declared.input or not declared.output:
        return WrittenBack(body)
    schema, output = declared.input(), view.shown or declared.output
    if schema.never & body.keys() and "_id" not in body:
        return WrittenBack(body)  # which is refused for these keys
    repeated = {key for key in body if key not in schema.fields and key in declared_fields(output)}
    if (
        not repeated
        and not _has_nested_record(schema, body)
        and not (isinstance(schema, FormInput) and schema.duplicated_names(body))
    ):
        return WrittenBack(body)
    record = view.stored(path)
    if record is None:
        return WrittenBack({key: value for key, value in body.items() if key not in repeated})
    stored = loads(dumps(record))
    outdated: list[str] = []
    fixed: list[str] = []
    changed: JsonObject = {}
    for key, value in body.items():
        if key in repeated:
            is_same = key in output.signs and _strip_signature(value) == _strip_signature(stored.get(key))
            differing = [] if is_same else _differences(key, value, stored.get(key))
            (outdated if key in output.moving else fixed).extend(differing)
        elif key not in stored or not equal_json(value, stored[key]):
            value = _reduce_value(key, schema.fields.get(key), value, stored.get(key), fixed)
            if value is not UNCHANGED:
                changed[key] = value
    if changed and LAST_CHANGE in outdated and not _only_stops(schema, changed):
        # A person may have edited the record, which must not be undone, even if background work has changed it too.
        fixed.append(LAST_CHANGE)
    if fixed:
        raise _refusal(fixed)
    if not changed and issubclass(output, declared.output):
        return WrittenBack(body, tuple(outdated), record)
    orders = {name for name, value in schema.orders.items() if body.get(name) == value}
    orders |= {*schema.together} if changed.keys() & schema.together else set()
    required_names = {
        name: body[name] for name, field in schema.fields.items() if name in body and (field.required or name in orders)
    }
    return WrittenBack(required_names | changed, tuple(outdated))


UNCHANGED = object()


def _refusal(paths: Sequence[str]) -> ValidationFailed:
    """Return the error of values that cannot be written."""
    details = "; ".join(f"{path}: {FIXED}" for path in paths[:MAX_ERRORS])
    errors = [FieldError(field=path, message=FIXED) for path in paths[:MAX_ERRORS]]
    return ValidationFailed(details, details, errors=errors)


def _strip_signature(link: Any) -> Any:
    """Return a link without its signature, which differs in each answer although the link is the same."""
    return SIGNATURE.sub("/", link) if isinstance(link, str) else link


def _only_stops(schema: Input, changed: Values) -> bool:
    """Return whether the change only stops running work, whose `updatedAt` moves while it runs."""
    return changed.keys() == {"status"} and changed["status"] in schema.stops


def _has_nested_record(schema: Input, body: Values) -> bool:
    """Return whether the body has a nested record where the input takes an id."""
    for key, value in body.items():
        field = schema.fields.get(key)
        if isinstance(field, ObjectIdInput) and isinstance(value, dict):
            return True
        if isinstance(field, IdList) and isinstance(value, list) and any(isinstance(item, dict) for item in value):
            return True
    return False


def equal_json(left: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. Unlike in Python, true is not 1."""
    if isinstance(left, dict) and isinstance(other, dict):
        return left.keys() == other.keys() and all(equal_json(left[key], other[key]) for key in left)
    if isinstance(left, list) and isinstance(other, list):
        return len(left) == len(other) and all(map(equal_json, left, other))
    return isinstance(left, bool) == isinstance(other, bool) and bool(left == other)


def _is_same_time(value: Any, stored: Any) -> bool:
    """Return whether the value is the stored time in another form of ISO 8601, as many libraries write it."""
    if not isinstance(value, str) or not isinstance(stored, str) or not MOMENT.fullmatch(stored):
        return False
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment == datetime.fromisoformat(stored)


def _reduce_value(key: str, field: Any, value: Any, stored: Any, fixed: list[str]) -> Any:
    """Return what the input takes of a value that differs from the stored one, or UNCHANGED.

    Values of nested records that differ and cannot be written are added to `fixed`.
    """
    if key == "formData" and isinstance(value, dict) and isinstance(stored, dict):
        return {
            name: item for name, item in value.items() if name not in stored or not equal_json(item, stored[name])
        } or UNCHANGED
    if isinstance(field, ObjectIdInput) and isinstance(value, dict) and isinstance(stored, dict):
        if value.get("_id") != stored.get("_id"):
            return value
        fixed += _differences(key, value, stored)
        return UNCHANGED
    if isinstance(field, IdList) and isinstance(value, list) and isinstance(stored, list):
        stored_items = {item["_id"]: item for item in stored if isinstance(item, dict)}
        for position, item in enumerate(value):
            if isinstance(item, dict) and is_id(item.get("_id")) and item["_id"] in stored_items:
                fixed += _differences(f"{key}.{position}", item, stored_items[item["_id"]])
        return value
    return _drop_output_keys(field, value, stored)


def _drop_output_keys(field: Any, value: Any, stored: Any) -> Any:
    """Leave out the keys of nested objects that only answers have, and their empty values."""
    child = getattr(field, "child", None)
    if isinstance(child, Input) and isinstance(value, list):
        stored_items = stored if isinstance(stored, list) else []
        example = {key: None for item in stored_items if isinstance(item, dict) for key in item}
        return [
            _drop_output_keys(child, _reference_of_item(child, item) if item in stored_items else item, example)
            for item in value
        ]
    if not isinstance(field, Input) or not isinstance(value, dict):
        return value
    example = stored if isinstance(stored, dict) else {}
    return {
        key: _drop_output_keys(field.fields.get(key), item, example.get(key))
        for key, item in value.items()
        if (key in field.fields or key not in example)
        and not (item is None and key in example and example[key] is None and _refuses_null(field.fields[key]))
    }


def _reference_of_item(field: Input, item: Any) -> Any:
    """Reduce a nested item of the answer to the reference that its input names it by, if it has one."""
    return next(({name: item[name]} for name in field.named_by if item.get(name) is not None), item)


def _refuses_null(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return not field.allow_null and not field.required


def _differences(path: str, value: Any, stored: Any) -> list[str]:
    """Return the paths at which the value differs from the stored one."""
    if (
        equal_json(value, stored)
        or _is_same_time(value, stored)
        or (isinstance(stored, dict) and value == stored.get("_id", stored))
    ):
        return []
    if isinstance(value, dict) and isinstance(stored, dict):
        return [
            difference
            for key, item in value.items()
            for difference in _differences(f"{path}.{key}", item, stored.get(key))
        ]
    return [path]
