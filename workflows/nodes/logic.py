"""Nodes that decide which way a run goes."""

from __future__ import annotations

import hashlib
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from core.spans import add_span
from core.types import JsonObject, Values
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome, Span, one_out

TREE: JsonObject = {"x-widget": "tree"}
EXPRESSION: JsonObject = {"x-widget": "expression"}


class ConditionConfig(NodeConfig):
    filter: JsonObject = Field(
        description="Conditions over contact, lead, trigger, steps, vars, loop and run.", json_schema_extra=TREE
    )


class Case(NodeConfig):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    label: str = Field(default="", max_length=100)
    filter: JsonObject = Field(json_schema_extra=TREE)


class SwitchConfig(NodeConfig):
    cases: list[Case] = Field(min_length=1, max_length=20, description="The first one that holds is taken.")

    @field_validator("cases")
    @classmethod
    def _distinct(cls, cases: list[Case]) -> list[Case]:
        # The handle of the last way is taken by the node itself.
        if len({case.id for case in cases} | {"else"}) <= len(cases):
            raise PydanticCustomError("caseTwice", "each case needs an id of its own, other than else")
        return cases


class Arm(NodeConfig):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    label: str = Field(default="", max_length=100)
    weight: int = Field(ge=1, le=1000)


class SplitConfig(NodeConfig):
    arms: list[Arm] = Field(min_length=2, max_length=20, description="Shares by weight; a record keeps its arm.")

    @field_validator("arms")
    @classmethod
    def _distinct(cls, arms: list[Arm]) -> list[Arm]:
        if len({arm.id for arm in arms}) < len(arms):
            raise PydanticCustomError("armTwice", "each arm needs an id of its own")
        return arms


class JoinConfig(NodeConfig):
    mode: str = Field(
        default="all",
        pattern="^(all|first|count)$",
        description="all: every branch that can still come.",
        json_schema_extra={"enum": ["all", "first", "count"]},
    )
    count: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Of mode count: how many branches.",
        json_schema_extra={"x-show-if": {"mode": "count"}},
    )


class LoopConfig(NodeConfig):
    mode: Literal["list", "while"] = Field(default="list", description="while: again as long as conditions hold.")
    items: Any = Field(
        default=None,
        description="An expression that gives a list.",
        json_schema_extra={**EXPRESSION, "x-show-if": {"mode": "list"}},
    )
    parallel: int = Field(
        default=1,
        ge=1,
        le=10,
        description="How many items are under way at once, while others wait.",
        json_schema_extra={"x-show-if": {"mode": "list"}},
    )
    filter: JsonObject | None = Field(
        default=None,
        description="Conditions over contact, lead, trigger, steps, vars, loop and run.",
        json_schema_extra={**TREE, "x-show-if": {"mode": "while"}},
    )
    pause: Span | None = Field(
        default=None,
        description="How long it waits before it looks again.",
        json_schema_extra={"x-widget": "duration", "x-show-if": {"mode": "while"}},
    )
    cap: int = Field(default=100, ge=1, le=1000, description="The most items, or rounds; the rest is left out.")

    @model_validator(mode="after")
    def _check_mode(self) -> LoopConfig:
        needed, others = ("items", ("filter", "pause")) if self.mode == "list" else ("filter", ("items",))
        if getattr(self, needed) is None:
            raise PydanticCustomError(
                "noItems" if needed == "items" else "noConditions",
                "{needed}: is needed by a loop of mode {mode}",
                {"needed": needed, "mode": self.mode},
            )
        extra = [name for name in others if getattr(self, name) is not None]
        if extra:
            raise PydanticCustomError(
                "otherLoop",
                "{name}: is not for a loop of mode {mode}",
                {"name": extra[0], "mode": self.mode},
            )
        if self.mode == "while" and self.parallel > 1:
            raise PydanticCustomError(
                "onlyOfList", "parallel: is not for a loop of mode while, which goes round after round"
            )
        return self


class SetConfig(NodeConfig):
    values: JsonObject = Field(
        min_length=1, max_length=50, description="Name of a variable -> value.", json_schema_extra=EXPRESSION
    )

    @field_validator("values")
    @classmethod
    def _names(cls, values: JsonObject) -> JsonObject:
        for name in values:
            if not name.replace("_", "").isalnum() or not name.isascii() or len(name) > 64:
                raise PydanticCustomError(
                    "badName", "use letters, digits and _ instead of {name}", {"name": repr(name[:40])}
                )
        return values


class StopConfig(NodeConfig):
    result: str = Field(default="", max_length=200, description="What is noted at the run.")


class TriggerConfig(NodeConfig):
    """The trigger has no settings of its own: those of the workflow define it."""


def _pass(batch: NodeBatch) -> None:
    """Go on: every outcome is `out` by default."""


def _condition(batch: NodeBatch) -> None:
    for item, holds in zip(batch.items, batch.holds("filter"), strict=True):
        item.outcome = Outcome(handle="true" if holds else "false", output={"result": holds})


