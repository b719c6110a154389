"""The progress of a run through its plan: tokens, joins and loops. It changes only the run's state.

Several edges from one handle create several tokens. A join fires as soon as no token of its scope can reach it any
more. It therefore never hangs, whichever branch was not taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.engine.run_state import (
    FAILED,
    LIVE,
    LOOP,
    RETRY,
    TIMER,
    WAIT,
    Hold,
    Join,
    Loop,
    RunState,
    Scope,
)
from workflows.graphs.plan import ERROR, Node, Plan
from workflows.nodes.base import Outcome, ResumeEvent

# A graph has no circles, but loops over loops can multiply; a run that large is a mistake.
MAX_STEPS = 5000
"""The most steps of a run."""
MAX_TOKENS = 1000
"""The most branches of a run at a time. Each step looks at all of them, so this bounds what a step costs."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A node that a token has reached, with the count of visits and of turns so far.

    A retry of a failed node and a continuation after a wait are further visits of the same turn.
    """

    token: str
    node: Node
    number: int
    turn: int
    attempt: int
    arrived: ResumeEvent | None = None
    """The event that ended a wait at the node; None: the run has only reached it."""
    since: float | None = None
    """Start of the wait at the node, in seconds of the clock; None: it did not wait."""


def begin(plan: Plan, former: RunState | None = None) -> RunState:
    """Return the state of a run at its trigger. One that starts again keeps its former counts of visits."""
    state = RunState()
    if former is not None:
        # Steps are history and keep their unique numbers.
        state.visits = former.visits
        state.generation = former.generation
        # It keeps its trigger, whose values may have come from another version.
        state.reads = former.reads
    state.add_token(plan.trigger)
    return state


def begin_at(state: RunState, node: str) -> RunState:
    """Return the state of a run that restarts at a node: its counts of visits and its values are kept."""
    fresh = RunState(
        visits=state.visits,
        outputs=state.outputs,
        variables=state.variables,
        generation=state.generation,
        reads=state.reads,
    )
    fresh.add_token(node)
    return fresh


def first_live(plan: Plan, state: RunState) -> str | None:
    """Return the token to move next: the one at the first node, of those the oldest. None: no token may move."""
    # The first node in the order of the graph, so that runs of a batch meet at the same node.
    live = ((plan.nodes[token.node].order, int(id)) for id, token in state.tokens.items() if token.status == LIVE)
    first = min(live, default=None)
    return None if first is None else str(first[1])


def start_visit(plan: Plan, state: RunState, token: str) -> Visit:
    """Count a token's visit of its node."""
    position = state.tokens[token]
    node = plan.nodes[position.node]
    number = state.count_visit(node.id)
    hold = state.holds.pop(token, None)
    if hold is None:
        return Visit(token, node, number, state.count_turn(node.id), position.attempt)
    return Visit(token, node, number, hold.turn, position.attempt, hold.arrived, hold.since)


def wake(plan: Plan, state: RunState, token: str, kind: str = TIMER, payload: Any = None) -> bool:
    """Continue a token whose wait is over, by the time or by an arrival. Return whether it was waiting for it.

    A node that resumes receives it in its next visit; from another node the token leaves by `out`.
    """
    position = state.tokens.get(token)
    # A second arrival for the same wait, such as the time after the answer, finds nothing to wake.
    if position is None or not (position.status == WAIT or (position.status == RETRY and kind == TIMER)):
        return False
    if position.status == RETRY:
        position.status = LIVE
    elif plan.nodes[position.node].type.resume is not None:
        position.status = LIVE
        # Kept in the state until the visit, since another slice may be the one that makes it.
        state.holds[token].arrived = ResumeEvent(kind, payload)
    else:
        end_token(plan, state, token, "out")
    return True


def end_token(plan: Plan, state: RunState, token: str, handle: str) -> None:
    """End the token, and begin one for each edge from the handle."""
    position = state.tokens.pop(token)
    state.holds.pop(token, None)
    state.rounds.pop(token, None)
    _follow(plan, state, position.node, position.scope, handle)


def advance(plan: Plan, state: RunState, visit: Visit, outcome: Outcome, since: float | None = None) -> None:
    """Move the token by the outcome of its node. A loop begins with its first item.

    `since` is the time of the outcome, in seconds of the clock, from which a wait counts.
    """
    if outcome.status == "waiting":
        state.tokens[visit.token].status = WAIT
        state.holds[visit.token] = Hold(visit.turn, outcome.waits_for, since)
    elif outcome.status == "failed":
        _fail(state, visit)
    elif outcome.items and visit.node.is_loop and visit.node.targets.get("item"):
        _begin_loop(plan, state, visit, outcome.items, outcome)
    else:
        end_token(plan, state, visit.token, "done" if visit.node.is_loop else outcome.handle)


def _begin_loop(plan: Plan, state: RunState, visit: Visit, items: list[Any], outcome: Outcome) -> None:
    """Begin the first items of a loop, as many as may run at once."""
    state.tokens[visit.token].status = LOOP
    number = min(outcome.parallel, len(items))
    state.loops[visit.token] = Loop(items, next_place=number, returns=outcome.loops_back)
    for place in range(number):
        scope = state.new_id()
        state.scopes[scope] = Scope(visit.token, place)
        _follow(plan, state, visit.node.id, scope, "item")


