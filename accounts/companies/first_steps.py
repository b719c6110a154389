"""The first steps of a company in the product. Each app registers its own when it is ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, QuerySet

from accounts.companies.models import Company
from core.tenancy import company_id
from core.types import JsonObject


@dataclass(frozen=True)
class FirstStep:
    """A step. It is done once `rows` returns a row."""

    name: str
    rows: Callable[[], QuerySet[Any]]
    place: int


_steps: dict[str, FirstStep] = {}


def register_first_step(step: FirstStep) -> None:
    """Register a first step."""
    _steps[step.name] = step


def first_steps_done() -> list[JsonObject]:
    """Return each step of the active company, and whether it is done, by one statement."""
    steps = sorted(_steps.values(), key=lambda step: step.place)
    flags = {f"step_{step.place}": Exists(step.rows()) for step in steps}
    row = Company.objects.filter(pk=company_id()).annotate(**flags).values(*flags).get()
    return [{"step": step.name, "isDone": row[f"step_{step.place}"]} for step in steps]
