from typing import Any

from django.db import migrations

from core.ids import new_id

SEARCH = """
    ALTER TABLE crm_organization ADD COLUMN search integer[] GENERATED ALWAYS AS (
        search_grams(company_id, coalesce(name, '') || chr(1) || coalesce(domain, ''))) STORED;
    CREATE INDEX organization_search ON crm_organization USING gin (search);
    ALTER TABLE crm_organizationvalue ADD COLUMN search integer[] GENERATED ALWAYS AS (search_grams(field_id, text)) STORED;
    CREATE INDEX organizationvalue_search ON crm_organizationvalue USING gin (search) WHERE search IS NOT NULL;
"""
NO_SEARCH = """
    ALTER TABLE crm_organization DROP COLUMN search;
    ALTER TABLE crm_organizationvalue DROP COLUMN search;
"""
# The function of contacts sets sort_name from name, whatever the table.
SORT_NAME = """
    CREATE TRIGGER organization_sort_name BEFORE INSERT OR UPDATE OF name, sort_name ON crm_organization
        FOR EACH ROW EXECUTE FUNCTION contact_sort_name();
"""
FIELDS = (
    {'unique_field_id': 'name', 'name': 'Name', 'required': True},
    {'unique_field_id': 'domain', 'name': 'Domain'},
)


def add_fields(apps: Any, schema_editor: Any) -> None:
    """Add the system fields of organizations to the companies that are there; new ones get them when they are made."""
    CustomField = apps.get_model('crm', 'CustomField')  # noqa: N806  # as models are written
    companies = apps.get_model('accounts', 'Company').objects.values_list('pk', flat=True)
    CustomField.objects.bulk_create(
        (
            CustomField(
                id=new_id(),
                company_id=company,
                panel='organization',
                field_type='text',
                value_type='string',
                is_system=True,
                order=order,
                **values,
            )
            for company in companies
            for order, values in enumerate(FIELDS, start=1)
        ),
        batch_size=1000,
        ignore_conflicts=True,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('crm', '0022_organizations'),
    ]

    operations = [
        migrations.RunSQL(SEARCH, NO_SEARCH),
        migrations.RunSQL(SORT_NAME, 'DROP TRIGGER organization_sort_name ON crm_organization'),
        migrations.RunPython(add_fields, migrations.RunPython.noop),
    ]
