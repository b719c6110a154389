"""Lists: one parser and one compiler for every list endpoint, bulk operation, segment, export, report and workflow condition.

    fields = FieldSet([ListField("name", "text", "name", searchable=True), ListField("createdAt", "date", "created_at", nullable=False), …])
    answer = list_page(queryset, ListQuery.parse(request.query_params, fields), ContactOutput)

A Page has rows, total_count and next_cursor; a Stream goes out by `stream_json(envelope, stream, scope)`. Columns that are sorted by
want an index (company, column, id); custom values want (field_id, column, record).
"""

from core.lists.fields import FieldSet, ListField, ManyField, ValueTableField
from core.lists.openapi import LIST_PARAMETERS
from core.lists.paging import Page, Stream, list_page, stream_json
from core.lists.query import ListQuery
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
    "stream_json",
]
