"""Operations of migrations in addition to Django's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import Migration
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterModelOptions,
    CreateModel,
    RemoveIndex,
)
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Create the tables of several models, which may refer to each other in circles.

    After each single CreateModel Django renders again all models that the new one refers to, and all that refer to
    those. These are nearly all models, because most belong to a company. Here each is rendered once.
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


class OneStepMigration(Migration):
    """A migration whose operations are one step: models are rendered once for all of them.

    Django renders all models that refer to one another again for each operation: of 100 operations, each took 0.2 s.

    It suits additions (each name once), indexes that are removed or replaced, and options such as a model's verbose
    name. A table that the migration creates gets all its columns, indexes and constraints in that step.
    """

    def __init_subclass__(cls) -> None:
        cls.operations = [Additions(cls.operations)]


class Additions(Operation):
    """The operations of a OneStepMigration."""

    category = OperationCategory.ADDITION
    serialization_expand_args = ["operations"]
    ALLOWED = (AddConstraint, AddField, AddIndex, AlterField, AlterModelOptions, CreateModel, RemoveIndex)

    def __init__(self, operations: Sequence[Any]) -> None:
        others = [type(operation).__name__ for operation in operations if type(operation) not in self.ALLOWED]
        if others:
            raise TypeError(f"a OneStepMigration cannot have {', '.join(others)}; use Django's Migration")
        self.operations = operations
        new = {operation.name_lower for operation in operations if isinstance(operation, CreateModel)}
        self.steps = [
            operation
            for operation in operations
            if not isinstance(operation, AlterModelOptions)  # it changes no table
            and (isinstance(operation, CreateModel) or operation.model_name.lower() not in new)
        ]

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for step in self.steps:
            step.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for step in reversed(self.steps):
            # A constraint is found in the state to go back to, where the columns of this migration are gone already.
            target = from_state if isinstance(step, AddConstraint) else to_state
            step.database_backwards(app_label, schema_editor, from_state, target)

    def describe(self) -> str:
        return "; ".join(operation.describe() for operation in self.operations)


class AddIndexOnline(AddIndexConcurrently):
    """Create an index without a lock that writers wait for. It can be repeated after it was interrupted."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [self.index.name])
            row = cursor.fetchone()
        if row == (True,):
            return
        if row is not None:
            schema_editor.execute(f"DROP INDEX CONCURRENTLY {schema_editor.quote_name(self.index.name)}")
        super().database_forwards(app_label, schema_editor, from_state, to_state)
