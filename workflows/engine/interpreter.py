"""The progress of a run through its plan: tokens, joins and loops. It changes only the run's state, a JSON object.

A token is the position of a branch of the run: [node, scope, status, attempt]. Several edges from one handle create
several tokens. A scope is an item of a loop, of which several may run at once; the run itself is scope 0.

A join fires as soon as no token of its scope can reach it any more. It therefore never hangs, whichever branch was not
taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.types import JsonObject, Values
from workflows.graphs.plan import ERROR, Node, Plan
from workflows.nodes.base import Outcome

LIVE = "live"
WAIT = "wait"
RETRY = "retry"
LOOP = "loop"
FAILED = "failed"
TIMER = "timer"
"""The kind of an arrival that is but the time."""
State = JsonObject
# A graph has no circles, but loops over loops can multiply; a run that large is a mistake.
MAX_STEPS = 5000
"""The most steps of a run."""
MAX_TOKENS = 1000
"""The most branches of a run at a time. Each step looks at all of them, so this bounds what a step costs."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A node that a token has reached: its number among the run's visits of the node, and its turn.

    A retry of a failed node, and the continuation after a wait at the node, are further visits of the same turn.
    """

    token: str
    node: Node
    number: int
    turn: int
    attempt: int
    arrived: Values | None = None
    """The event that ended a wait at the node, as kind and payload; None: the run has only reached it."""
    since: float | None = None
    """Start of the wait at the node, in seconds of the clock; None: it did not wait."""


def begin(plan: Plan, generation: int = 0) -> State:
    """Return the state of a run at its trigger."""
    return {
        "tokens": {"1": [plan.trigger, "0", LIVE, 1]},
        "scopes": {},
        "loops": {},
        "rounds": {},
        "joins": {},
        "visits": {},
        "turns": {},
        "held": {},
        "out": {},
        "vars": {},
        "next": 2,
        "generation": generation,
    }


def begin_at(plan: Plan, state: State, node: str) -> State:
    """Return the state of a run that restarts at a node: its counts of visits and its values are kept."""
    fresh = begin(plan, state["generation"])
    fresh["tokens"] = {"1": [node, "0", LIVE, 1]}
    # Visits go on counting: their numbers are part of the unique key of steps.
    return {**fresh, "visits": state["visits"], "out": state["out"], "vars": state["vars"]}


def is_over(state: State) -> bool:
    """Return whether no branch of the run is left."""
    return not state["tokens"] and not any(state["joins"].values())


def first_live(plan: Plan, state: State) -> str | None:
    """Return the token to move next: the one at the first node, of those the oldest. None: no token may move."""
    # The first node in the order of the graph, so that runs of a batch meet at the same node.
    live = ((plan.nodes[node].order, int(id)) for id, (node, _, status, _) in state["tokens"].items() if status == LIVE)
    first = min(live, default=None)
    return None if first is None else str(first[1])


def live_tokens(state: State) -> list[str]:
    """Return the tokens that may move, the oldest first."""
    return sorted((id for id, token in state["tokens"].items() if token[2] == LIVE), key=int)


def failed_tokens(state: State) -> list[str]:
    return [id for id, token in state["tokens"].items() if token[2] == FAILED]


def places(state: State) -> set[str]:
    """Return the present nodes of the run, and the joins that it has reached."""
    return {token[0] for token in state["tokens"].values()}.union(*state["joins"].values())


def waits(state: State) -> dict[str, tuple[str, str]]:
    """Return token -> the node at which it waits, and the kind of wait."""
    return {
        id: (token[0], "timer" if token[2] == RETRY else state["held"][id]["for"])
        for id, token in state["tokens"].items()
        if token[2] in (WAIT, RETRY)
    }


def visit(plan: Plan, state: State, token: str) -> Visit:
    """Count a token's visit of its node."""
    id, _, _, attempt = state["tokens"][token]
    number = state["visits"][id] = state["visits"].get(id, 0) + 1
    held = state["held"].pop(token, None)
    if held is None:
        turn = state["turns"][id] = state["turns"].get(id, 0) + 1
        return Visit(token, plan.nodes[id], number, turn, attempt)
    return Visit(token, plan.nodes[id], number, held["turn"], attempt, held.get("arrived"), held.get("since"))