def _switch(batch: NodeBatch) -> None:
    # From the last to the first, so that the first case that holds is what remains.
    for case in reversed(batch.config.cases):
        for item, holds in zip(batch.items, batch.holds(case.id), strict=True):
            if holds:
                item.outcome = Outcome(handle=case.id, output={"case": case.id})
    for item in batch.items:
        if item.outcome.handle == "out":
            item.outcome = Outcome(handle="else", output={"case": "else"})


def _cases(config: SwitchConfig) -> Values:
    return {case.id: case.filter for case in config.cases}


def _split(batch: NodeBatch) -> None:
    """Take the arm that the hash of the record falls into, so that a record gets the same one each time."""
    arms = batch.config.arms
    total = sum(arm.weight for arm in arms)
    for item in batch.items:
        who = item.run.lead_id or item.run.contact_id or item.run.id
        # The arms' ids are in the hash: after a change of the arms records are shared out again.
        digest = hashlib.sha256(f"{item.run.workflow_id}/{','.join(arm.id for arm in arms)}/{who}".encode()).digest()
        place = int.from_bytes(digest[:8], "big") % total
        for arm in arms:
            place -= arm.weight
            if place < 0:
                item.outcome = Outcome(handle=arm.id, output={"arm": arm.id})
                break


def _loop(batch: NodeBatch) -> None:
    if batch.config.mode == "while":
        _repeat(batch)
        return
    for item in batch.items:
        elements = batch.render("items", item)
        if elements is None:  # what is not there is empty
            elements = []
        if not isinstance(elements, list):
            item.fail("badValue", "the expression gives no list", field="items")
            continue
        # The list comes from outside, and each item costs steps.
        items = elements[: batch.config.cap]
        output = {"count": len(items), "left": len(elements) - len(items)}
        item.outcome = Outcome(output=output, items=items, parallel=batch.config.parallel)


def _repeat(batch: NodeBatch) -> None:
    """Begin another round where the conditions hold, after the pause between two rounds."""
    config: LoopConfig = batch.config
    for item, holds in zip(batch.items, batch.holds("filter"), strict=True):
        # Waited already: the pause must not begin again when it is over.
        if config.pause is not None and item.round and item.arrived is None and item.round < config.cap:
            item.outcome = Outcome("waiting", until=add_span(batch.now, config.pause.as_json(), ZoneInfo(batch.zone)))
            continue
        continues = holds and item.round < config.cap
        output = {"count": item.round, "left": int(holds and not continues)}
        item.outcome = Outcome(output=output, items=[item.round] if continues else None, loops_back=True)


def _set(batch: NodeBatch) -> None:
    for item in batch.items:
        values = batch.render("values", item)
        item.outcome = Outcome(output=values, variables=values)


def _stop(batch: NodeBatch) -> None:
    for item in batch.items:
        item.outcome = Outcome(output={"result": batch.config.result}, end_reason="stop")


TRIGGER = NodeType("trigger", "trigger", "Trigger", "Where runs begin.", TriggerConfig, _pass, icon="bolt")
CONDITION = NodeType(
    "condition",
    "logic",
    "Condition",
    "Goes one way where the conditions hold, and another where they don't.",
    ConditionConfig,
    _condition,
    handles=lambda config: ("true", "false"),
    icon="alt_route",
    conditions=lambda config: {"filter": config.filter},
    outputs={"result": "boolean"},
)
SWITCH = NodeType(
    "switch",
    "logic",
    "Switch",
    "Goes the way of the first case that holds.",
    SwitchConfig,
    _switch,
    handles=lambda config: (*(case.id for case in config.cases), "else"),
    icon="call_split",
    conditions=_cases,
    outputs={"case": "text"},
)
SPLIT = NodeType(
    "split",
    "logic",
    "A/B split",
    "Divides records by weight. The same record always goes the same way.",
    SplitConfig,
    _split,
    handles=lambda config: tuple(arm.id for arm in config.arms),
    icon="percent",
    outputs={"arm": "text"},
)
JOIN = NodeType(
    "join",
    "logic",
    "Join",
    "Waits for the branches that can still come, then goes on once.",
    JoinConfig,
    _pass,
    handles=one_out,
    icon="merge",
)
LOOP = NodeType(
    "loop",
    "logic",
    "Loop",
    "Goes through the item branch for each item of a list, or as long as conditions hold, then through done.",
    LoopConfig,
    _loop,
    handles=lambda config: ("item", "done"),
    icon="repeat",
    resume=_loop,
    templates=("items",),
    conditions=lambda config: {} if config.filter is None else {"filter": config.filter},
    outputs={"count": "number", "left": "number"},
)
SET = NodeType(
    "set",
    "logic",
    "Set variables",
    "Keeps values for later nodes, as vars.<name>.",
    SetConfig,
    _set,
    icon="data_object",
    templates=("values",),
)
STOP = NodeType(
    "stop",
    "logic",
    "Stop",
    "Ends the run, with all of its branches.",
    StopConfig,
    _stop,
    handles=lambda config: (),
    icon="stop_circle",
    outputs={"result": "text"},
)
TYPES = (TRIGGER, CONDITION, SWITCH, SPLIT, JOIN, LOOP, SET, STOP)
