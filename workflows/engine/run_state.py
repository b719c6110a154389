"""The state of a run: its tokens, joins, loops and values. It is stored as JSON in `WorkflowRun.state`.

A token is the position of a branch of the run. A scope is an item of a loop, of which several may run at once; the run
itself is scope 0. Tokens and scopes share one counter, so an id names one thing for the whole run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from core.types import JsonObject, Values
from workflows.nodes.base import ResumeEvent

TokenStatus = Literal["live", "wait", "retry", "loop", "failed"]
LIVE: Final = "live"
WAIT: Final = "wait"
RETRY: Final = "retry"
LOOP: Final = "loop"
FAILED: Final = "failed"

WHOLE_RUN: Final = "0"
"""The scope outside of all loops."""
TIMER: Final = "timer"
"""The kind of an arrival that is but the time."""


# SQL reads the stored form too: the generated column WorkflowRun.nodes and workflows.engine.version_migration.
@dataclass(slots=True)
class Token:
    """A branch of the run, at a node."""

    node: str
    scope: str
    status: TokenStatus = LIVE
    attempt: int = 1

    @classmethod
    def from_json(cls, raw: Sequence[Any]) -> Token:
        return cls(node=raw[0], scope=raw[1], status=raw[2], attempt=raw[3])

    def to_json(self) -> list[Any]:
        return [self.node, self.scope, self.status, self.attempt]


@dataclass(slots=True)
class Scope:
    """An item of a loop that is under way."""

    token: str
    """The token of the loop."""
    place: int
    """The number of the item, from 0."""

    def to_json(self) -> JsonObject:
        return {"token": self.token, "place": self.place}


@dataclass(slots=True)
class Loop:
    """A loop that a token is in."""

    items: list[Any]
    next_place: int
    """The number of the item that begins next."""
    returns: bool
    """After its items the token runs the loop's node again."""

    def to_json(self) -> JsonObject:
        return {"items": self.items, "next": self.next_place, "again": self.returns}


@dataclass(slots=True)
class Join:
    """A join that a token of its scope has reached."""

    arrivals: int = 0
    has_fired: bool = False

    @classmethod
    def from_json(cls, raw: Sequence[Any]) -> Join:
        return cls(arrivals=raw[0], has_fired=raw[1])

    def to_json(self) -> list[Any]:
        return [self.arrivals, self.has_fired]


@dataclass(slots=True)
class Hold:
    """A stay at a node that has not ended: a wait, or a failure."""

    turn: int
    """The turn that the next visit of the node continues."""
    waits_for: str | None = None
    """The cause that ends a wait (Outcome.waits_for)."""
    since: float | None = None
    """Start of a wait, in seconds of the clock."""
    arrived: ResumeEvent | None = None
    """The event that ended a wait, until the node receives it."""

    @classmethod
    def from_json(cls, raw: Values) -> Hold:
        arrived = raw.get("arrived")
        event = None if arrived is None else ResumeEvent(arrived["kind"], arrived["payload"])
        return cls(raw["turn"], raw.get("for"), raw.get("since"), event)

    def to_json(self) -> JsonObject:
        raw: JsonObject = {"turn": self.turn}
        if self.waits_for is not None:
            raw["for"] = self.waits_for
        if self.since is not None:
            raw["since"] = self.since
        if self.arrived is not None:
            raw["arrived"] = {"kind": self.arrived.kind, "payload": self.arrived.payload}
        return raw


