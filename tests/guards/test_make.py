"""The Makefile: a dry run only prints, whichever target it is asked for."""

from __future__ import annotations

import os
import re
import subprocess

from config.data_dir import PROJECT

RULE = re.compile(r"^([a-z-]+):.*## ", re.MULTILINE)


def test_a_dry_run_runs_nothing() -> None:
    """A command of BIN that ran would fail, and servers are started by one."""
    targets = RULE.findall((PROJECT / "Makefile").read_text())
    assert {"check", "test", "run", "bench"} <= {*targets}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    for target in targets:
        command = ["make", "-n", target, "BIN=/nonexistent/bin"]
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, ""), (target, done.stderr)
        assert done.stdout, target
        if target == "check":
            assert "/nonexistent/bin/python -m config.local.embedded run -- " in done.stdout
