"""Labels in dictionaries are marked for translation, wherever a module keeps them."""

from __future__ import annotations

import ast
import re

import pytest

from config.data_dir import PROJECT
from tests.guards.test_visible_words import APPS

LABEL = re.compile(r"[A-Z][a-z’']+(?: .*)?|[a-z’']+ [a-z’']+.*", re.DOTALL)
UNREAD = {"migrations", "gateway_standin", "adapters", "providers", "serializers"}
"""Folders whose texts are for other systems, and the texts of outreach itself."""
ALLOWED = {
    "accounts/programs/services.py": "details of errors, for programs",
    "billing/gateways/registry.py": "names of gateways",
    "core/api/refusals.py": "the API's documentation, which is in English",
    "core/messages/defaults.py": "texts that staff change in the back office",
    "core/messages/successes.py": "texts that staff change in the back office",
    "core/text/labels/networks.py": "names of social networks",
    "crm/imports/readers/vcard.py": "columns of a file that is read",
    "crm/imports/readers/workbook.py": "details of errors, for programs",
    "crm/segments/services.py": "names of models",
    "outreach/connections/ai/languages.py": "names by which prompts call languages",
    "outreach/connections/mail_vendors/vendors/ses.py": "fields of a signed text",
    "outreach/messaging/email_templates/design_forms.py": "names of fonts",
    "outreach/messaging/email_templates/designs/blocks.py": "texts of errors of the API, which are in English",
    "outreach/messaging/email_templates/services.py": "a contact for previews",
    "outreach/messaging/inbox/analysis/absences.py": "words by which automatic replies are known",
    "outreach/messaging/delivery/unsubscribing/words.py": "a page in the recipient's language, which has its own texts",
    "outreach/runs/genie/writing/samples.py": "a contact for samples of texts",
}
"""Module -> reason why its labels are not marked."""
MODULES = sorted(
    path for app in APPS for path in (PROJECT / app).rglob("*.py") if not UNREAD & {*path.parts, path.stem}
)


def unmarked(source: str) -> list[str]:
    """Return the labels in dictionaries that no translator finds. One label is a value, not a dictionary of labels."""
    labels = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Dict):
            continue
        values = [part for value in node.values for part in (value.elts if isinstance(value, ast.Tuple) else [value])]
        texts = [part.value for part in values if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        found = [text for text in texts if LABEL.fullmatch(text)]
        labels += found if len(found) > 1 and 2 * len(found) >= len(texts) else []
    return labels


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('STATES = {"open": "Open", "done": "Completed"}', ["Open", "Completed"]),
        ('STATES = {"open": ("waits for it", "info"), "done": ("Completed", "ok")}', ["waits for it", "Completed"]),
        ('STATES = {"open": _("Open"), "done": gettext_lazy("Completed")}', []),
        ('HEADERS = {"Retry-After": "5", "Accept": "text/html"}', []),
        ('values = {"name": "Ann", "status": "open"}', []),
    ],
)
def test_unmarked_labels_are_found(source: str, expected: list[str]) -> None:
    assert unmarked(source) == expected


def test_labels_in_dictionaries_are_marked() -> None:
    assert len(MODULES) > 1000
    found = {
        path.relative_to(PROJECT).as_posix(): labels
        for path in MODULES
        if (labels := unmarked(path.read_text(encoding="utf-8")))
    }
    assert {module: labels for module, labels in found.items() if module not in ALLOWED} == {}
    assert ALLOWED.keys() - found.keys() == set(), "these have no such labels any more"
