"""Command line of the supervisor: python -m config.local.supervisor [--no-demo]."""

from __future__ import annotations

import argparse
import os
import sys

from config.data_dir import data_dir
from config.local.embedded import EmbeddedServerError
from config.local.supervisor.options import UnusableError, read_options
from config.local.supervisor.programs import plan
from config.local.supervisor.supervisor import Supervisor


def main() -> int:
    """Run until stopped. Returns 0 after a clean stop, 1 if it couldn't start."""
    parser = argparse.ArgumentParser(
        prog="python -m config.local.supervisor", description="Run Leadwright in the foreground."
    )
    parser.add_argument("--no-demo", action="store_true", help="without the demo company and its mail catcher")
    arguments = parser.parse_args()
    try:
        options = read_options(os.environ, data=data_dir(), demo=not arguments.no_demo)
        return Supervisor(options, plan(options), os.environ).run()
    except (UnusableError, EmbeddedServerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
