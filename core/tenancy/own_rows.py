"""Row-level security for members who see their own records alone, derived from the models.

A record with an owner (CompanyRow.owned) exists for such a member if it is theirs. A row that refers to such records
exists with the first of them by rank: an activity with its lead, or else with its contact. A row that refers to such
rows exists with these. Rows without such references say themselves which of them exist (CompanyRow.seen_by).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from hashlib import sha256

from django.apps import apps
from django.db import models

from core.fields import CompanyForeignKey
from core.tenancy import MEMBER_ROLE
from core.tenancy.models import CompanyRow, Owned, SeenByMember

COMPANY = "company_id = current_setting('app.company', true)"
MEMBER = "current_setting('app.member', true)"
Model = type[models.Model]


def owned_models() -> list[Model]:
    """Return the models of records with an owner."""
    return [model for model in _company_models() if _owned(model)]


def owned_by(model: Model) -> Owned:
    """Return how the owner of a model's records is found. Raises TypeError for a model without owners."""
    owned = _owned(model)
    if owned is None:
        raise TypeError(f"{model.__name__} has no owners")
    return owned


def _company_models() -> list[Model]:
    return [model for model in apps.get_models() if issubclass(model, CompanyRow)]


def _owned(model: Model) -> Owned | None:
    return getattr(model, "owned", None)


def _seen_by(model: Model) -> SeenByMember | None:
    return getattr(model, "seen_by", None)


def _hides(field: CompanyForeignKey, narrowed: Collection[Model]) -> bool:
    """Return whether the reference can hide its row: one to a record, to a row that refers to one, or of a part."""
    target = field.related_model
    # A row that refers to its own kind, such as a reply, is judged by its record.
    if target is field.model or target not in narrowed:
        return False
    seen_by = _seen_by(target)
    return seen_by is None or (seen_by.parts and field.remote_field.on_delete is models.CASCADE)


@cache
def narrowed_models() -> frozenset[Model]:
    """Return the models whose rows depend on the member: records, rows that refer to them, and rows of SeenByMember."""
    narrowed = {model for model in _company_models() if _owned(model) or _seen_by(model)}
    # Rows of rows: the set grows until no reference leads to a further model.
    while True:
        more = {
            model
            for model in set(_company_models()) - narrowed
            if any(_hides(field, narrowed) for field in _references(model))
        }
        if not more:
            return frozenset(narrowed)
        narrowed |= more


def _references(model: Model) -> list[CompanyForeignKey]:
    return [field for field in model._meta.local_fields if isinstance(field, CompanyForeignKey)]


def own_condition(owned: Owned, table: str) -> str:
    """Return the SQL condition of a member's own records."""
    setting = f"current_setting('app.own_{owned.module}', true)"
    return f"""({setting} = '' OR "{table}"."{owned.column}" = {setting})"""


def row_condition(model: Model) -> str:
    """Return the SQL condition of the rows of a narrowed model that exist for a member."""
    table = model._meta.db_table
    owned = _owned(model)
    if owned is not None:
        return own_condition(owned, table)
    seen_by = _seen_by(model)
    if seen_by is not None:
        return seen_by.condition.format(member=MEMBER, record=_record_exists(seen_by, table))
    fields = [field for field in _references(model) if _hides(field, narrowed_models())]
    # An activity of a lead is seen with the lead, even where its contact is another member's.
    ranks = {field: owned.rank for field in fields if (owned := _owned(field.related_model))}
    others = " AND ".join(
        f"""("{table}"."{field.column}" IS NULL OR {_exists(table, field)})""" for field in fields if field not in ranks
    )
    cases = "".join(
        f""" WHEN "{table}"."{field.column}" IS NOT NULL THEN {_exists(table, field)}"""
        for field in sorted(ranks, key=lambda field: ranks[field])
    )
    return f"CASE{cases} ELSE {others or 'true'} END" if cases else others


def _record_exists(seen_by: SeenByMember, table: str) -> str:
    """Return the SQL of whether the record that a row names exists for the member. Rows of other kinds have none."""
    cases = "".join(
        f" WHEN '{model._meta.model_name}' THEN {_exists_by(table, seen_by.record, model)}" for model in owned_models()
    )
    return f"CASE {seen_by.kind}{cases} ELSE NULL END"


def _exists(table: str, field: CompanyForeignKey) -> str:
    return _exists_by(table, field.column, field.related_model)


def _exists_by(table: str, column: str, model: Model) -> str:
    owned = _owned(model)
    more = f" AND {own_condition(owned, 'target')}" if owned else ""
    # Within the company, so that the index of the key is used and no other tenant is looked at.
    same = f'target.{COMPANY} AND target.id = "{table}"."{column}"'
    return f'EXISTS (SELECT FROM "{model._meta.db_table}" AS target WHERE {same}{more})'


STORED = """
SELECT tablename, policyname, coalesce(obj_description(policy.oid, 'pg_policy'), '')
FROM pg_policies JOIN pg_policy AS policy
    ON polname = policyname AND polrelid = format('%I.%I', schemaname, tablename)::regclass
WHERE schemaname = 'public' AND policyname IN ('member', 'member_reads')
"""
"""The present policies, with the digests of their statements."""


def member_policies(app_label: str, stored: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield the statements that bring an app's policies for members with own records up to date.

    `stored` has the digests of the present ones, so that a migration without a change rewrites none.
    """
    for model in _company_models():
        if model._meta.app_label != app_label:
            continue
        table = model._meta.db_table
        policies = dict(_policies(model))
        for name in ("member", "member_reads"):
            body = policies.get(name, "")
            digest = sha256(body.encode()).hexdigest()[:16] if body else ""
            # A policy that is dropped and made again locks its table, so unchanged ones stay.
            if stored.get((table, name), "") == digest:
                continue
            if (table, name) in stored:
                yield f'DROP POLICY {name} ON "{table}"'
            if body:
                yield f'CREATE POLICY {name} ON "{table}" {body}'
                yield f"""COMMENT ON POLICY {name} ON "{table}" IS '{digest}'"""


def _policies(model: Model) -> Iterator[tuple[str, str]]:
    """Yield name and body of the policies of a table for members with own records."""
    table = model._meta.db_table
    condition = COMPANY
    if model in narrowed_models():
        condition = f"{COMPANY} AND ({row_condition(model)})"
    seen_by = _seen_by(model)
    # A row written before its record exists could not pass the check of its record.
    is_checked = seen_by is None or seen_by.checked
    check = condition if is_checked else COMPANY
    yield "member", f"TO {MEMBER_ROLE} USING ({condition}) WITH CHECK ({check})"
    owned = _owned(model)
    if owned is not None and owned.via is not None:
        via, column = owned.via
        # The contact of an own lead can be read, and stays unchangeable by the first policy.
        seen = f'EXISTS (SELECT FROM "{via}" AS via WHERE via.{COMPANY} AND via."{column}" = "{table}".id)'
        yield "member_reads", f"FOR SELECT TO {MEMBER_ROLE} USING ({COMPANY} AND {seen})"
