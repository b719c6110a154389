"""Endpoints of duplicates: the list of probable ones, and the dismissal of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.endpoint import endpoint
from core.api.output import Output
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.lists.cursor import cursor_at, decode, unpack_values
from core.lists.parameters import check_cursor_pagination, page_size, refuse_unknown
from core.lists.values import refuse
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT
from crm.contacts.serializers import ContactOut
from crm.leads.kind import LEAD
from crm.leads.serializers import LeadOut
from crm.merging.duplicate_serializers import (
    DismissedOut,
    DuplicateContactsOut,
    DuplicateDismiss,
    DuplicateLeadsOut,
    DuplicateOrganizationsOut,
)
from crm.merging.duplicates import (
    RULES,
    SIMILAR_NAME,
    Duplicates,
    Place,
    count_groups,
    dismiss_duplicates,
    find_duplicates,
)
from crm.organizations.kind import ORGANIZATION
from crm.organizations.serializers import OrganizationOut
from crm.records.kinds import RecordKind

PARAMETERS = ("n", "cursorPagination", "cursor")
DEFAULT_SIZE, MAX_SIZE = 50, 500
SORT = (("rule", "asc"), ("key", "asc"))
PAGING = (
    f"Pages are had by cursor; without n a page has {DEFAULT_SIZE} groups, and more than {MAX_SIZE} count as"
    f" {MAX_SIZE}. Records\nthat are merged or deleted leave the list by themselves. "
)
CONTACT_RULES = (
    "samePhone: the same number. sameEmail: the same address but for capitals and what follows a plus, at Gmail but"
    " for dots\ntoo. similarName: names that are written almost the same (at least 60 % of their trigrams in common)"
    " with addresses of one domain that is no\nfree mail provider's; pairs are looked for as pages are read, so that"
    " totalCount is null, and a page may have fewer than n and still a\nnextCursor."
)
LEAD_RULES = """Of open leads: sameContactAndProduct (or both without product), and sameContact."""
ORGANIZATION_RULES = (
    "sameName: the same name but for case, accents, blanks, punctuation and legal form. sameDomain: the same domain."
)


def _rule_parameter(panel: str) -> OpenApiParameter:
    return OpenApiParameter(
        "rule", str, description=f"comma-separated, of {', '.join(RULES[panel])}; all of them unless given"
    )


class DuplicateViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the duplicates of contacts, of leads and of organizations; the actions of each call it."""

    kind: ClassVar[RecordKind]
    output: ClassVar[type[Output]]
    not_found: ClassVar[str]
    """The error for an id that belongs to no live record."""

    def answer(self, request: Request) -> Response:
        size, rules, after, total = self._read(request.query_params)
        duplicates = find_duplicates(kind=self.kind, rules=rules, size=size, after=after)
        if after is None:
            total = count_groups(kind=self.kind, rules=rules)
        further = (
            None
            if duplicates.next is None
            else cursor_at(SORT, self._fingerprint(rules), duplicates.next, total or 0).encode()
        )
        return self.success(self._render(duplicates.groups), totalCount=total, nextCursor=further)

    def _read(self, params: Values) -> tuple[int, tuple[str, ...], Place | None, int | None]:
        """Return the page size, the rules, the place to continue at, and the total that the first page has counted."""
        refuse_unknown(params, (*PARAMETERS, "rule"))
        size = page_size(params, DEFAULT_SIZE, MAX_SIZE)
        check_cursor_pagination(params)
        rules = self._rules(params.get("rule", ""))
        if not params.get("cursor"):
            return size, rules, None, None
        cursor = decode(params["cursor"])
        if cursor.fingerprint != self._fingerprint(rules) or cursor.sort != SORT:
            raise refuse("cursor", "belongs to another list; repeat the rules of the request that it came from")
        rule, key, pair = unpack_values(cursor, ("text", "text"), (False, False))
        if rule not in rules:
            raise refuse(
                "cursor", "is not a nextCursor of this list; pass the previous answer's nextCursor on unchanged"
            )
        return size, rules, Place(rule, key, pair), None if SIMILAR_NAME in rules else cursor.total

    def _rules(self, text: str) -> tuple[str, ...]:
        rules = RULES[self.kind.panel]
        names = {part.strip() for part in text.split(",")} - {""}
        wrong = next((rule for rule in sorted(names) if rule not in rules), None)
        if wrong is not None:
            raise refuse("rule", f"{shorten(wrong, 40)!r} is none of {', '.join(rules)}")
        return tuple(rule for rule in rules if not names or rule in names)

    def _fingerprint(self, rules: Sequence[str]) -> str:
        return ",".join((self.kind.panel, *rules))

    def _render(self, groups: Sequence[Duplicates]) -> list[JsonObject]:
        """Return the groups with their records, which one query reads; leaves out a group that has been resolved
        meanwhile."""
        ids = {id for group in groups for id in group.ids}
        live = self.kind.model._default_manager.filter(pk__in=ids, is_deleted=False)
        rows = [self.output.render(row) for row in self.output.project(live)] if ids else []
        records = {row["_id"]: row for row in self.output.complete(rows)}
        rendered_groups = []
        for group in groups:
            members = [records[id] for id in group.ids if id in records]
            if len(members) > 1:
                rendered = {
                    "rule": group.rule,
                    "score": group.score,
                    "shared": group.shared,
                    "count": group.count,
                    "records": members,
                }
                rendered_groups.append(rendered)
        return rendered_groups

    def dismiss_pairs(self, data: JsonObject) -> dict[str, int]:
        return {
            "dismissedCount": dismiss_duplicates(
                kind=self.kind, ids=data["ids"], actor_id=self.actor.member_id, not_found=self.not_found
            )
        }


