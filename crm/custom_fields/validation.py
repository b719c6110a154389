"""Checks of a custom field's definition: matching types, options, children, default value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction

from core.errors import NamedError, shorten
from core.ids import is_id
from core.types import JsonObject
from crm.custom_fields.sections import check_section
from crm.field_types import FIELD_TYPES, MAX_DEPTH, VALUE_TYPES, BadValue, child_spec
from crm.field_types.values import check_json
from crm.records.models import CustomField
from crm.records.references import known_references
from crm.records.stored_fields import spec_of

MAX_OPTIONS = 1000
MAX_CHILDREN = 50
CHILD_KEYS = {
    "name": str,
    "description": str,
    "fieldType": str,
    "valueType": str,
    "required": bool,
    "placeholder": str,
    "helper": str,
    "defaultValue": object,
    "options": list,
    "children": list,
}
OPTION_KEYS = ("label", "description", "value")


def check_definition(field: CustomField) -> None:
    """Check the field, and normalise its options, children and default value for storage.

    Raises InvalidInput_400 for anything invalid, InvalidSectionId_400 for an id that belongs to no section of the
    field's panel.
    """
    check_types(field.field_type, field.value_type, "valueType")
    field.options = read_options(field.options, "options")
    if field.children and field.value_type not in ("array", "object"):
        raise refuse("children", "choose a list or a record to add fields inside it")
    field.children = read_children(field.children, "children", 1)
    field.section = _check_value("section", check_json, field.section)
    if is_id(field.section):
        check_section(field.panel, field.section)
    spec = spec_of(field)
    field.default_value = _check_value("defaultValue", spec.clean, field.default_value)
    named = [] if field.default_value is None else list(spec.references(field.default_value))
    unknown = next((reference for reference in named if reference not in known_references(named)), None)
    if unknown is not None:
        raise refuse("defaultValue", f"choose another value; this {unknown.kind} does not exist")


def _check_value(path: str, check: Callable[[Any], Any], value: Any) -> Any:
    """Check a value, and return the result; None stays None."""
    if value is None:
        return None
    try:
        return check(value)
    except BadValue as error:
        raise refuse(path, str(error)) from None


def refuse(path: str, problem: str) -> NamedError:
    return NamedError("InvalidInput_400", problem, field=path)


def check_types(field_type: Any, value_type: Any, path: str) -> None:
    """Refuse types that do not exist or do not match."""
    if not isinstance(field_type, str) or field_type not in FIELD_TYPES:
        raise refuse(
            path.replace("valueType", "fieldType"), f"one of {', '.join(FIELD_TYPES)}, not {shorten(field_type, 40)!r}"
        )
    if not isinstance(value_type, str) or value_type not in VALUE_TYPES:
        raise refuse(path, f"one of {', '.join(VALUE_TYPES)}, not {shorten(value_type, 40)!r}")
    allowed = FIELD_TYPES[field_type].value_types
    if value_type not in allowed:
        raise refuse(path, f"a field of type {field_type} holds {' or '.join(allowed)}, not {value_type}")


def read_options(options: Any, path: str) -> list[dict[str, str]]:
    """Normalise options to label, description and value. A label or value alone serves as both."""
    if not isinstance(options, list) or len(options) > MAX_OPTIONS:
        raise refuse(path, f"needs an array of at most {MAX_OPTIONS} options")
    options_by_value: dict[str, dict[str, str]] = {}
    for position, option in enumerate(options):
        where = f"{path}.{position}"
        if not isinstance(option, Mapping) or not set(option) <= set(OPTION_KEYS):
            raise refuse(where, "needs an object of label, description and value")
        texts = {key: option.get(key) or "" for key in OPTION_KEYS}
        wrong = next((key for key, text in texts.items() if not isinstance(text, str) or len(text) > 500), None)
        if wrong:
            raise refuse(f"{where}.{wrong}", "enter at most 500 characters")
        value = (texts["value"] or texts["label"]).strip()
        if not value:
            raise refuse(where, "enter a value")
        if value in options_by_value:
            raise refuse(f"{where}.value", f"enter each option once; {shorten(value, 60)} is there twice")
        options_by_value[value] = {
            "label": texts["label"] or value,
            "description": texts["description"],
            "value": value,
        }
    return list(options_by_value.values())


def read_children(children: Any, path: str, depth: int) -> list[JsonObject]:
    """Normalise children at all levels, with the contract's defaults."""
    if not isinstance(children, list) or len(children) > MAX_CHILDREN:
        raise refuse(path, f"needs an array of at most {MAX_CHILDREN} fields")
    if children and depth > MAX_DEPTH:
        raise refuse(path, f"is more than {MAX_DEPTH} levels deep")
    fields = [_read_child(child, f"{path}.{position}", depth) for position, child in enumerate(children)]
    _refuse_duplicates([child["name"] for child in fields], path)
    return fields


def _refuse_duplicates(names: Sequence[str], path: str) -> None:
    duplicate = next((name for position, name in enumerate(names) if name in names[:position]), None)
    if duplicate is not None:
        raise refuse(path, f"enter another name; two fields are called {shorten(duplicate, 60)}")


def _read_child(child: Any, path: str, depth: int) -> JsonObject:
    if not isinstance(child, Mapping):
        raise refuse(path, "needs an object")
    unknown = next((key for key in child if key not in CHILD_KEYS), None)
    if unknown is not None:
        raise refuse(path, f"{shorten(unknown, 60)!r} is an unknown key; a child has {', '.join(CHILD_KEYS)}")
    for key, kind in CHILD_KEYS.items():
        if child.get(key) is not None and not isinstance(child[key], kind):
            raise refuse(f"{path}.{key}", f"has the wrong type {type(child[key]).__name__}")
    name = (child.get("name") or "").strip()
    if not name or len(name) > 200:
        raise refuse(f"{path}.name", "enter a name of at most 200 characters")
    check_types(child.get("fieldType"), child.get("valueType"), f"{path}.valueType")
    value_type = child["valueType"]
    if child.get("children") and value_type not in ("array", "object"):
        raise refuse(f"{path}.children", "choose a list or a record to add fields inside it")
    read = {
        "name": name,
        "description": child.get("description") or "",
        "fieldType": child["fieldType"],
        "valueType": value_type,
        "required": child.get("required") or False,
        "placeholder": child.get("placeholder") or "",
        "helper": child.get("helper") or "",
        "defaultValue": child.get("defaultValue"),
        "options": read_options(child.get("options") or [], f"{path}.options"),
        "children": read_children(child.get("children") or [], f"{path}.children", depth + 1),
    }
    read["defaultValue"] = _check_value(f"{path}.defaultValue", child_spec(read).clean, read["defaultValue"])
    return read


def save_field(field: CustomField) -> None:
    """Save a field. Raises CustomFieldNameAlreadyExists_400 when another field has its name or key."""
    try:
        with transaction.atomic():
            field.save()
    except IntegrityError as error:
        if "customfield_name_unique" in str(error):
            raise NamedError(
                "CustomFieldNameAlreadyExists_400",
                f"enter another name; {shorten(field.name, 60)!r} is taken",
                field="name",
            ) from None
        if "customfield_key_unique" in str(error):
            key = field.unique_field_id
            going = CustomField.every.filter(panel=field.panel, unique_field_id=key).exclude(deleted_at=None).exists()
            detail = (
                "the values of a deleted field are still being removed from"
                if going
                else "another field of this panel has"
            )
            raise NamedError(
                "CustomFieldNameAlreadyExists_400", f"{detail} the key {key!r}", field="uniqueFieldID"
            ) from None
        raise
