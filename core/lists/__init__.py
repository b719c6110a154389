"""Lists: one parser and one compiler for list endpoints, bulk operations, segments, exports and workflow conditions.

    fields = FieldSet([ListField("name", "text", "name", searchable=True), …])
    answer = list_page(queryset, ListQuery.parse(request.query_params, fields), ContactOutput)

A Page has rows, total_count and next_cursor; `stream_json(envelope, stream, scope)` writes a Stream. Sort columns need
an index (company, column, id); custom values need (field_id, column, record).
"""

from core.lists.fields import FieldSet, ListField, ManyField, ValueTableField
from core.lists.openapi import LIST_PARAMETERS
from core.lists.paging import Page, Stream, list_page, stream_json
from core.lists.query import ListQuery, names_field
from core.lists.relations import RelationField
from core.lists.selection import BulkSelection, in_batches

__all__ = [
    "LIST_PARAMETERS",
    "BulkSelection",
    "FieldSet",
    "ListField",
    "ListQuery",
    "ManyField",
    "Page",
    "RelationField",
    "Stream",
    "ValueTableField",
    "in_batches",
    "list_page",
    "names_field",
    "stream_json",
]
