"""A bulk request that selects nothing: the error's name is that of its kind in the catalogue, where there is one."""

from __future__ import annotations

import re

import pytest

from core.api.selection import SelectionInput
from core.messages.defaults import FAILURES
from tests.guards.routes import operations
from tests.kit.cast import Caller, Cast

EMPTYING = {"file/recycle-bin"}
"""Without a selection its DELETE empties it, as the contract says."""
NAMED = {
    "apps/smtp": "NoSMTPSelected_400",
    "campaign": "NoCampaignSelected_400",
    "chat-widget": "NoChatWidgetSelected_400",
    "custom-section": "NoCustomSectionSelected_400",
    "form": "NoFormSelected_400",
    "team": "NoTeamSelected_400",
    **{f"apps/mailvendor-{letter}": f"NoMailvendor{letter.upper()}Selected_400" for letter in "abdefgh"},
}


def test_every_name_of_the_catalogue_has_its_place() -> None:
    assert {name for name in FAILURES if re.fullmatch(r"No\w+Selected_400", name)} == {*NAMED.values()}


@pytest.mark.parametrize("mount", ["api/key/protected/", "api/protected/"])
def test_an_empty_selection_is_refused_by_its_name(cast: Cast, mount: str, subtests: pytest.Subtests) -> None:
    caller = Caller("", cast.key.headers if "key" in mount else cast.session.headers)
    seen = set()
    for operation in operations(mount):
        schema = operation.endpoint.input
        path = operation.path.removeprefix(mount)
        if schema is None or not issubclass(schema, SelectionInput) or operation.parameters or path in EMPTYING:
            continue
        with subtests.test(str(operation)):
            for body in ({"ids": []}, {}, {"selectAll": False, "nids": ["f" * 24]}):
                answer = caller.call(operation.method, f"/{operation.path}", body)
                assert answer.status in (400, 404), answer.body
                if path in NAMED and operation.method == "DELETE":
                    assert answer.body["name"] == NAMED[path], answer.body
                    seen.add(path)
    assert seen == NAMED.keys()
