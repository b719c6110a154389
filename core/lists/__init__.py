"""Lists: one parser and one compiler for list endpoints, bulk operations, segments, exports and workflow conditions.

    fields = FieldSet([ListField("name", "text", "name", searchable=True), …])
    query = ListQuery.parse(request.query_params, fields)
    page = ListPagination().read_page(queryset, queryset.filter(query.where), query, ContactOutput)

core.api.filters and core.api.pagination do this for ViewSets. `stream_json(envelope, stream, scope)` writes a Stream.
Sort columns need an index (company, column, id); custom values need (field_id, column, record).
"""

from core.lists.fields import FieldSet, ListField, ManyField, ValueTableField
from core.lists.openapi import LIST_PARAMETERS
from core.lists.paging import Page, Stream, stream_json
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
    "names_field",
    "stream_json",
]
