"""The benchmarks' program starts from a plain shell."""

from __future__ import annotations

import os
import subprocess
import sys

from django.conf import settings


def test_benchmarks_list_their_names_without_a_settings_module() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-m", "benchmarks", "--help"]
    started = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert started.returncode == 0, started.stderr
    assert "lead-page" in started.stdout
