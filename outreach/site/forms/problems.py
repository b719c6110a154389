"""Problems of stored forms: what they refer to and was deleted since."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Values
from crm.leads.sources import current_schema, source_problem
from crm.tags.services import missing_tags
from outreach.site.forms.targets import targets


def form_problems(rows: Sequence[Values]) -> list[list[str]]:
    """Return the problems of each form, which begin with the name of the value. Takes two statements at most."""
    referring = [row for row in rows if row["leadSource"] or row["tags"] or row["mapping"]]
    if not referring:
        return [[] for _ in rows]
    schema = current_schema()
    target_keys = {target.key for target in targets(schema)}
    deleted = set(missing_tags([tag for row in rows for tag in row["tags"]], lock=False))
    all_problems = []
    for row in rows:
        problem = source_problem(row["leadSource"], schema) if row["leadSource"] else ""
        problems = [f"leadSource: {problem}"] if problem else []
        if lost := sum(tag in deleted for tag in row["tags"]):
            problems.append(f"tags: {lost} of them {'was' if lost == 1 else 'were'} deleted; leads get the others")
        problems += [
            f"mapping.{key}: the field {target} was deleted, so that the answer is kept with the form alone"
            for key, target in row["mapping"].items()
            if target not in target_keys
        ]
        all_problems.append(problems)
    return all_problems
