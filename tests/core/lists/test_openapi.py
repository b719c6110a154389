"""The published parameters are the ones that are read, and their examples are good requests."""

from __future__ import annotations

from core.lists import LIST_PARAMETERS, tree
from core.lists.query import PARAMETERS
from tests.core.lists.helpers import FIELDS, parse


def examples(name: str) -> list[str]:
    parameter = next(parameter for parameter in LIST_PARAMETERS if parameter.name == name)
    return [example.value for example in parameter.examples]


def test_every_parameter_is_described() -> None:
    assert {parameter.name for parameter in LIST_PARAMETERS} == PARAMETERS
    assert [parameter.name for parameter in LIST_PARAMETERS if not parameter.description] == []


def test_examples_are_good_requests() -> None:
    for name in ("sortBy", "searchBy", "searchValue", "ids", "nids", "advancedFilters"):
        assert {parse(**{name: value}).paginated for value in examples(name)} == {False}
    assert [parse(sortBy="name,createdAt", sortOrder=value).sort_names for value in examples("sortOrder")] == [
        (("name", "asc"), ("createdAt", "desc"))
    ]
    assert [sorted(tree.load_json(value, "filters")) for value in examples("filters")] == [["isActive", "name"]]
    either, day = (tree.parse(value) for value in examples("advancedFilters"))
    assert len(either.conditions) == 2
    assert tree.tree_to_json(day)["conditions"][0]["timeZone"] == "Pacific/Auckland"
    assert FIELDS.filterable("createdAt", "advancedFilters").type == "date"
