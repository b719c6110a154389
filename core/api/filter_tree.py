"""Fields that hold a tree of conditions, which the schema describes once as a recursive component."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.input import ObjectInput
from core.lists.operators import OPERATORS
from core.lists.tree import MAX_CONDITIONS, MAX_DEPTH
from core.types import JsonObject

FILTER_TREE = {"$ref": "#/components/schemas/FilterTree"}
_OPERATORS = sorted({name for names in OPERATORS.values() for name in names})
_COMPARISON: JsonObject = {
    "type": "object",
    "description": "A comparison of one field.",
    "required": ["field", "operator"],
    "properties": {
        "field": {"type": "string", "description": "Name of the field, or id of a custom field."},
        "operator": {"type": "string", "enum": _OPERATORS},
        "value": {"description": "As the operator takes it: a value, an array, or an amount and a unit."},
        "timeZone": {
            "type": "string",
            "description": "Time zone of dates without a time, by its name in the tz database; left out: UTC.",
        },
    },
    "additionalProperties": False,
}
_GROUP: JsonObject = {
    "type": "object",
    "description": "Conditions of which all or one must hold. An empty object holds for every record.",
    "properties": {
        "operator": {"type": "string", "enum": ["and", "or"], "description": "Left out: and."},
        "conditions": {"type": "array", "maxItems": MAX_CONDITIONS, "items": FILTER_TREE},
    },
    "additionalProperties": False,
}
SCHEMAS: dict[str, JsonObject] = {
    "FilterTree": {
        "description": f"A comparison, or a group of them. At most {MAX_DEPTH} groups inside each other and"
        f" {MAX_CONDITIONS} comparisons.",
        # Readers that try one after the other get to the group last: without required names it fits everything.
        "oneOf": [{"$ref": "#/components/schemas/FilterCondition"}, {"$ref": "#/components/schemas/FilterGroup"}],
    },
    "FilterCondition": _COMPARISON,
    "FilterGroup": _GROUP,
}


@extend_schema_field(FILTER_TREE)
class FilterTreeInput(ObjectInput):
    """A tree of conditions. The service parses it (core.lists.tree)."""


@extend_schema_field(FILTER_TREE)
class FilterTreeField(serializers.DictField):
    """A stored tree of conditions."""


__all__ = ["SCHEMAS", "FilterTreeField", "FilterTreeInput"]
