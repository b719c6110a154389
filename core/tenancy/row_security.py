"""The second and third isolation layer, derived from the models after each migration, so that no table is omitted.

Row-level security is forced, under three roles that own nothing. `leadwright_app` sees the rows whose company_id equals
the setting `app.company`. `leadwright_member` sees those of them that exist for a member with own records
(core.tenancy.own_rows). `leadwright_system` (core.tenancy.unscoped) sees all. The login role, which owns the tables,
inherits none. It sees rows only inside `core.tenancy.use_owner_role`, for migrations.

A CompanyForeignKey becomes FOREIGN KEY (company_id, x_id) REFERENCES (company_id, id).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import AppConfig, apps
from django.db import connections, models

from core.fields import CompanyForeignKey
from core.tenancy import APP_ROLE, MEMBER_ROLE, SYSTEM_ROLE, use_owner_role
from core.tenancy.models import CompanyRow
from core.tenancy.own_rows import STORED, member_policies, owned_by, owned_models

# SET TRUE and INHERIT FALSE: the login role may take the roles, but sees nothing as long as it has not.
CREATE_ROLES = f"""
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['{APP_ROLE}', '{SYSTEM_ROLE}', '{MEMBER_ROLE}'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS', name);
            END IF;
            IF NOT EXISTS (
                SELECT FROM pg_auth_members
                    JOIN pg_roles granted ON granted.oid = roleid JOIN pg_roles holder ON holder.oid = member
                WHERE granted.rolname = name AND holder.rolname = current_user AND set_option
            ) THEN
                EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', name);
            END IF;
        -- Roles belong to the cluster, so another database may create them at the same time.
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$
"""

INHERITED = f"""
SELECT granted.rolname FROM pg_auth_members
    JOIN pg_roles granted ON granted.oid = roleid JOIN pg_roles holder ON holder.oid = member
WHERE granted.rolname IN ('{APP_ROLE}', '{SYSTEM_ROLE}', '{MEMBER_ROLE}')
    AND holder.rolname = session_user AND inherit_option
ORDER BY granted.rolname
"""
"""The roles whose rows the login role sees without taking the role: there must be none."""

END_INHERITANCE = f"""
DO $$
DECLARE name text;
BEGIN
    FOR name IN {INHERITED} LOOP
        BEGIN
            EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', name);
        -- A superuser made the grant, and has to mend it: core.checks says so.
        EXCEPTION WHEN insufficient_privilege THEN NULL;
        END;
    END LOOP;
END $$
"""

GRANTS = f"""
GRANT USAGE ON SCHEMA public TO {APP_ROLE}, {SYSTEM_ROLE}, {MEMBER_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APP_ROLE}, {SYSTEM_ROLE}, {MEMBER_ROLE};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}, {SYSTEM_ROLE}, {MEMBER_ROLE};
"""


def company_models() -> list[type[models.Model]]:
    """Return every concrete model whose rows belong to a company."""
    return [model for model in apps.get_models() if issubclass(model, CompanyRow)]


def company_references(model: type[models.Model]) -> list[CompanyForeignKey]:
    """Return the model's references to records of the same company."""
    return [field for field in model._meta.local_fields if isinstance(field, CompanyForeignKey)]


def apply_row_security(app_config: AppConfig, using: str, **_: Any) -> None:
    """Secure the tables of one app (post_migrate receiver). Idempotent."""
    # Derived from the models, so that a new table is secured without anybody thinking of it.
    own = [model for model in company_models() if model._meta.app_label == app_config.label]
    connection = connections[using]
    if connection.vendor != "postgresql":
        return
    with use_owner_role(), connection.cursor() as cursor:
        if app_config.label == "core":
            cursor.execute(GRANTS)
            cursor.execute(END_INHERITANCE)
        if not own:
            return
        present = set(connection.introspection.table_names(cursor))
        if not all(model._meta.db_table in present for model in own):
            return  # migrated back to before these tables
        # The catalogue is read once for all tables: asking for each would make migrate slow.
        cursor.execute("SELECT conname FROM pg_constraint WHERE contype IN ('f', 'u')")
        constraints = {name for (name,) in cursor.fetchall()}
        cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")
        forced = {name for (name,) in cursor.fetchall()}
        cursor.execute("SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public'")
        policies = {(table, policy) for table, policy in cursor.fetchall()}
        for model in own:
            for statement in policy_statements(model._meta.db_table, forced, policies):
                cursor.execute(statement)
            for statement in reference_statements(model, constraints):
                cursor.execute(statement)
        cursor.execute(GRANTS)
        if _lacks_owners(cursor):
            return  # migrated back to before records had owners
        cursor.execute(STORED)
        stored = {(table, name): digest for table, name, digest in cursor.fetchall()}
        for statement in member_policies(app_config.label, stored):
            cursor.execute(statement)


def _lacks_owners(cursor: Any) -> bool:
    """Return whether the database lacks a column of owners, which the policies of members compare."""
    cursor.execute("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'")
    columns = set(cursor.fetchall())
    return any((model._meta.db_table, owned_by(model).column) not in columns for model in owned_models())


def policy_statements(table: str, forced: set[str], policies: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the statements that force row-level security on the table."""
    if table not in forced:
        # FORCE, since the owner of a table is otherwise exempt from its policies.
        yield f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'
    # NULL when it was never set, and "" after a reset: neither equals any company.
    own = "company_id = current_setting('app.company', true)"
    if (table, "company") not in policies:
        yield f'CREATE POLICY company ON "{table}" TO {APP_ROLE} USING ({own}) WITH CHECK ({own})'
    if (table, "system") not in policies:
        # A policy and not BYPASSRLS, which only a superuser can give.
        yield f'CREATE POLICY system ON "{table}" TO {SYSTEM_ROLE} USING (true) WITH CHECK (true)'
    condition = "current_setting('app.owner', true) = 'on'"
    if (table, "owner") not in policies:
        # Only within use_owner_role(), so that a session that lost its role by accident sees nothing.
        yield f'CREATE POLICY owner ON "{table}" TO CURRENT_USER USING ({condition}) WITH CHECK ({condition})'


def reference_statements(model: type[models.Model], constraints: set[str]) -> Iterator[str]:
    """Yield the statements that tie each reference to the company of its record."""
    table = model._meta.db_table
    for field in company_references(model):
        target = field.related_model._meta.db_table
        unique, name = f"{target}_company_id_id", f"{table}_{field.column}_company"
        if unique not in constraints:
            constraints.add(unique)
            # A foreign key needs a unique constraint on exactly its columns.
            yield f'ALTER TABLE "{target}" ADD CONSTRAINT "{unique}" UNIQUE (company_id, id)'
        if name not in constraints:
            yield (
                f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" FOREIGN KEY (company_id, "{field.column}") '
                # Like Django's own keys, so that rows can be inserted in any order within a transaction.
                f'REFERENCES "{target}" (company_id, id) DEFERRABLE INITIALLY DEFERRED'
            )
