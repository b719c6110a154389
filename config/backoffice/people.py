"""The search over the people of all companies, on the back office's first page."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from accounts.models import Company, Member, User
from core.backoffice.columns import choice_text
from core.backoffice.panels import list_address, render_link, render_table
from core.backoffice.search import MAX_SEARCH_LENGTH, rows_in_time

FIELD = "person"
MIN_LENGTH = 3
"""Characters of a term, so that a search does not list everybody."""
MAX_ROWS = 20
"""The most members, and the most accounts without a company, of an answer."""


def people_search(request: HttpRequest) -> SafeString | None:
    """Render the search and the people that it matches; None for staff who may see neither members nor accounts."""
    may = request.user.has_perm
    if not may("accounts.view_member") and not may("accounts.view_user"):
        return None
    term = " ".join(request.GET.get(FIELD, "").split())[:MAX_SEARCH_LENGTH]
    answer = _answer(request, term) if len(term) >= MIN_LENGTH else ""
    return render_to_string(
        "admin/people_search.html", {"field": FIELD, "term": term, "answer": answer, "min_length": MIN_LENGTH}
    )


def _answer(request: HttpRequest, term: str) -> SafeString:
    may = request.user.has_perm
    members = rows_in_time(_members(term)) if may("accounts.view_member") else []
    accounts = rows_in_time(_accounts(term)) if may("accounts.view_user") else []
    if members is None or accounts is None:
        return render_table((), (), empty=gettext("The search took too long. Enter the full email address."))
    rows = [
        (
            _person(request, member),
            member.email,
            _company(request, member.company),
            choice_text(member, "status"),
        )
        for member in members
    ]
    rows += [
        (render_link(account, str(account.name or account.email)), account.email, "–", "–") for account in accounts
    ]
    headers = (gettext("Person"), gettext("Email"), gettext("Company"), gettext("Status"))
    more = list_address(Member, q=term) if len(members) == MAX_ROWS else ""
    return render_table(headers, rows, more=more, empty=gettext("No people found."))


def _members(term: str) -> QuerySet[Any]:
    """Return members by their own names and addresses, those of their accounts, and the names of their companies."""
    matching = Q(email__icontains=term) | Q(name__icontains=term) | Q(company__name__icontains=term)
    of_account = Q(user__email__icontains=term) | Q(user__name__icontains=term)
    rows: QuerySet[Any] = Member.objects.filter(matching | of_account).select_related("company", "user")
    return rows.order_by("-pk")[:MAX_ROWS]


def _accounts(term: str) -> QuerySet[Any]:
    """Return accounts that belong to no company."""
    rows = User.objects.filter(Q(email__icontains=term) | Q(name__icontains=term))
    return rows.filter(~Exists(Member.objects.filter(user=OuterRef("pk")))).order_by("-pk")[:MAX_ROWS]


def _person(request: HttpRequest, member: Member) -> SafeString | str:
    """Link to the account where the staff member may see it, otherwise to the membership."""
    account = member.user if request.user.has_perm("accounts.view_user") else None
    return render_link(account or member, str(member))


def _company(request: HttpRequest, company: Company) -> SafeString | str:
    return render_link(company) if request.user.has_perm("accounts.view_company") else str(company)
