"""Import a company's data from MongoDB's exports, with their ids (docs/predecessor.md). It can be repeated."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Company, Member
from core.ids import is_id
from core.tenancy import company_scope

SHOWN = 20
MISSING = "BSON cannot be read here yet: run pip install -r config/predecessor/requirements.txt"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="what mongodump or mongoexport wrote: .bson, .json, .jsonl, .gz")
        parser.add_argument("--company", required=True, metavar="ID", help="the company here that gets the data")
        parser.add_argument("--source-company", default="", metavar="ID", help="the company there, of several")
        parser.add_argument("--report", type=Path, metavar="FILE", help="write all problems to this CSV file")

    def handle(self, *, folder: Path, company: str, source_company: str, **options: Any) -> None:
        if find_spec("bson") is None:
            raise CommandError(MISSING)
        from config.predecessor.importing import import_folder  # noqa: PLC0415  needs the optional pymongo

        if not is_id(company) or not Company.objects.filter(pk=company).exists():
            raise CommandError(f"--company: there is no company {company}")
        _check(folder, source_company)
        with company_scope(company):
            owner = Member.objects.filter(status=Member.Status.OWNER).order_by("pk").first()
            if owner is None:
                raise CommandError("the company has no owner, whom the records would be of")
            report = import_folder(folder, actor_id=owner.pk, source_company=source_company)
        self.stdout.write(report.table())
        for problem in report.problems[:SHOWN]:
            where = f" {problem.field}" if problem.field else ""
            self.stdout.write(f"{problem.kind} {problem.id}{where}: {problem.text}")
        if len(report.problems) > SHOWN:
            self.stdout.write(f"and {len(report.problems) - SHOWN:,} more; --report FILE writes all of them")
        if options["report"]:
            report.write(options["report"])


def _check(folder: Path, source_company: str) -> None:
    """Raise CommandError for a folder without collections, and for one of several companies if none is named."""
    from config.predecessor.documents import Unreadable, collections_in  # noqa: PLC0415
    from config.predecessor.importing import companies_in  # noqa: PLC0415

    if not folder.is_dir():
        raise CommandError(f"{folder} is no folder")
    try:
        collections = collections_in(folder)
        companies = companies_in(folder) if collections and not source_company else set()
    except ValueError as error:
        raise CommandError(str(error)) from error
    except (Unreadable, OSError) as error:
        raise CommandError(f"a file cannot be read: {error}") from error
    if not collections:
        raise CommandError(f"{folder} has no collection that is imported, such as contacts.bson or contacts.json")
    if len(companies) > 1:
        raise CommandError(f"--source-company: name one of {', '.join(sorted(companies))}")
