"""Names of functions, classes, modules and constants that say nothing to readers from this field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT

PRODUCT = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config")
PACKAGES = (*PRODUCT, "benchmarks", "tests")
BANNED = {
    "give_back": "release, refund, requeue",
    "put_back": "restore",
    "take": "claim, reserve, consume, pop, read",
    "look": "check, refresh, style",
    "look_at": "check",
    "room": "capacity, remaining",
    "Door": "EntryPoint",
    "Facts": "the record that it holds",
    "KINDS": "the kinds of what: EVENT_KINDS, FIELD_TYPES",
}
"""Name, with or without underscores before it -> words to use instead. Nowhere, tests included."""
BANNED_IN_PRODUCT = {
    "Told": "ProviderEvent",
    "Said": "PaymentState, BotReply",
    "Begun": "CheckoutSession",
    "Unsure": "AmbiguousOutcome",
    "Fact": "PaymentUpdate",
    "House": "CompanyContext",
    "Wave": "NodeBatch",
    "Arrived": "ResumeEvent",
    "Sought": "SearchCriteria",
    "Deed": "Action",
    "DEEDS": "ACTIONS",
    "deed": "action",
    "told": "to_json, params, enqueued",
    "said": "label, text, state",
    "say": "send",
    "news": "changes",
    "NEWS": "a list of listeners",
    "TOLD": "params",
    "LOOKS": "POLL_DELAYS",
    "reckon": "compute",
    "doubt": "record_ambiguous",
    "taking": "services",
    "saying": "outgoing",
    "making": "creation",
    "joining": "enrolment",
    "settling": "settlement",
    "chores": "timeouts",
    "waves": "batches",
    "doubts": "uncertain",
    "Among": "InSubquery",
    "Either": "AnyCondition",
    "Hider": "Redactor",
    "written_back": "strip_echoed_fields",
    "take_away": "delete",
    "trial_back": "released_trial_values",
    "what_of": "invoice_subject",
    "tell_given_up": "report_abandoned_calls",
    "AT_ONCE": "MAX_BATCH, MAX_CALLS",
    "By": "Grouping",
    "take_in": "store_incoming",
    "came_back": "oauth_callback",
    "give_slot_back": "release_slot",
    "count_left": "count_skipped",
    "untold": "unreported_outcomes",
    "asking": "ambiguous_on_error",
    "why": "queue_reason",
    "Turns": "StartReservations",
    "Made": "CallResult",
    "insist": "retry_until_available",
    "strictest": "merge_with",
    "mends": "can_fix_rows",
    "lets": "may_on_any_channel",
    "serves": "is_served_path",
    "heeds_stop": "honours_stop",
    "still_theirs": "is_same_person",
    "standing": "lock_active",
    "whose_turn": "next_member",
    "go_by": "use_sender",
    "begin_with": "apply_template",
    "dressed": "themed_column",
    "has_turn": "can_start_now",
    "take_money": "apply_received_money",
    "given_up_by": "forfeited_amount",
    "the_seller": "get_seller",
    "TOGETHER": "PAUSED_TOGETHER",
    "GOING": "ACTIVE_STATUSES",
    "doubt_due": "mark_due_unknown",
    "as_owner": "use_owner_role",
    "going_entitlement": "automation_entitlement",
    "says_itself": "has_own_parameters",
    "list_here": "list_url",
    "nothing_here": "page_not_found",
    "to_try_again": "retryable_refusal",
}
"""The same in product code. A model's field may keep its column's name."""
BANNED_PREFIXES = {"MOST": "MAX_", "LONGEST": "MAX_", "LARGEST": "MAX_", "FEWEST": "MIN_", "SHORTEST": "MIN_"}
BANNED_SUFFIXES = {"_AT_ONCE": "MAX_BATCH_…, MAX_CONCURRENT_…", "_anew": "restart_…, rewrite_…, reset_…"}
BANNED_LOCALS = {
    "house": "context",
    "wave": "batch",
    "trouble": "error, problem",
    "doubt": "error, is_uncertain",
    "again": "the values that it holds",
    "why": "reason",
    "either": "the condition that it holds",
    "made": "the record that it holds",
    "told": "answer, params",
}
"""Names of locals, parameters and caught exceptions -> words to use instead."""
BANNED_IN_SCRIPTS = {
    "one": "query, element, field",
    "found": "data, source, the element that it holds",
    "made": "element, copy, createElement",
    "told": "data, message",
    "said": "message, label",
    "words": "message, text, terms",
    "kept": "the values that it holds",
    "deed": "action",
    "deeds": "actions",
    "say": "announce",
    "written": "serialize",
    "trouble": "error, alert",
    "sift": "filter",
}
"""Identifiers and members of our scripts, with or without underscores before them -> words to use instead."""
LOOP = re.compile(r"\{%\s*for ([\w, ]+) in ")
BANNED_IN_LOOPS = frozenset({"one", "found", "made", "page", "reader"})
"""Loop variables of templates that say nothing, or hide the page and its reader, which tags read."""
SCRIPTS = ("core/static", "outreach/chat/widgets")
NO_CODE = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*.*?\*/|(?<!:)//[^\n]*""", re.DOTALL)
"""Strings and comments of a script."""
IDENTIFIER = re.compile(r"(?<![-\w$])[#_]*([A-Za-z][\w$]*)(?![-\w$])")