class ContactDuplicateViewSet(DuplicateViewSet):
    module = "contact"
    kind = CONTACT
    output = ContactOut
    not_found = "ContactNotFound_400"

    @endpoint(
        "List contacts that are probably the same",
        output=DuplicateContactsOut,
        many=True,
        counted=False,
        list_parameters=PARAMETERS,
        parameters=(_rule_parameter("contact"),),
        description=PAGING + CONTACT_RULES,
    )
    def list(self, request: Request) -> object:
        return self.answer(request)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Say that contacts are not the same",
        input=DuplicateDismiss,
        output=DismissedOut,
        success="DuplicatesDismissed_200",
        errors=("ContactNotFound_400",),
        description="No two of them are the same: these pairs leave the list.",
    )
    def dismiss(self, request: Request, data: JsonObject) -> object:
        return self.dismiss_pairs(data)


class LeadDuplicateViewSet(DuplicateViewSet):
    module = "lead"
    kind = LEAD
    output = LeadOut
    not_found = "LeadNotFound_400"

    @endpoint(
        "List leads that are probably the same",
        output=DuplicateLeadsOut,
        many=True,
        list_parameters=PARAMETERS,
        parameters=(_rule_parameter("lead"),),
        description=PAGING + LEAD_RULES,
    )
    def list(self, request: Request) -> object:
        return self.answer(request)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Say that leads are not the same",
        input=DuplicateDismiss,
        output=DismissedOut,
        success="DuplicatesDismissed_200",
        errors=("LeadNotFound_400",),
        description="No two of them are the same: these pairs leave the list.",
    )
    def dismiss(self, request: Request, data: JsonObject) -> object:
        return self.dismiss_pairs(data)


class OrganizationDuplicateViewSet(DuplicateViewSet):
    module = "contact"
    kind = ORGANIZATION
    output = OrganizationOut
    not_found = "OrganizationNotFound_400"

    @endpoint(
        "List organizations that are probably the same",
        output=DuplicateOrganizationsOut,
        many=True,
        list_parameters=PARAMETERS,
        parameters=(_rule_parameter("organization"),),
        description=PAGING + ORGANIZATION_RULES,
    )
    def list(self, request: Request) -> object:
        return self.answer(request)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Say that organizations are not the same",
        input=DuplicateDismiss,
        output=DismissedOut,
        success="DuplicatesDismissed_200",
        errors=("OrganizationNotFound_400",),
        description="No two of them are the same: these pairs leave the list.",
    )
    def dismiss(self, request: Request, data: JsonObject) -> object:
        return self.dismiss_pairs(data)