def fail(plan: Plan, state: RunState, visit: Visit, *, retry: bool, unknown: bool = False) -> str:
    """Move a token whose node has failed, or with `unknown` perhaps not, by the node's policy.

    Returns retry, continue, branch or fail.
    """
    policy = visit.node.on_error
    then = policy.then
    if unknown:
        retry = policy.unknown == "retry"
        then = "fail" if policy.unknown == "retry" else policy.unknown
    if retry and visit.attempt <= policy.retry.attempts:
        token = state.tokens[visit.token]
        token.status = RETRY
        token.attempt = visit.attempt + 1
        state.holds[visit.token] = Hold(visit.turn)
        return "retry"
    if then == "fail":
        _fail(state, visit)
    elif then == "branch":
        end_token(plan, state, visit.token, ERROR)
    else:
        # To continue means the first way out, as if the node had succeeded.
        handles = visit.node.type.handles(visit.node.config)
        end_token(plan, state, visit.token, "done" if visit.node.is_loop else (handles or ("out",))[0])
    return then


def _fail(state: RunState, visit: Visit) -> None:
    state.tokens[visit.token].status = FAILED
    state.holds[visit.token] = Hold(visit.turn)


def retry_failed_tokens(state: RunState, *, waiting: bool = False) -> None:
    """Let the failed tokens retry their nodes, in the same turn. With `waiting`, tokens whose waits are gone retry
    too."""
    for token in state.tokens.values():
        if token.status == FAILED or (waiting and token.status in (WAIT, RETRY)):
            token.status = LIVE
            token.attempt = 1


def settle(plan: Plan, state: RunState) -> list[Visit]:
    """Move tokens into joins, fire joins that nothing can reach now, and continue or end loops.

    Returns the visits of joins that fired. Afterwards each live token is at a node that runs.
    """
    fired: list[Visit] = []
    plain = not state.joins and not state.scopes
    if plain and not any(plan.nodes[token.node].is_join for token in state.tokens.values()):
        return fired  # most runs are in neither
    while True:
        _enter_joins(plan, state)
        # From the start again: what a join lets through may reach the next one.
        if _fire_join(plan, state, fired):
            continue
        if state.live_tokens() or not _turn_loop(plan, state):
            return fired


def _enter_joins(plan: Plan, state: RunState) -> None:
    """Move the live tokens that are at a join into it."""
    for id in state.live_tokens():
        token = state.tokens[id]
        if plan.nodes[token.node].is_join:
            del state.tokens[id]
            join = state.joins.setdefault(token.scope, {}).setdefault(token.node, Join())
            join.arrivals += 1


def _fire_join(plan: Plan, state: RunState, fired: list[Visit]) -> bool:
    """Fire the first join that may, or forget one that has. Returns whether there was one."""
    for scope, joins in state.joins.items():
        # In the order of the graph, as an earlier join may feed a later one.
        for id in sorted(joins, key=lambda id: plan.nodes[id].order):
            node = plan.nodes[id]
            join = joins[id]
            enough = {"first": 1, "count": node.config.count}.get(node.config.mode)
            over = not _reachable(plan, state, scope, id)
            if over:
                # Nothing can reach it now, so a loop's next item begins with a join of its own.
                del joins[id]
            if not join.has_fired and (over or (enough is not None and join.arrivals >= enough)):
                join.has_fired = True
                number = state.count_visit(id)
                fired.append(Visit("", node, number, number, 1))
                _follow(plan, state, id, scope, "out")
                return True
            if over:
                return True
    return False


def _reachable(plan: Plan, state: RunState, scope: str, join: str) -> bool:
    """Return whether a token of the scope, or another join of it, may still lead to the join."""
    if any(token.node == join or join in plan.nodes[token.node].reach for token in state.tokens_of(scope)):
        return True
    others = state.joins.get(scope, {})
    # A join that has fired lets nothing more through, so it leads nowhere.
    return any(id != join and not other.has_fired and join in plan.nodes[id].reach for id, other in others.items())


def _turn_loop(plan: Plan, state: RunState) -> bool:
    """Start the next item of a loop whose item has ended, or end the loop. Return whether there was one."""
    # Inner loops first: their end is what the item of an outer one waits for.
    for id in sorted(state.scopes, key=int, reverse=True):
        if state.joins.get(id) or any(state.tokens_of(id)):
            continue
        scope = state.scopes[id]
        loop = state.loops[scope.token]
        if loop.next_place < len(loop.items):
            scope.place = loop.next_place
            loop.next_place += 1
            _follow(plan, state, state.tokens[scope.token].node, id, "item")
            return True
        del state.scopes[id]
        state.joins.pop(id, None)
        if not any(other.token == scope.token for other in state.scopes.values()):
            _end_loop(plan, state, scope.token)
        return True
    return False


def _end_loop(plan: Plan, state: RunState, token: str) -> None:
    """Continue the token of a loop after the end of its last item: to its node again, or through done."""
    loop = state.loops.pop(token)
    if loop.returns:
        state.rounds[token] = state.rounds.get(token, 0) + 1
        position = state.tokens[token]
        position.status = LIVE
        position.attempt = 1
    else:
        end_token(plan, state, token, "done")


def _follow(plan: Plan, state: RunState, node: str, scope: str, handle: str) -> None:
    """Begin a token for each edge from the handle of a node."""
    for target in plan.nodes[node].targets.get(handle, ()):
        state.add_token(target, scope)
