"""Changes of a design's blocks, as the editor makes them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from outreach.messaging.email_templates.designs.edits import NEW, Editor, NoSuchBlock


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def editor() -> Editor:
    columns = {"type": "columns", "columns": [{"blocks": [text("c"), text("d")]}, {"blocks": [text("e")]}]}
    return Editor({"version": 1, "blocks": [text("a"), text("b"), columns, text("f")]})


def words(one: Editor) -> str:
    """Return the blocks as letters, columns in brackets."""
    shown = []
    for block in one.blocks:
        if block["type"] != "columns":
            shown.append(block.get("text", "?")[0])
            continue
        inner = ["".join(item.get("text", "?")[0] for item in column["blocks"]) for column in block["columns"]]
        shown.append(f"[{'|'.join(inner)}]")
    return "".join(shown)


@pytest.mark.parametrize(
    ("path", "by", "shown", "after"),
    [
        ("0", 1, "ba[cd|e]f", "1"),
        ("0", -1, "ab[cd|e]f", "0"),
        ("3", 1, "ab[cd|e]f", "3"),
        ("2", 1, "abf[cd|e]", "3"),
        ("2.0.0", 1, "ab[dc|e]f", "2.0.1"),
        ("2.0.1", 1, "ab[c|de]f", "2.1.0"),
        ("2.1.0", -1, "ab[cde|]f", "2.0.2"),
        ("2.1.0", 1, "ab[cd|]ef", "3"),
        ("2.0.0", -1, "abc[d|e]f", "2"),
    ],
)
def test_moves(path: str, by: int, shown: str, after: str) -> None:
    one = editor()
    assert (one.move(path, by), words(one)) == (after, shown)
    assert one.exists(after)


@pytest.mark.parametrize(
    ("path", "kind", "shown", "after"),
    [
        ("", "text", "ab[cd|e]fW", "4"),
        ("0", "text", "aWb[cd|e]f", "1"),
        ("2.1", "text", "ab[cd|eW]f", "2.1.1"),
        ("2.0.0", "text", "ab[cWd|e]f", "2.0.1"),
        ("2.0.0", "columns", "ab[cd|e][|]f", "3"),
        ("2.0", "divider", "ab[cd?|e]f", "2.0.2"),
    ],
)
def test_additions(path: str, kind: str, shown: str, after: str) -> None:
    one = editor()
    assert (one.add(path, kind), words(one)) == (after, shown)


def test_copies_and_removals() -> None:
    one = editor()
    assert (one.duplicate("2.0.1"), words(one)) == ("2.0.2", "ab[cdd|e]f")
    assert (one.remove("2.1.0"), words(one)) == ("2.1", "ab[cdd|]f")
    assert (one.remove("3"), words(one)) == ("2", "ab[cdd|]")
    assert (one.duplicate("2"), words(one)) == ("3", "ab[cdd|][cdd|]")
    one.blocks[3]["columns"][0]["blocks"][0]["text"] = "x"
    assert words(one) == "ab[cdd|][xdd|]"
    one.resize("2", 3)
    assert words(one) == "ab[cdd||][xdd|]"
    one.blocks[2]["columns"][2]["blocks"].append(text("z"))
    one.resize("2", 2)
    assert words(one) == "ab[cdd|z][xdd|]"


@pytest.mark.parametrize("path", ["9", "0.0.0", "2.5", "2.0.9", "x", "-1", "1.2.3.4", "9999999", "2.0.0.0", "²", "0."])
def test_paths_that_lead_nowhere(path: str) -> None:
    one = editor()
    assert not one.exists(path)
    for change in (one.remove, one.duplicate, one.block, lambda place: one.move(place, 1)):
        with pytest.raises(NoSuchBlock):
            change(path)
    with pytest.raises(NoSuchBlock):
        one.add("0", "nothing")


@pytest.mark.parametrize(
    "value", [None, [], "x", {"blocks": {}}, {"blocks": [1, None, {"type": "columns", "columns": [1]}]}]
)
def test_anything_a_form_sends_can_be_opened(value: Any) -> None:
    one = Editor(value)
    for path in ("0", "0.0", "0.0.0", ""):
        one.exists(path)
    assert one.add("", "text") == str(len(one.blocks) - 1)


def test_any_series_of_changes_keeps_all_paths_right() -> None:
    chance = random.Random(7)
    one = editor()
    paths = [""]
    for _ in range(500):
        path = chance.choice(paths)
        change = chance.choice(["add", "move", "duplicate", "remove", "add"])
        try:
            if change == "add":
                after = one.add(path, chance.choice(list(NEW)))
            elif change == "move":
                after = one.move(path, chance.choice([1, -1]))
            else:
                after = getattr(one, change)(path)
        except NoSuchBlock:
            continue
        assert after == "" or one.exists(after)
        paths = [str(number) for number in range(len(one.blocks))] + ["", "0.0", "1.1", "2.0.0", "3.1.0", "1.0.1"]
        assert all(block["type"] in NEW for block in one.blocks)