WITHOUT_PARTICIPLES = ("accounts", "billing", "config", "workflows")
"""Packages whose functions are named by what they do or return, and never by a lone participle or preposition."""
BARE_WORDS = re.compile(
    r"after|again|as|at|before|begun|beside|between|by|each|found|for|from|given|gone|going|held|here|inside|kept|known"
    r"|later|left|lost|made|nth|of|on|one|only|ours|out|own|seen|sent|shown|somebody|something|spoken|taken|there|told"
    r"|under|whole|with|within|without|written|[^\W_]+ed"
)
BARE_ALLOWED = {"again", "feed", "need", "owed", "seed", "shown", "speed", "stored", "used", "verified"}
"""Verbs, hooks of core, actions and columns of the back office, and fields of the API."""

Name = tuple[int, str]


def names_of(source: str) -> Iterator[Name]:
    """Yield (line, name) of the functions, methods, classes and module constants of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for part in ast.walk(target) if target is not None else ():
                if isinstance(part, ast.Name):
                    yield node.lineno, part.id


def locals_of(source: str) -> Iterator[Name]:
    """Yield (line, name) of the parameters, variables and caught exceptions in functions."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.Lambda))
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                yield node.lineno, node.arg
            elif isinstance(node, ast.ExceptHandler) and node.name:
                yield node.lineno, node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.lineno, node.id


def better(name: str, *, package: str) -> str:
    """Return the words to use instead of a name; empty if it is not banned."""
    bare = name.lstrip("_")
    prefix = bare.split("_")[0] if bare.isupper() else ""
    words = BANNED.get(bare, "")
    if package in PRODUCT:
        words = words or BANNED_IN_PRODUCT.get(bare) or BANNED_PREFIXES.get(prefix, "")
        words = words or next((use for end, use in BANNED_SUFFIXES.items() if bare.endswith(end)), "")
    return words


def banned(path: Path, source: str) -> list[str]:
    """Return the places of banned names in a file, with the words to use instead."""
    package = path.parts[0]
    names = [(1, part) for part in (*path.parts[:-1], path.stem)]
    names += names_of(source)
    words = [(line, name, better(name, package=package)) for line, name in names]
    if package in PRODUCT and "migrations" not in path.parts:
        words += [(line, name, BANNED_LOCALS.get(name, "")) for line, name in dict.fromkeys(locals_of(source))]
    return [f"{path}:{line}: {name}; use {word}" for line, name, word in words if word]


def banned_in_script(path: Path, source: str) -> list[str]:
    """Return the places of banned names in a script, with the words to use instead."""
    code = NO_CODE.sub(lambda match: "\n" * match[0].count("\n"), source)
    places = []
    for number, line in enumerate(code.splitlines(), 1):
        names = dict.fromkeys(IDENTIFIER.findall(line))
        places += [f"{path}:{number}: {name}; use {use}" for name in names if (use := BANNED_IN_SCRIPTS.get(name))]
    return places