@dataclass(slots=True)
class RunState:
    """The state of a run. Only workflows.engine.interpreter moves its tokens."""

    tokens: dict[str, Token] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)
    """Token -> the loop that it is in."""
    rounds: dict[str, int] = field(default_factory=dict)
    """Token -> how often a loop has returned to its node."""
    joins: dict[str, dict[str, Join]] = field(default_factory=dict)
    """Scope -> node -> join."""
    visits: dict[str, int] = field(default_factory=dict)
    """Node -> number of visits. They go on counting for ever, since they are part of the unique key of steps."""
    turns: dict[str, int] = field(default_factory=dict)
    """Node -> number of turns: visits that no retry or wait has caused."""
    holds: dict[str, Hold] = field(default_factory=dict)
    """Token -> its stay at a node."""
    outputs: JsonObject = field(default_factory=dict)
    """Node -> its output, if a later node refers to it."""
    variables: JsonObject = field(default_factory=dict)
    next_id: int = 1
    generation: int = 0
    """Part of the key of each effect: a new generation repeats effects."""
    reads: list[str] = field(default_factory=list)
    """The permissions to read what the run has got from former versions, or from the run that started it."""

    @classmethod
    def from_json(cls, raw: Values) -> RunState:
        return cls(
            tokens={id: Token.from_json(token) for id, token in raw["tokens"].items()},
            scopes={id: Scope(**scope) for id, scope in raw["scopes"].items()},
            loops={
                id: Loop(items=loop["items"], next_place=loop["next"], returns=loop["again"])
                for id, loop in raw["loops"].items()
            },
            rounds=raw["rounds"],
            joins={
                scope: {node: Join.from_json(join) for node, join in joins.items()}
                for scope, joins in raw["joins"].items()
            },
            visits=raw["visits"],
            turns=raw["turns"],
            holds={id: Hold.from_json(hold) for id, hold in raw["held"].items()},
            outputs=raw["out"],
            variables=raw["vars"],
            next_id=raw["next"],
            generation=raw["generation"],
            reads=raw.get("reads", []),
        )

    def to_json(self) -> JsonObject:
        return {
            "tokens": {id: token.to_json() for id, token in self.tokens.items()},
            "scopes": {id: scope.to_json() for id, scope in self.scopes.items()},
            "loops": {id: loop.to_json() for id, loop in self.loops.items()},
            "rounds": self.rounds,
            "joins": {
                scope: {node: join.to_json() for node, join in joins.items()} for scope, joins in self.joins.items()
            },
            "visits": self.visits,
            "turns": self.turns,
            "held": {id: hold.to_json() for id, hold in self.holds.items()},
            "out": self.outputs,
            "vars": self.variables,
            "next": self.next_id,
            "generation": self.generation,
            "reads": self.reads,
        }

    def new_id(self) -> str:
        """Return the next id of a token or a scope."""
        id = str(self.next_id)
        self.next_id += 1
        return id

    def add_token(self, node: str, scope: str = WHOLE_RUN) -> None:
        """Begin a token at a node."""
        self.tokens[self.new_id()] = Token(node, scope)

    def count_visit(self, node: str) -> int:
        """Count a visit of a node. Returns its number."""
        number = self.visits.get(node, 0) + 1
        self.visits[node] = number
        return number

    def count_turn(self, node: str) -> int:
        """Count a turn of a node. Returns its number."""
        number = self.turns.get(node, 0) + 1
        self.turns[node] = number
        return number

    def is_over(self) -> bool:
        """Return whether no branch of the run is left."""
        return not self.tokens and not any(self.joins.values())

    def tokens_of(self, scope: str) -> Iterator[Token]:
        """Return the tokens of a scope."""
        return (token for token in self.tokens.values() if token.scope == scope)

    def live_tokens(self) -> list[str]:
        """Return the tokens that may move, the oldest first."""
        return sorted((id for id, token in self.tokens.items() if token.status == LIVE), key=int)

    def failed_tokens(self) -> list[str]:
        """Return the tokens whose nodes have failed."""
        return [id for id, token in self.tokens.items() if token.status == FAILED]

    def places(self) -> set[str]:
        """Return the present nodes of the run, and the joins that it has reached."""
        return {token.node for token in self.tokens.values()}.union(*self.joins.values())

    def waits(self) -> dict[str, tuple[str, str | None]]:
        """Return token -> the node at which it waits, and the kind of wait."""
        return {
            id: (token.node, TIMER if token.status == RETRY else self.holds[id].waits_for)
            for id, token in self.tokens.items()
            if token.status in (WAIT, RETRY)
        }

    def has_arrival(self, token: str) -> bool:
        """Return whether a wait of the token has ended, and its node has not received the arrival yet."""
        hold = self.holds.get(token)
        return hold is not None and hold.arrived is not None

    def loop_item(self, token: str) -> JsonObject | None:
        """Return item and index of the loop that the token is in."""
        position = self.tokens.get(token)
        scope = self.scopes.get(position.scope) if position else None
        if scope is None:
            return None
        return {"item": self.loops[scope.token].items[scope.place], "index": scope.place}
