"""One-line summaries of a workflow's steps from their settings, shown on cards and in lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from core.text.labels.counts import SPANS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.filters import WORDS, Choice
from core.web.flows.schemas import tree_state

MAX_SUMMARY_LENGTH = 64
"""Characters, which the two lines of a card hold."""
TEXTS = ("title", "subject", "prompt", "task", "text", "notes", "result")
"""Settings of which the first non-empty one describes a step."""
ACTIONS = {
    "create": gettext_lazy("Create"),
    "update": gettext_lazy("Change"),
    "upsert": gettext_lazy("Create or change"),
    "delete": gettext_lazy("Delete"),
}
"""Action on a record -> its summary."""
FIELD_ACTIONS = {
    "create": gettext_lazy("Create with %(fields)s"),
    "update": gettext_lazy("Change %(fields)s"),
    "upsert": gettext_lazy("Create or change %(fields)s"),
    "delete": gettext_lazy("Delete"),
}
"""Action on a record -> its summary with the fields that it sets."""
ANY = {"contact": gettext_lazy("any contact"), "lead": gettext_lazy("any lead")}
"""Panel -> summary of a search without conditions."""
CHANGES = {
    "add": gettext_lazy("Add %(names)s"),
    "remove": gettext_lazy("Remove %(names)s"),
    "set": gettext_lazy("Replace with %(names)s"),
}
"""Action on tags or a segment -> its summary."""
MORE = ngettext_lazy("%(count)s more", "%(count)s more")
CHOSEN = ngettext_lazy("%(count)s chosen", "%(count)s chosen")
BRACES = re.compile(r"\{\{\s*([\w.]+)[^}]*\}\}")


@dataclass
class Summaries:
    """Describes steps. `names` returns the names of a kind's ids, `panels` the conditions on records."""

    conditions: Sequence[Choice] = ()
    """Fields for conditions over a run."""
    panels: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    """Panel -> the fields for conditions on its records."""
    names: Callable[[str], Mapping[str, str]] = lambda kind: {}
    """Kind of choices -> id -> name."""
    events: Mapping[str, str] = field(default_factory=dict)
    """Kind of events -> its label."""

    def describe(self, node: Values) -> str:
        """Return the description of a step in a line; empty if its settings are incomplete."""
        config = node["data"].get("config")
        if not isinstance(config, Mapping):
            return ""
        tell = getattr(self, f"_{node['type']}", self._first_text)
        try:
            text = tell(config)
        except (KeyError, TypeError, ValueError, AttributeError):  # a draft may hold anything
            return ""
        return one_line(text)

    def trees(self, value: Any, choices: Sequence[Choice]) -> str:
        """Format conditions as readable text."""
        field_names = fields_of(value)
        every = tuple(WORDS)  # the API takes more operators than forms offer
        choices = [replace(choice, operators=every) for choice in choices if choice.name in field_names]
        others = field_names - {choice.name for choice in choices}
        choices += [Choice(path, path.rpartition(".")[2], every) for path in sorted(others)]
        state = tree_state(value, choices)
        kinds = {choice.label: choice.kind for choice in choices}
        phrases = [
            " ".join(map(str, filter(None, (chip.label, chip.operator, _value(chip.value, kinds.get(chip.label, ""))))))
            for chip in state.chips
        ]
        phrases += [_("more conditions")] if state.fixed or state.chip_groups else []
        return get_text_list(phrases, _("or")) if state.any else ", ".join(map(str, phrases))

    def _list_names(self, kind: str, ids: Sequence[Any]) -> str:
        """Write names, and how many more there are: gone, not to be read, or beyond the first of their kind."""
        names_by_id = self.names(kind)
        names = [names_by_id[id] for id in ids if id in names_by_id]
        more = len(ids) - len(names)
        rest = (MORE if names else CHOSEN).of(more) if more else ""
        return ", ".join(filter(None, (*names, rest)))

    def _first_text(self, config: Values) -> str:
        return next((str(config[name]) for name in TEXTS if config.get(name)), "")

    def _condition(self, config: Values) -> str:
        return self.trees(config.get("filter"), self.conditions)

    def _switch(self, config: Values) -> str:
        return ", ".join(str(case.get("label") or case["id"]) for case in config["cases"])

    def _split(self, config: Values) -> str:
        return ", ".join(f"{arm.get('label') or arm['id']} {arm.get('weight', 1)}" for arm in config["arms"])

    def _wait(self, config: Values) -> str:
        phrases = [span(config["for"])] if config.get("for") else []
        phrases += [_("until %(time)s") % {"time": config["until"]}] if config.get("until") else []
        window = config.get("window")
        if window:
            phrases.append(
                _("between %(start)s and %(end)s") % {"start": window["start"][:5], "end": window["end"][:5]}
            )
        if len(phrases) > 1:
            first, *others = phrases
            return _("%(first)s, then %(others)s") % {"first": first, "others": ", ".join(others)}
        return "".join(phrases)

    def _waitFor(self, config: Values) -> str:  # noqa: N802 (types of nodes are named so)
        return _("%(events)s, at most %(span)s") % {
            "events": self.events.get(config["event"], config["event"]),
            "span": span(config["timeout"]),
        }

    def _meetingTime(self, config: Values) -> str:  # noqa: N802
        length = span(config.get("for") or {"amount": 1, "unit": "days"})
        before = _("%(span)s before the start") % {"span": length}
        return _("%(span)s after the end") % {"span": length} if config.get("when") == "after" else before

    def _meetingResult(self, config: Values) -> str:  # noqa: N802
        length = span(config.get("timeout") or {"amount": 2, "unit": "days"})
        return _("At most %(span)s after the end") % {"span": length}

    def _loop(self, config: Values) -> str:
        return (
            self._condition(config)
            if config.get("mode") == "while"
            else _("each of %(items)s") % {"items": config["items"]}
        )

    def _set(self, config: Values) -> str:
        return ", ".join(f"{name}: {value}" for name, value in config["values"].items())

    def _tags(self, config: Values) -> str:
        return CHANGES[config.get("action", "add")] % {"names": self._list_names("tags", config["tags"])}

    def _segment(self, config: Values) -> str:
        return CHANGES[config.get("action", "add")] % {"names": self._list_names("segments", [config["segment"]])}

    def _assign(self, config: Values) -> str:
        kinds = (("members", "teamMember"), ("teams", "team"))
        return ", ".join(self._list_names(kind, [config[key]]) for kind, key in kinds if config.get(key))

    def _record(self, config: Values) -> str:
        stage = {"stage"} if config.get("stage") else set()
        names = ", ".join(dict.fromkeys([*(config.get("values") or {}), *stage]))
        action = config.get("action", "update")
        return FIELD_ACTIONS[action] % {"fields": names} if names else str(ACTIONS[action])

    _contact = _lead = _record

    def _find(self, config: Values) -> str:
        panel = config.get("panel", "contact")
        return self.trees(config.get("filter"), self.panels.get(panel, ())) or str(ANY[panel])

    def _mail(self, config: Values) -> str:
        return (
            self._list_names("templates", [config["template"]]) if config.get("template") else self._first_text(config)
        )

    def _workflow(self, config: Values) -> str:
        return self._list_names("workflows", [config["workflow"]])

    def _http(self, config: Values) -> str:
        return f"{config.get('method', 'GET')} {config['url']}"


def fields_of(tree: Any) -> set[str]:
    """Return the fields that conditions name, at any depth."""
    names = set()
    open = [tree]
    while open:
        condition = open.pop()
        if isinstance(condition, Mapping):
            if isinstance(condition.get("field"), str):
                names.add(condition["field"])
            conditions = condition.get("conditions")
            open += conditions if isinstance(conditions, list) else []
    return names


def one_line(text: str, most: int = MAX_SUMMARY_LENGTH) -> str:
    """Return a text in a line, with the names of expressions in the place of their braces."""
    line = " ".join(BRACES.sub(lambda match: f"‹{match[1].replace('.', ' ')}›", text[:1000]).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def span(value: Values) -> str:
    """Write a span of time, such as 2 days."""
    return SPANS[value["unit"]].of(int(value["amount"]))


def _value(text: str, kind: str) -> str:
    if kind == "number" and re.fullmatch(r"-?\d{4,15}", text):
        return f"{int(text):,}"
    return text