def has_arrival(state: State, token: str) -> bool:
    """Return whether a wait of the token has ended, and its node has not received the arrival yet."""
    return "arrived" in state["held"].get(token, ())


def wake(plan: Plan, state: State, token: str, kind: str = TIMER, payload: Any = None) -> bool:
    """Continue a token whose wait is over, by the time or by an arrival. Return whether it was waiting for it.

    A node that resumes receives it in its next visit; from another node the token leaves by `out`.
    """
    position = state["tokens"].get(token)
    # A second arrival for the same wait, such as the time after the answer, finds nothing to wake.
    if position is None or not (position[2] == WAIT or (position[2] == RETRY and kind == TIMER)):
        return False
    if position[2] == RETRY:
        position[2] = LIVE
    elif plan.nodes[position[0]].type.resume is not None:
        position[2] = LIVE
        # Kept in the state until the visit, since another slice may be the one that makes it.
        state["held"][token]["arrived"] = {"kind": kind, "payload": payload}
    else:
        leave(plan, state, token, "out")
    return True


def leave(plan: Plan, state: State, token: str, handle: str) -> None:
    """End the token, and begin one for each edge from the handle."""
    node, scope, _, _ = state["tokens"].pop(token)
    state["held"].pop(token, None)
    state["rounds"].pop(token, None)
    _go(plan, state, node, scope, handle)


def advance(plan: Plan, state: State, seen: Visit, outcome: Outcome) -> None:
    """Move the token by the outcome of its node. A loop begins with its first item."""
    token = state["tokens"][seen.token]
    if outcome.status == "waiting":
        token[2] = WAIT
        state["held"][seen.token] = {"turn": seen.turn, "for": outcome.waits_for}
    elif outcome.status == "failed":
        _fail(state, seen)
    elif outcome.items and seen.node.is_loop and seen.node.targets.get("item"):
        token[2] = LOOP
        first = min(outcome.parallel, len(outcome.items))
        state["loops"][seen.token] = {"items": outcome.items, "next": first, "again": outcome.again}
        for place in range(first):
            # Scopes and tokens share one counter, so an id names one thing for the whole run.
            scope = _next(state)
            state["scopes"][scope] = {"token": seen.token, "place": place}
            _go(plan, state, seen.node.id, scope, "item")
    else:
        leave(plan, state, seen.token, "done" if seen.node.is_loop else outcome.handle)


def fail(plan: Plan, state: State, seen: Visit, *, retry: bool, unknown: bool = False) -> str:
    """Move a token whose node has failed, or with `unknown` perhaps not, by the node's policy.

    Returns retry, continue, branch or fail.
    """
    token, policy = state["tokens"][seen.token], seen.node.on_error
    then = policy.then
    if unknown:
        retry, then = policy.unknown == "retry", "fail" if policy.unknown == "retry" else policy.unknown
    if retry and seen.attempt <= policy.retry.attempts:
        token[2] = RETRY
        token[3] = seen.attempt + 1
        state["held"][seen.token] = {"turn": seen.turn}
        return "retry"
    if then == "fail":
        _fail(state, seen)
    elif then == "branch":
        leave(plan, state, seen.token, ERROR)
    else:
        # To continue means the first way out, as if the node had succeeded.
        handles = seen.node.type.handles(seen.node.config)
        leave(plan, state, seen.token, "done" if seen.node.is_loop else (handles or ("out",))[0])
    return then


def _fail(state: State, seen: Visit) -> None:
    state["tokens"][seen.token][2] = FAILED
    state["held"][seen.token] = {"turn": seen.turn}


def again(state: State, *, waiting: bool = False) -> None:
    """Let the failed tokens retry their nodes, in the same turn. With `waiting`, tokens whose waits are gone retry
    too."""
    for token in state["tokens"].values():
        if token[2] == FAILED or (waiting and token[2] in (WAIT, RETRY)):
            token[2] = LIVE
            token[3] = 1


