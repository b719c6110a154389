"""The stored form of a run's state, which SQL reads and which runs under way keep over releases."""

from __future__ import annotations

import json
from typing import Any

from workflows.engine.run_state import RunState

STORED: dict[str, Any] = {
    "tokens": {
        "1": ["loop", "0", "loop", 1],
        "3": ["wait", "2", "wait", 1],
        "5": ["call", "4", "retry", 3],
        "6": ["ask", "0", "live", 1],
        "7": ["mail", "0", "failed", 2],
    },
    "scopes": {"2": {"token": "1", "place": 0}, "4": {"token": "1", "place": 1}},
    "loops": {"1": {"items": ["a", "b", "c"], "next": 2, "again": False}},
    "rounds": {"1": 2},
    "joins": {"0": {"join": [2, True]}, "2": {"inner": [1, False]}},
    "visits": {"loop": 3, "wait": 2, "call": 4},
    "turns": {"loop": 1, "wait": 2, "call": 2},
    "held": {
        "3": {"turn": 2, "for": "event", "since": 1767225600.25},
        "5": {"turn": 2},
        "6": {"turn": 1, "for": "approval", "since": 1.5, "arrived": {"kind": "approval", "payload": None}},
        "7": {"turn": 1},
    },
    "out": {"call": {"status": 200, "body": None}},
    "vars": {"n": 1, "list": [1, {"a": None}]},
    "next": 8,
    "generation": 1,
    "reads": ["contact.GET"],
}


def test_a_stored_state_is_written_as_it_was_read() -> None:
    assert json.dumps(RunState.from_json(STORED).to_json()) == json.dumps(STORED)


def test_a_state_of_before_rights_were_kept_has_none() -> None:
    stored = {name: value for name, value in STORED.items() if name != "reads"}
    assert RunState.from_json(stored).to_json() == {**STORED, "reads": []}


def test_the_state_of_a_run_that_begins() -> None:
    state = RunState(generation=2)
    state.add_token("start")
    assert json.dumps(state.to_json()) == json.dumps(
        {
            "tokens": {"1": ["start", "0", "live", 1]},
            **dict.fromkeys(("scopes", "loops", "rounds", "joins", "visits", "turns", "held", "out", "vars"), {}),
            "next": 2,
            "generation": 2,
            "reads": [],
        }
    )


def test_waits_and_arrivals_of_tokens() -> None:
    state = RunState.from_json(STORED)
    assert state.waits() == {"3": ("wait", "event"), "5": ("call", "timer")}
    assert [state.has_arrival(token) for token in ("3", "6", "7", "1")] == [False, True, False, False]
    assert state.loop_item("5") == {"item": "b", "index": 1}
    assert state.loop_item("6") is None
    assert (state.live_tokens(), state.failed_tokens()) == (["6"], ["7"])
    assert state.places() == {"loop", "wait", "call", "ask", "mail", "join", "inner"}
