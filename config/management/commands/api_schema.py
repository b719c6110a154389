"""Build the OpenAPI schema of this release for the web processes, and write it to a file for other programs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from config.api_docs.stored import KEY, WHOLE, build, read_stored


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, metavar="FILE", help="file to write the schema to")
        parser.add_argument("--part", choices=(KEY, WHOLE), default=KEY, help="key: operations of API keys alone")

    def handle(self, *, output: Path | None, part: str, **options: Any) -> None:
        build()
        document = read_stored(part)
        if output is not None and document is not None:
            output.write_bytes(document.content)
            self.stdout.write(f"{output}: {len(document.content):,} bytes")
