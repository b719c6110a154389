"""Store the API keys of an earlier service, so that its clients go on with them (docs/predecessor.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.api_keys.services import import_keys
from accounts.models import Company, Member
from core.ids import is_id
from core.tenancy import company_scope


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a text file with one key a line; - reads standard input")
        parser.add_argument("--company", required=True, metavar="ID", help="the company's _id")
        parser.add_argument("--member", default="", metavar="EMAIL", help="who the keys stand for; default: an owner")

    def handle(self, *, file: str, company: str, member: str, **options: Any) -> None:
        if not is_id(company) or not Company.objects.filter(pk=company).exists():
            raise CommandError(f"--company: there is no company {company}")
        try:
            lines = (sys.stdin.read() if file == "-" else Path(file).read_text()).splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
        with company_scope(company):
            done = import_keys(lines, member_id=_member(member))
        for number, problem in done.refused:
            self.stderr.write(f"line {number}: {problem}")
        self.stdout.write(f"{done.added} keys added, {done.known} known already, {len(done.refused)} refused")


def _member(email: str) -> str:
    """Return the _id of the member with this address, or of the company's first owner."""
    active = Member.objects.filter(status__in=(Member.Status.OWNER, Member.Status.ACCEPTED))
    rows = active.filter(user__email__iexact=email) if email else active.filter(status=Member.Status.OWNER)
    id = rows.order_by("pk").values_list("pk", flat=True).first()
    if id is None:
        raise CommandError(f"--member: the company has no active member {email}" if email else "it has no owner")
    return str(id)
