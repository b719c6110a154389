"""The parameter `fields` of lists and single records: which fields each record of the answer has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from core.api.output import Output
from core.errors import shorten
from core.internals.rest_framework import declared_fields
from core.lists.query import split_values
from core.lists.values import refuse

FIELDS = OpenApiParameter(
    "fields",
    OpenApiTypes.STR,
    OpenApiParameter.QUERY,
    description="Comma-separated names of the fields that each record of the answer has, beside _id; left out: all."
    " What nobody asks for, such as counts, isn't read.",
)


def choose_fields(values: Iterable[Any], output: type[Output]) -> Collection[str]:
    """Return the fields that the parameter names, and _id. Raises InvalidRequest_400 for one that there isn't."""
    names = split_values(values, FIELDS.name)
    declared = declared_fields(output).keys()
    if not names:
        raise refuse(FIELDS.name, "is empty; leave it out to get all fields")
    for name in names:
        if name not in declared:
            raise refuse(FIELDS.name, f"{shorten(name, 60)!r} is none of {', '.join(declared)}")
    return {*names, *({"_id"} & declared)}
