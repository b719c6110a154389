"""The three layers that isolate companies, each alone (design section 4)."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from core.checks import login_role_inherits_nothing
from core.ids import new_id
from core.tenancy import SYSTEM_ROLE, NoActiveCompany, company_scope, unscoped, use_owner_role
from core.tenancy.row_security import END_INHERITANCE, INHERITED, company_models, company_references
from crm.models import Contact, ContactTag, Tag
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory


def rows(sql: str, *parameters: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


@pytest.fixture
def contacts(cast: Cast, outsiders: Cast) -> tuple[str, str]:
    """A contact of each company: (ours, theirs)."""
    with cast.scope():
        ours = ContactFactory().pk
    with outsiders.scope():
        theirs = ContactFactory().pk
    return ours, theirs


def test_managers_raise_without_a_company(cast: Cast) -> None:
    for use in (
        lambda: Contact.objects.count(),
        lambda: Contact._base_manager.count(),
        lambda: Contact.objects.create(name="x"),
        lambda: Contact(name="x", company=cast.company).save(),
        lambda: Contact.objects.bulk_create([Contact(name="x", company=cast.company)]),
        lambda: Contact.objects.update(name="x"),
        lambda: list(cast.owner.api_keys.all()),
    ):
        with pytest.raises(NoActiveCompany):
            use()


def test_managers_show_one_company(contacts: tuple[str, str], cast: Cast, outsiders: Cast) -> None:
    ours, theirs = contacts
    with cast.scope():
        assert list(Contact.objects.values_list("pk", flat=True)) == [ours]
        assert Contact.objects.filter(pk=theirs).update(name="stolen") == 0
        assert Contact.objects.filter(pk=theirs).delete()[0] == 0
    with unscoped(reason="test"):
        assert set(Contact.objects.values_list("pk", flat=True)) == {ours, theirs}


def test_a_scope_refuses_another_companys_instance(cast: Cast, outsiders: Cast) -> None:
    with cast.scope(), pytest.raises(NoActiveCompany):
        Contact(name="x", company=outsiders.company).save()
    with cast.scope(), pytest.raises(NoActiveCompany):
        Contact.objects.bulk_create([Contact(name="x", company=outsiders.company)])


def test_the_database_shows_only_the_active_company_to_raw_sql(contacts: tuple[str, str], cast: Cast) -> None:
    ours, theirs = contacts
    with cast.scope():
        assert rows("SELECT id FROM crm_contact") == [(ours,)]
        assert rows("SELECT count(*) FROM crm_contact WHERE id = %s", theirs) == [(0,)]
        assert rows("UPDATE crm_contact SET name = 'stolen' WHERE id = %s RETURNING id", theirs) == []
        assert rows("DELETE FROM crm_contact WHERE id = %s RETURNING id", theirs) == []
    assert rows("SELECT count(*) FROM crm_contact") == [(0,)]
    with unscoped(reason="test"):
        assert rows("SELECT count(*) FROM crm_contact") == [(2,)]


def test_the_login_role_sees_rows_only_where_it_is_meant(contacts: tuple[str, str]) -> None:
    with use_owner_role():
        assert rows("SELECT current_user = session_user, count(*) FROM crm_contact") == [(True, 2)]
    with unscoped(reason="test"):
        assert rows("SELECT count(*) FROM crm_contact") == [(2,)]
        rows("SELECT set_config('role', 'none', false)")  # as a RESET that Django does not know of
        assert rows("SELECT current_user = session_user, count(*) FROM crm_contact") == [(True, 0)]
        rows("SELECT set_config('role', %s, false)", SYSTEM_ROLE)


def test_a_role_that_is_inherited_is_granted_anew_without(contacts: tuple[str, str]) -> None:
    with use_owner_role():
        assert rows(INHERITED) == []
        assert login_role_inherits_nothing(databases=["default"]) == []
        with connection.cursor() as cursor:
            cursor.execute(f"GRANT {SYSTEM_ROLE} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE")
        assert rows(INHERITED) == [(SYSTEM_ROLE,)]
        assert [warning.id for warning in login_role_inherits_nothing(databases=["default"])] == ["core.W001"]
        with connection.cursor() as cursor:
            cursor.execute(END_INHERITANCE)
        assert rows(INHERITED) == []
    with unscoped(reason="test: the role can still be taken"):
        assert rows("SELECT count(*) FROM crm_contact") == [(2,)]


def test_the_database_refuses_to_write_into_another_company(
    cast: Cast, outsiders: Cast, contacts: tuple[str, str]
) -> None:
    ours, _ = contacts
    with cast.scope():
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            rows("UPDATE crm_contact SET company_id = %s WHERE id = %s", outsiders.company.pk, ours)
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            rows(
                "INSERT INTO crm_tag (id, company_id, name, description, color, created_at, updated_at)"
                " VALUES (%s, %s, 'x', '', '', now(), now())",
                new_id(),
                outsiders.company.pk,
            )


def test_references_cannot_cross_companies(cast: Cast, outsiders: Cast, contacts: tuple[str, str]) -> None:
    ours, _ = contacts
    with outsiders.scope():
        foreign_tag = TagFactory().pk
    for scope in (cast.scope(), unscoped(reason="test: the third layer alone")):
        link = ContactTag(company=cast.company, contact_id=ours, tag_id=foreign_tag)
        with scope, pytest.raises(IntegrityError), transaction.atomic():  # noqa: PT012  (the constraint is deferred)
            link.save(force_insert=True)
            rows("SET CONSTRAINTS ALL IMMEDIATE; SELECT 1")


def test_every_company_owned_table_is_isolated(db: None) -> None:
    """From the database's catalogue: RLS enabled and forced, both policies, each reference by (company_id, id)."""
    tables = {model._meta.db_table: model for model in company_models()}
    assert {"crm_contact", "crm_customfieldvalue", "outreach_sendjob", "accounts_apikey", "core_event"} <= set(tables)
    secured = {
        name: (enabled, forced)
        for name, enabled, forced in rows(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class"
            " WHERE relname = ANY(%s) AND relnamespace = 'public'::regnamespace",
            list(tables),
        )
    }
    assert secured == dict.fromkeys(tables, (True, True))
    policies = {(table, policy) for table, policy in rows("SELECT tablename, policyname FROM pg_policies")}
    assert policies >= {(table, policy) for table in tables for policy in ("company", "system", "owner")}
    constraints = {
        name
        for (name,) in rows("SELECT conname FROM pg_constraint WHERE contype = 'f' AND array_length(conkey, 1) = 2")
    }
    wanted = {
        f"{table}_{field.column}_company" for table, model in tables.items() for field in company_references(model)
    }
    assert len(wanted) > 20
    assert wanted <= constraints


