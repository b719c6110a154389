"""The body of the standard bulk selection (contract section 4.1), a base of the inputs of bulk operations.

Views pass the raw body to core.lists.BulkSelection.parse.
"""

from __future__ import annotations

from core.api.input import BooleanInput, IdList, Input


class SelectionInput(Input):
    """The records to change: the given ids, or all matches of the query string."""

    ids = IdList(required=False, help_text="_id of each record")
    nids = IdList(required=False, help_text="_id of each record to leave out")
    selectAll = BooleanInput(default=False, help_text="everything that matches the query string, instead of ids")
