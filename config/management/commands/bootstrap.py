"""Create a company with its owner, an active subscription and an API key, or find the existing one."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from config.bootstrap import Bootstrapped, bootstrap


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--company", required=True, help="the company's name")
        parser.add_argument("--email", required=True, help="the owner's email address, which they log in with")
        parser.add_argument(
            "--password", required=True, help="the owner's password afterwards; - reads it from standard input"
        )
        parser.add_argument("--name", default="", help="the owner's name; made from the address when it is left out")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, company: str, email: str, password: str, name: str, **options: Any) -> None:
        if password == "-":  # noqa: S105  it stands for standard input
            password = sys.stdin.readline().rstrip("\n")
        try:
            done = bootstrap(company_name=company, email=email, password=password, owner_name=name)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(as_json(done) if options["json"] else as_text(done))


def as_json(done: Bootstrapped) -> str:
    """Format the result as one line of JSON."""
    return json.dumps(
        {
            "companyId": done.company.pk,
            "memberId": done.member.pk,
            "userId": done.user.pk,
            "apiKey": done.api_key.key,
            "baseUrl": settings.BASE_URL,
            "email": done.user.email,
            "created": done.created,
            "passwordChanged": done.password_changed,
        }
    )


def as_text(done: Bootstrapped) -> str:
    """Format the result for people."""
    note = ", password changed" if done.password_changed else ""
    lines = [
        f"{'Made' if done.created else 'Found'} the company {done.company.name} ({done.company.pk})",
        f"Owner:    {done.user.email} (member {done.member.pk}, user {done.user.pk}){note}",
        f"API key:  {done.api_key.key}",
        f"Address:  {settings.BASE_URL}",
    ]
    return "\n".join(lines)