def bare_functions(path: Path, source: str) -> list[str]:
    """Return the places of functions in a file that are named by a lone participle or preposition."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    names = [(node.lineno, node.name.strip("_")) for node in functions if not node.name.startswith("__")]
    return [f"{path}:{line}: {name}" for line, name in names if is_bare(name)]


def is_bare(name: str) -> bool:
    """Return whether a name without underscores around it is a lone participle or preposition."""
    return bool(BARE_WORDS.fullmatch(name)) and name not in BARE_ALLOWED


def test_functions_are_named_by_verbs_and_nouns() -> None:
    paths = [path for package in WITHOUT_PARTICIPLES for path in (PROJECT / package).rglob("*.py")]
    assert len(paths) > 400
    places = [place for path in paths for place in bare_functions(path.relative_to(PROJECT), path.read_text())]
    assert places == []


@pytest.mark.parametrize("name", ["_named", "shipped", "of", "_before", "sent", "whole"])
def test_each_bare_name_is_seen(name: str) -> None:
    assert len(bare_functions(Path("crm/b.py"), f"class A:\n    def {name}(self): ...")) == 1


@pytest.mark.parametrize("name", ["due", "seed", "from_fields", "read", "__exit__", "is_closed", "shown_fields"])
def test_other_names_of_functions_are_none(name: str) -> None:
    assert bare_functions(Path("crm/b.py"), f"def {name}(): ...") == []


def test_banned_names_are_nowhere() -> None:
    paths = [path for package in PACKAGES for path in (PROJECT / package).rglob("*.py")]
    assert len(paths) > 1000
    places = [place for path in paths for place in banned(path.relative_to(PROJECT), path.read_text())]
    assert places == []


def test_banned_names_are_in_no_script() -> None:
    paths = [path for folder in SCRIPTS for path in (PROJECT / folder).rglob("*.js") if "vendor" not in path.parts]
    assert len(paths) > 15
    places = [place for path in paths for place in banned_in_script(path.relative_to(PROJECT), path.read_text())]
    assert places == []


def banned_loops(source: str) -> list[str]:
    """Return the banned loop variables of a template."""
    names = [name.strip() for match in LOOP.finditer(source) for name in match[1].split(",")]
    return [name for name in names if name in BANNED_IN_LOOPS]


def test_loops_of_templates_name_their_records() -> None:
    paths = [path for path in (PROJECT / "templates").rglob("*") if path.suffix in (".html", ".txt")]
    assert len(paths) > 200
    assert [(str(path), name) for path in paths for name in banned_loops(path.read_text())] == []
    assert banned_loops("{% for one in a %}{% for text, found in b %}{% for stage in c %}") == ["one", "found"]


@pytest.mark.parametrize(
    "source",
    [
        "const one = 1;",
        "items.map((found) => found.id)",
        "class A { _say(text) {} }",
        "class A { #written() {} }",
        "this._say(1);",
        "const { made, text } = window.x;",
        "for (const words of lines) {}",
    ],
)
def test_each_kind_of_name_is_seen_in_scripts(source: str) -> None:
    assert len(banned_in_script(Path("a.js"), source)) == 1


def test_strings_and_comments_of_scripts_are_no_names() -> None:
    source = """
    // No one said it twice.
    /* Nor was it
       found */ query(".trouble", page, 'one'); // https://example.org/one
    const address = "https://example.org/one", oneLine = saidOnce;
    """
    assert banned_in_script(Path("a.js"), source) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a/b.py", "def take(): ..."),
        ("a/b.py", "class A:\n    async def _look(self): ..."),
        ("a/b.py", "class Door: ..."),
        ("a/b.py", "KINDS: tuple = ()"),
        ("a/b.py", "_room = 1"),
        ("a/look.py", ""),
        ("look/b.py", ""),
        ("core/b.py", "class Wave: ..."),
        ("core/b.py", "MOST_ROWS = 5"),
        ("core/b.py", "FEW, LONGEST = 1, 5"),
        ("crm/x/settling.py", ""),
        ("core/b.py", "LARGEST_CALL = 5"),
        ("workflows/b.py", "def run(wave): ..."),
        ("billing/b.py", "def run():\n    try: ...\n    except ValueError as trouble: ..."),
        ("core/b.py", "def run():\n    for again in (): ..."),
        ("core/b.py", "f = lambda why: 1"),
        ("workflows/b.py", "def run(house): ..."),
        ("core/b.py", "ROWS_AT_ONCE = 5"),
        ("core/b.py", "class A:\n    def _search_anew(self): ..."),
    ],
)
def test_each_kind_of_name_is_seen(path: str, source: str) -> None:
    assert len(banned(Path(path), source)) == 1


def test_other_uses_of_the_words_are_none() -> None:
    assert banned(Path("a/b.py"), "def give(take):\n    look = take.room\n    return look\nBOOKS = 1") == []
    assert banned(Path("tests/b.py"), "def told(): ...\nMOST = 1") == []
    assert banned(Path("tests/b.py"), "SHORTEST = 1\ndef run(wave): ...") == []
    assert banned(Path("core/b.py"), "class Form:\n    again = 1\ndef run(batch): ...") == []
