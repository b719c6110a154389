"""The command import_predecessor without the optional package that reads BSON."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.management.commands import import_predecessor
from tests.kit.cast import Cast


def test_the_command_says_what_to_install(cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_predecessor, "find_spec", lambda name: None)
    with pytest.raises(CommandError, match="pip install -r config/predecessor/requirements.txt"):
        call_command("import_predecessor", str(tmp_path), company=cast.company.pk)
