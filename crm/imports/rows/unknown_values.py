"""Count the values of a file that the company does not know: no option, category, product, team or member."""

from __future__ import annotations

from collections import Counter

from core.types import JsonObject
from crm.field_types.base import NO_OPTION
from crm.imports.columns.joined import CellProblem
from crm.imports.columns.mapping import cell_text
from crm.imports.models import Import
from crm.imports.rows.batches import Batch

CODES = frozenset(
    {"ContactCategoryNotFound_400", "ProductServiceNotFound_400", "TeamNotFound_400", "MemberNotFound_404"}
)
MAX_VALUES = 20
MAX_VALUE_LENGTH = 200


def is_unknown(problem: CellProblem) -> bool:
    """Return whether the problem of a cell is that the company does not know its value."""
    return problem.name in CODES or problem.code == NO_OPTION


def unknown_values(job: Import, batch: Batch) -> list[JsonObject]:
    """Return the unknown values of each column with the number of their rows, the most frequent ones first."""
    places = {header: place for place, header in enumerate(job.headers)}
    rows: Counter[tuple[str, str]] = Counter()
    for position, problems in batch.problems.items():
        columns = {problem.column for problem in problems if problem.column in places and is_unknown(problem)}
        cells = batch.cells[position]
        for column in columns:
            if places[column] < len(cells):
                rows[column, cell_text(cells[places[column]])[:MAX_VALUE_LENGTH]] += 1
    return [
        {"column": column, "value": value, "rows": count} for (column, value), count in rows.most_common(MAX_VALUES)
    ]
