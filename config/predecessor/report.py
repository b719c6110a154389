"""The outcome of an import of the predecessor's data, in numbers, and what was left out and why."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

COUNTS = ("read", "added", "known", "merged", "deleted", "refused", "others")
"""Documents that were read, and of these: added; there already; the same as another record by name or unique key;
flagged as deleted; refused; of other companies."""


class Problem(NamedTuple):
    kind: str
    id: str
    field: str
    text: str


@dataclass
class Report:
    """Counts by kind, and problems. A problem of an added record is a value that was left out."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def count(self, kind: str, name: str, number: int = 1) -> None:
        """Count documents of a kind."""
        self.counts.setdefault(kind, dict.fromkeys(COUNTS, 0))[name] += number

    def refuse(self, kind: str, id: str, text: str, field: str = "") -> None:
        """Count a document that was refused, and note why."""
        self.count(kind, "refused")
        self.note(kind, id, text, field)

    def note(self, kind: str, id: str, text: str, field: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem(kind, id, field, text))

    def table(self) -> str:
        """Return the counts as lines for people."""
        head = f"{'':<18}" + "".join(f"{name:>10}" for name in COUNTS)
        rows = [f"{kind:<18}" + "".join(f"{row[name]:>10,}" for name in COUNTS) for kind, row in self.counts.items()]
        return "\n".join([head, *rows])

    def write(self, path: Path) -> None:
        """Write the problems as a CSV file."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Problem._fields)
            writer.writerows(self.problems)