def test_any_table_with_a_company_is_a_company_owned_model(db: None) -> None:
    found = {
        table
        for (table,) in rows(
            "SELECT table_name FROM information_schema.columns WHERE column_name = 'company_id' AND table_schema ="
            " 'public'"
        )
    }
    assert found == {model._meta.db_table for model in company_models()}


def test_requests_run_under_a_role_that_owns_nothing(cast: Cast) -> None:
    with cast.scope():
        [(role, superuser, bypass, owned)] = rows(
            "SELECT current_user::text, rolsuper, rolbypassrls, (SELECT count(*) FROM pg_class WHERE relowner ="
            " pg_roles.oid)"
            " FROM pg_roles WHERE rolname = current_user"
        )
    assert (role, superuser, bypass, owned) == ("leadwright_app", False, False, 0)


def test_the_company_of_the_session_follows_scopes_and_rollbacks(cast: Cast, outsiders: Cast) -> None:
    def company() -> str:
        return rows("SELECT current_setting('app.company', true)")[0][0]

    with cast.scope():
        assert company() == cast.company.pk
        with pytest.raises(DatabaseError), transaction.atomic(), outsiders.scope():  # noqa: PT012  (the state inside matters)
            assert company() == outsiders.company.pk
            rows("SELECT 1/0")
        assert company() == cast.company.pk
        with outsiders.scope(), transaction.atomic():
            assert company() == outsiders.company.pk
        assert company() == cast.company.pk
        with use_owner_role():
            assert rows("SELECT current_user = session_user") == [(True,)]
        assert company() == cast.company.pk
    assert company() == ""


def test_bulk_and_related_paths_stay_inside(cast: Cast, outsiders: Cast, contacts: tuple[str, str]) -> None:
    ours, theirs = contacts
    with cast.scope():
        tag = TagFactory()
        ContactTag.objects.bulk_create([ContactTag(contact_id=ours, tag=tag)])
        assert [link.contact_id for link in tag.contact_links.all()] == [ours]
    with company_scope(outsiders.company.pk):
        assert tag.contact_links.count() == 0
        assert Tag.objects.filter(contact_links__contact_id=ours).count() == 0