def settle(plan: Plan, state: State) -> list[Visit]:
    """Move tokens into joins, fire joins that nothing can reach any more, and continue or end loops.

    Returns the visits of joins that fired. Afterwards each live token is at a node that runs.
    """
    fired: list[Visit] = []
    plain = not state["joins"] and not state["scopes"]
    if plain and not any(plan.nodes[token[0]].is_join for token in state["tokens"].values()):
        return fired  # most runs are in neither
    while True:
        for id in live_tokens(state):
            node, scope, _, _ = state["tokens"][id]
            if plan.nodes[node].is_join:
                del state["tokens"][id]
                arrivals = state["joins"].setdefault(scope, {}).setdefault(node, [0, False])
                arrivals[0] += 1
        # From the start again: what a join lets through may reach the next one.
        if _fire_join(plan, state, fired):
            continue
        if live_tokens(state) or not _turn_loop(plan, state):
            return fired


def _fire_join(plan: Plan, state: State, fired: list[Visit]) -> bool:
    """Fire the first join that may, or forget one that has. Returns whether there was one."""
    for scope, joins in state["joins"].items():
        # In the order of the graph, as an earlier join may feed a later one.
        for id in sorted(joins, key=lambda id: plan.nodes[id].order):
            node, (number, done) = plan.nodes[id], joins[id]
            enough = {"first": 1, "count": node.config.count}.get(node.config.mode)
            over = not _reachable(plan, state, scope, id)
            if over:
                # Nothing can reach it any more, so a loop's next item begins with a join of its own.
                del joins[id]
            if not done and (over or (enough is not None and number >= enough)):
                if not over:
                    joins[id][1] = True
                count = state["visits"][id] = state["visits"].get(id, 0) + 1
                fired.append(Visit("", node, count, count, 1))
                _go(plan, state, id, scope, "out")
                return True
            if over:
                return True
    return False


def _reachable(plan: Plan, state: State, scope: str, join: str) -> bool:
    """Return whether a token of the scope, or another join of it, may still lead to the join."""
    inside = any(
        token[1] == scope and (token[0] == join or join in plan.nodes[token[0]].reach)
        for token in state["tokens"].values()
    )
    others = state["joins"].get(scope, {})
    # A join that has fired lets nothing more through, so it leads nowhere.
    return inside or any(
        other != join and not done and join in plan.nodes[other].reach for other, (_, done) in others.items()
    )


def _turn_loop(plan: Plan, state: State) -> bool:
    """Begin the next item of a loop whose item has come to its end, or end the loop. Returns whether there was one."""
    # Inner loops first: their end is what the item of an outer one waits for.
    for scope in sorted(state["scopes"], key=int, reverse=True):
        if state["joins"].get(scope) or any(token[1] == scope for token in state["tokens"].values()):
            continue
        id = state["scopes"][scope]["token"]
        loop, token = state["loops"][id], state["tokens"][id]
        if loop["next"] < len(loop["items"]):
            state["scopes"][scope]["place"] = loop["next"]
            loop["next"] += 1
            _go(plan, state, token[0], scope, "item")
            return True
        del state["scopes"][scope]
        state["joins"].pop(scope, None)
        if not any(other["token"] == id for other in state["scopes"].values()):
            _end_loop(plan, state, id, again=loop["again"])
        return True
    return False


def _end_loop(plan: Plan, state: State, id: str, *, again: bool) -> None:
    """Continue the token of a loop after the end of its last item: to its node `again`, or through done."""
    del state["loops"][id]
    if again:
        state["rounds"][id] = state["rounds"].get(id, 0) + 1
        state["tokens"][id][2:] = [LIVE, 1]
    else:
        leave(plan, state, id, "done")


def loop_of(state: State, token: str) -> JsonObject | None:
    """Return item and index of the loop that the token is in."""
    position = state["tokens"].get(token)
    scope = state["scopes"].get(position[1]) if position else None
    if scope is None:
        return None
    return {"item": state["loops"][scope["token"]]["items"][scope["place"]], "index": scope["place"]}


def _go(plan: Plan, state: State, node: str, scope: str, handle: str) -> None:
    for target in plan.nodes[node].targets.get(handle, ()):
        state["tokens"][_next(state)] = [target, scope, LIVE, 1]


def _next(state: State) -> str:
    state["next"] += 1
    return str(state["next"] - 1)
