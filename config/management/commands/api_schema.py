"""Build the OpenAPI schema of this release, for the web processes or as a file to generate clients from."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from config.api_docs.stored import KEY, build, stored


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--key-path", type=Path, metavar="FILE", help="write the part that an API key reaches")

    def handle(self, *, key_path: Path | None, **options: Any) -> None:
        build()
        found = stored(KEY)
        if key_path is not None and found is not None:
            key_path.write_bytes(found.content)
            self.stdout.write(f"{key_path}: {len(found.content):,} bytes")
