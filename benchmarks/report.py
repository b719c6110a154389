"""The result of a benchmark, and the final table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One line of the table: `value` should be at most `aim` (at least, with `at_least`). Without an aim it informs."""

    what: str
    figures: str
    value: float
    aim: float | None = None
    at_least: bool = False
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """Whether the aim is met; None without an aim."""
        if self.aim is None:
            return None
        return self.value >= self.aim if self.at_least else self.value <= self.aim

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return the cells of the line: what, aim, measured, met, figures."""
        aim = "" if self.aim is None else f"{'>=' if self.at_least else '<='} {self.aim:g} {self.unit}"
        met = {None: "", True: "met", False: "NOT MET"}[self.met]
        return self.what, aim, f"{self.value:.2f} {self.unit}", met, self.figures


HEADER = ("What", "Aim", "Measured", "", "Figures")


def table(results: Iterable[Result]) -> str:
    """Format all results as text in columns."""
    lines = [HEADER, *(result.cells() for result in results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([texts[0], "-" * max(map(len, texts)), *texts[1:]])
