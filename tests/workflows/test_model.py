"""The engine's moves against a plain interpreter, over random graphs (tests/workflows/model.py)."""

from __future__ import annotations

import pytest

from tests.workflows.model import trial


@pytest.mark.parametrize("first", [0, 400])
def test_random_graphs_run_as_the_plain_interpreter_says(first: int) -> None:
    found = [trial(seed) for seed in range(first, first + 400)]
    assert sum(steps for steps, _ in found) > 3000
    assert sum(lost for _, lost in found) > 400


@pytest.mark.slow
def test_ten_thousand_random_graphs() -> None:
    assert sum(trial(seed)[0] for seed in range(10_000)) > 100_000
