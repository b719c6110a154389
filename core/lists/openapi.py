"""The standard list contract as OpenAPI parameters."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from core.lists.operators import OPERATORS, UNITS
from core.lists.query import MAX_IDS, MAX_SEARCH, MAX_SIZE, MAX_SORTS
from core.lists.tree import MAX_CONDITIONS, MAX_DEPTH


def _parameter(name: str, type: object, description: str, *examples: tuple[str, object]) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        type,  # type: ignore[arg-type]
        OpenApiParameter.QUERY,
        required=False,
        description=description,
        examples=[OpenApiExample(title, value=value) for title, value in examples],
    )


_ID = "65a1b2c3d4e5f60718293a4"
_OPERATORS_BY_TYPE = "; ".join(f"{type}: {', '.join(names)}" for type, names in OPERATORS.items())

LIST_PARAMETERS: list[OpenApiParameter] = [
    _parameter(
        "p",
        {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
        "Page number, from 1 on. Pages are given only when both p and n are sent; with one or neither the whole"
        " matching set is answered.",
    ),
    _parameter(
        "n",
        {"type": "integer", "minimum": 1},
        f"Page size; more than {MAX_SIZE} counts as {MAX_SIZE}. Required in cursor mode.",
    ),
    _parameter(
        "cursorPagination",
        {"type": "boolean"},
        "true turns on cursor mode, which neither skips nor repeats records that stay as they are while others are"
        " written. "
        "It needs n; p is not used.",
    ),
    _parameter(
        "cursor",
        OpenApiTypes.STR,
        "The nextCursor of the previous answer, unchanged, beside the same search, filters and ids (the sort may be"
        " left out). "
        "Implies cursor mode.",
    ),
    _parameter(
        "sortBy",
        OpenApiTypes.STR,
        f"Comma-separated fields, at most {MAX_SORTS}, sorted by from left to right; _id breaks ties. Records without"
        " value come last. "
        "Custom fields are named by their id.",
        ("By name, then the newest", "name,createdAt"),
    ),
    _parameter(
        "sortOrder",
        OpenApiTypes.STR,
        "asc or desc, comma-separated to pair with sortBy; desc where it is missing.",
        ("Ascending, then descending", "asc,desc"),
    ),
    _parameter(
        "searchBy",
        OpenApiTypes.STR,
        "Comma-separated fields to search in; the list has its own default.",
        ("Two fields", "name,email"),
    ),
    _parameter(
        "searchValue",
        OpenApiTypes.STR,
        "Words of which each stands in any of the searched fields, whatever its capitals and accents; at most"
        f" {MAX_SEARCH} characters. A phone number with spaces is one word.",
        ("A name", "ann"),
    ),
    _parameter(
        "filters",
        OpenApiTypes.STR,
        "JSON object of field and value (equals), or field and array (any of them); all must hold. As a value null"
        " finds records without value; the parameter itself is neither null nor empty. "
        "Text is compared exactly; a date without time means its whole day in UTC.",
        ("One value, and any of two", '{"isActive": true, "name": ["Ann", "Bob"]}'),
    ),
    _parameter(
        "advancedFilters",
        OpenApiTypes.STR,
        f"JSON tree of conditions, at most {MAX_DEPTH} groups inside each other and {MAX_CONDITIONS} conditions. "
        f"Operators by type: {_OPERATORS_BY_TYPE}. "
        "in, notIn and between take arrays; withinLast, notWithinLast and withinNext take an amount and a unit "
        f"({', '.join(UNITS)}). A date without time means its whole day in UTC, or in the timeZone of the condition "
        "(a name of the tz database, next to field, operator and value). "
        "notEquals, notIn, notContains and notWithinLast also find records without value. "
        "contains, notContains, startsWith and endsWith ignore capitals and accents; equals and in do not.",
        (
            "Ann, or new this week",
            '{"operator": "or", "conditions": [{"field": "name", "operator": "contains", "value": "ann"}, '
            '{"field": "createdAt", "operator": "withinLast", "value": {"amount": 7, "unit": "days"}}]}',
        ),
        (
            "Of 27 November in Auckland",
            '{"field": "createdAt", "operator": "equals", "value": "2026-11-27", "timeZone": "Pacific/Auckland"}',
        ),
    ),
    _parameter(
        "ids",
        OpenApiTypes.STR,
        f"Ids, separated by commas, as ids[]=… or as a JSON array: only these records; at most {MAX_IDS}. Not empty.",
        ("Two", f"{_ID}a,{_ID}b"),
    ),
    _parameter(
        "nids",
        OpenApiTypes.STR,
        f"Ids, in the forms of ids: not these records; at most {MAX_IDS}. Not empty.",
        ("One", f"{_ID}a"),
    ),
]
