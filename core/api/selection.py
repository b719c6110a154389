"""The body of the standard bulk selection (contract section 4.1), a base of the inputs of bulk operations."""

from __future__ import annotations

from core.api.input import BooleanInput, IdList, Input


class SelectionInput(Input):
    """The records to change, as ids or as everything that matches. The body is parsed by
    core.lists.BulkSelection.parse."""

    ids = IdList(required=False, help_text="_id of each record")
    nids = IdList(required=False, help_text="_id of each record to leave out")
    selectAll = BooleanInput(default=False, help_text="everything that matches the query string, instead of ids")
