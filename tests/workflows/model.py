"""A plain interpreter of graphs, to hold the engine's against, and random graphs for both.

It goes through a graph in topological order, once, and knows no tokens. Both share nothing but the outcomes of nodes,
which are hashes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
from collections import Counter

from workflows.engine import interpreter
from workflows.engine.run_state import WAIT, RunState
from workflows.graphs.plan import Node, Plan
from workflows.graphs.settings import ErrorPolicy, WorkflowConfig
from workflows.nodes.base import Outcome
from workflows.nodes.logic import JoinConfig
from workflows.nodes.registry import NODE_TYPES

Edges = list[tuple[str, str, str]]
ASK = dataclasses.replace(NODE_TYPES["wait"], resume=lambda batch: None)
"""A wait whose node is told of its end."""
LOOPS = ("loop", "parallel", "while")
MOST = 2000
"""Graphs with more executions are left out."""


def chance(seed: int, node: str) -> int:
    """Return the outcome of a node in a run."""
    return int(hashlib.sha256(f"{seed}/{node}".encode()).hexdigest()[:8], 16)


def handle_of(seed: int, node: str, type: str) -> str:
    if type == "condition":
        return "true" if chance(seed, node) % 2 else "false"
    return "error" if type == "fails" and chance(seed, node) % 2 else "out"


def expected(types: dict[str, str], order: dict[str, int], edges: Edges, seed: int, first: list[str]) -> Counter[str]:
    """Return how often each node runs, from the given nodes on."""
    found: Counter[str] = Counter()
    arrived = Counter(first)
    for id in sorted(types, key=lambda one: order[one]):
        for _ in range(min(arrived[id], 1) if types[id] == "join" else arrived[id]):
            found[id] += 1
            handle = handle_of(seed, id, types[id])
            if types[id] in LOOPS:
                body = [target for source, name, target in edges if (source, name) == (id, "item")]
                rounds = chance(seed, id) % 4 if body else 0
                found[id] += rounds if types[id] == "while" else 0
                for _ in range(rounds):
                    found += expected(types, order, edges, seed, body)
                handle = "done"
            arrived.update(target for source, name, target in edges if (source, name) == (id, handle))
    return found


def random_graph(rnd: random.Random) -> tuple[dict[str, str], Edges]:
    """Return nodes (id -> type) and edges with forks, joins, waits of two kinds, errors and loops inside loops."""
    types: dict[str, str] = {}
    edges: Edges = []
    _grow(rnd, types, edges, 0, rnd.randint(4, 16), "n")
    return types, edges


def _grow(rnd: random.Random, types: dict[str, str], edges: Edges, depth: int, size: int, prefix: str) -> str:
    ids = [f"{prefix}{place}" for place in range(size)]
    for place, id in enumerate(ids):
        weights = [4, 3, 3, 1, 1, 1, 1 if depth < 2 else 0]
        kind = rnd.choices(["set", "condition", "join", "wait", "ask", "fails", "loop"], weights)[0] if place else "set"
        kind = rnd.choice(LOOPS) if kind == "loop" else kind
        types[id] = kind
        loops = {one: ["done"] for one in LOOPS}
        handles = {"condition": ["true", "false"], "fails": ["out", "error"], **loops}.get(kind, ["out"])
        later = ids[place + 1 :]
        for handle in handles:
            for target in rnd.sample(later, min(len(later), rnd.choice([1, 1, 1, 2, 2, 3]))):
                edges.append((id, handle, target))
        if kind in LOOPS:
            edges.append((id, "item", _grow(rnd, types, edges, depth + 1, rnd.randint(1, 4), f"{id}-")))
    return ids[0]


def plan_of(types: dict[str, str], edges: Edges) -> Plan:
    """Return the plan of a random graph, without the checks that published ones go through."""
    nodes = {}
    for id, kind in types.items():
        named = "loop" if kind in LOOPS else "set" if kind == "fails" else kind
        type = ASK if kind == "ask" else NODE_TYPES[named]
        policy = ErrorPolicy(then="branch") if kind == "fails" else ErrorPolicy()
        nodes[id] = Node(id, type, JoinConfig() if kind == "join" else None, policy)
    for source, handle, target in edges:
        nodes[source].targets.setdefault(handle, []).append(target)
    order: list[str] = []

    def visit(id: str) -> None:
        if id not in order:
            for targets in nodes[id].targets.values():
                for target in targets:
                    visit(target)
            order.append(id)

    for id in nodes:
        visit(id)
    for place, id in enumerate(order):
        after = [target for targets in nodes[id].targets.values() for target in targets]
        nodes[id].order = len(order) - place
        nodes[id].reach = frozenset(after).union(*(nodes[target].reach for target in after))
    return Plan(nodes, next(iter(nodes)), WorkflowConfig())


def trial(seed: int) -> tuple[int, int]:
    """Run a random graph in slices, of which some are lost, and hold the result against the plain interpreter.

    Returns the numbers of executions and of lost slices.
    """
    rnd = random.Random(seed)
    types, edges = random_graph(rnd)
    plan = plan_of(types, edges)
    order = {id: node.order for id, node in plan.nodes.items()}
    wanted = expected(types, order, edges, seed, [plan.trigger])
    if wanted.total() > MOST:
        return 0, 0
    saved = json.dumps(interpreter.begin(plan).to_json())
    done: list[tuple[str, int]] = []
    lost = 0
    for _ in range(100 * MOST):
        state = RunState.from_json(json.loads(saved))
        log = _slice(plan, types, state, seed, rnd)
        if rnd.random() < 0.25:
            lost += 1  # the worker was killed before its commit
            continue
        saved = json.dumps(state.to_json())
        done += log
        if state.is_over():
            break
    assert len(set(done)) == len(done), f"{seed}: a visit came twice"
    found = Counter(id for id, _ in done)
    assert found == wanted, f"{seed}: {found - wanted} too often, {wanted - found} too seldom"
    return len(done), lost


def _slice(plan: Plan, types: dict[str, str], state: RunState, seed: int, rnd: random.Random) -> list[tuple[str, int]]:
    """Move the run a few steps. Returns the visits."""
    log: list[tuple[str, int]] = []
    waiting = [id for id, token in state.tokens.items() if token.status == WAIT]
    for token in waiting:
        if rnd.random() < 0.6:
            interpreter.wake(plan, state, token)
    for _ in range(rnd.randint(1, 6)):
        log += [(fired.node.id, fired.number) for fired in interpreter.settle(plan, state)]
        live = state.live_tokens()
        if not live:
            break
        seen = interpreter.start_visit(plan, state, rnd.choice(live))
        if types[seen.node.id] != "ask" or seen.arrived is not None:
            log.append((seen.node.id, seen.number))
        _step(plan, types[seen.node.id], state, seen, seed)
    return log


def _step(plan: Plan, kind: str, state: RunState, seen: interpreter.Visit, seed: int) -> None:
    handle = handle_of(seed, seen.node.id, kind)
    if handle == "error":
        interpreter.fail(plan, state, seen, retry=False)
    elif kind == "wait" or (kind == "ask" and seen.arrived is None):
        interpreter.advance(plan, state, seen, Outcome("waiting"))
    elif kind in LOOPS:
        interpreter.advance(plan, state, seen, _loop(kind, chance(seed, seen.node.id) % 4, state, seen.token))
    else:
        interpreter.advance(plan, state, seen, Outcome(handle=handle))


def _loop(kind: str, rounds: int, state: RunState, token: str) -> Outcome:
    """Return what a loop goes over: a list, two at once, or one more round."""
    if kind == "while":
        done = state.rounds.get(token, 0)
        return Outcome(items=[done] if done < rounds else None, loops_back=True)
    return Outcome(items=list(range(rounds)), parallel=2 if kind == "parallel" else 1)
