"""Find the organizations that contacts name, or create them.

A name decides alone: equal keys (crm.organizations.names) are one organization. Of several with one name, that of the
email domain counts, or else the oldest. A contact without the name of one belongs to that of its email domain, unless
many organizations share the domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.access.quota import lock_company
from core.events import emit
from core.text.company_names import names_company
from core.text.domains import organization_domain
from crm.field_types import FieldSpec
from crm.organizations.names import name_key
from crm.organizations.schema import MAX_NAME, OrganizationSchema
from crm.organizations.selectors import live_organizations
from crm.organizations.writer import insert_organizations
from crm.records.schema import RecordRow


@dataclass(frozen=True, slots=True)
class Employment:
    """The evidence of a contact's organization: the name of its company, and its email address."""

    company: str = ""
    email: str | None = None

    @property
    def name(self) -> str:
        return " ".join(self.company.split())[:MAX_NAME]

    @property
    def key(self) -> str:
        return name_key(self.company)

    @property
    def domain(self) -> str:
        return organization_domain(self.email)


@dataclass(slots=True)
class Matches:
    """The organization of each employment, in order, and the created ones."""

    ids: list[str | None] = field(default_factory=list)
    created: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _KnownOrganizations:
    """Organizations by key and by domain. An id of a domain that several have is empty."""

    by_key: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Key -> (id, domain) of the organizations with this name, the oldest first."""
    by_domain: dict[str, str] = field(default_factory=dict)

    def add(self, id: str, key: str, domain: str) -> None:
        if key:
            self.by_key.setdefault(key, []).append((id, domain))
        if domain:
            self.by_domain[domain] = "" if domain in self.by_domain else id

    def find(self, employment: Employment) -> str | None:
        if not employment.key:
            return self.by_domain.get(employment.domain) or None if employment.domain else None
        named = self.by_key.get(employment.key, [])
        at_domain = [id for id, domain in named if domain and domain == employment.domain]
        return next(iter(at_domain or (id for id, _ in named)), None)


def company_field(fields: Iterable[FieldSpec]) -> str:
    """Return the key of the text field of contacts that has the name of their organization; empty without one."""
    for spec in fields:
        is_text = spec.field_type.name == "text" and spec.value_type.name in ("string", "any")
        if is_text and names_company(spec.name, spec.key):
            return spec.key
    return ""


def majorities(counts: Mapping[str, Counter[str]]) -> dict[str, str]:
    """Return domain -> the key that more than half of the counted ones have; `counts` has domain -> key -> number."""
    tops = {domain: counter.most_common(1)[0] for domain, counter in counts.items()}
    return {domain: key for domain, (key, count) in tops.items() if 2 * count > counts[domain].total()}


def _owners(employments: Sequence[Employment]) -> dict[str, str]:
    counts: dict[str, Counter[str]] = {}
    for employment in employments:
        if employment.key and employment.domain:
            counts.setdefault(employment.domain, Counter())[employment.key] += 1
    return majorities(counts)


def match_organizations(
    employments: Sequence[Employment],
    *,
    owners: Mapping[str, str] | None = None,
    actor_id: str | None,
    import_id: str | None = None,
    automation: bool = True,
) -> Matches:
    """Find the organization of each employment, in the caller's transaction, and create the missing ones that have a
    name.

    `owners` has domain -> the key of the organization to which it belongs; by default most of the employments decide.
    The caller announces the created ones once they are used (`announce`).
    """
    known = _look_up(employments)
    if any(employment.key and known.find(employment) is None for employment in employments):
        # Other writers may be creating the same ones. Whoever comes second finds them.
        lock_company("organizations")
        known = _look_up(employments)
    owners = _owners(employments) if owners is None else owners
    matches = Matches()
    new: dict[str, RecordRow] = {}
    for employment in employments:
        if employment.key and known.find(employment) is None and employment.key not in new:
            new[employment.key] = RecordRow(system={"name": employment.name, "domain": None})
    for employment in employments:
        domain = employment.domain
        row = new.get(employment.key)
        if row is not None and owners.get(domain) == employment.key and domain not in known.by_domain:
            row.system["domain"] = row.system["domain"] or domain
    if new:
        schema = OrganizationSchema.load()
        matches.created = insert_organizations(
            schema,
            list(new.values()),
            actor_id=actor_id,
            import_id=import_id,
            automation=automation,
            announced=False,
        )
        for id, (key, row) in zip(matches.created, new.items(), strict=True):
            known.add(id, key, row.system["domain"] or "")
    matches.ids = [known.find(employment) for employment in employments]
    return matches


def known_names(names: Iterable[str]) -> dict[str, str]:
    """Return the key of each name that a live organization has -> the oldest one. Nobody creates further ones until the
    caller's transaction ends."""
    lock_company("organizations")
    keys = {name_key(name) for name in names} - {""}
    rows = live_organizations().filter(name_key__in=keys).order_by("-pk").values_list("name_key", "pk")
    return dict(rows)


def announce(ids: Iterable[str], *, actor_id: str | None, automation: bool) -> None:
    """Emit organization.created for created organizations."""
    emit("organization.created", sorted(ids), actor_id=actor_id, automation=automation)


def _look_up(employments: Sequence[Employment]) -> _KnownOrganizations:
    known = _KnownOrganizations()
    keys = {employment.key for employment in employments} - {""}
    domains = {employment.domain for employment in employments} - {""}
    live = live_organizations().order_by("pk")
    by_key = live.filter(name_key__in=keys) if keys else live.none()
    by_domain = live.filter(domain__in=domains) if domains else live.none()
    columns = ("pk", "name_key", "domain")
    rows = {row[0]: row for queryset in (by_key, by_domain) for row in queryset.values_list(*columns)}
    for id, key, domain in sorted(rows.values()):
        known.add(id, key, domain or "")
    return known
