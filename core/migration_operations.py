"""Operations of migrations beside Django's."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Create the tables of several models, which may refer to each other in circles.

    After each CreateModel alone Django renders all models anew that the new one refers to, and all that refer to those:
    nearly all there are, since most belong to a company. Here each is rendered once.
    """

    category = OperationCategory.ADDITION
    serialization_expand_args = ["tables"]

    def __init__(self, tables: list[CreateModel]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)
        for table in self.tables:
            table.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for table in self.tables:
            table.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for table in reversed(self.tables):
            table.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.tables)} tables"
