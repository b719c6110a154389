from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from core.migration_operations import AddIndexOnline
from core.text.folding import SortText

# Their trigrams are those of capitals with accents, until crm.records.search_backfill has written them again.
SEARCHED_TABLES = (
    'crm_contact', 'crm_lead', 'crm_productservice', 'crm_customfieldvalue', 'crm_leadvalue', 'crm_productservicevalue'
)
# The size of a table, since row-level security hides its rows.
WRITE_AGAIN = f"""
INSERT INTO core_searchbackfill (table_name)
SELECT name FROM unnest(ARRAY{list(SEARCHED_TABLES)}) AS tables (name) WHERE pg_relation_size(name::regclass) > 0 ON CONFLICT DO NOTHING
"""


def sorted_texts(model, record, name):
    index = models.Index(
        'field', SortText('text'), record, include=('company', 'position', 'text'), condition=models.Q(text__isnull=False), name=name
    )
    return AddIndexOnline(model, index)


def sorted_leads(column, name):
    return AddIndexOnline('lead', models.Index('company', SortText(column), 'id', condition=models.Q(is_deleted=False), name=name))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('core', '0007_fold_search'),
        ('crm', '0013_datetime_field'),
    ]

    operations = [
        migrations.RunSQL(WRITE_AGAIN, 'DELETE FROM core_searchbackfill'),
        sorted_texts('customfieldvalue', 'contact', 'fieldvalue_text_sort'),
        sorted_texts('leadvalue', 'lead', 'leadvalue_text_sort'),
        sorted_texts('productservicevalue', 'product_service', 'productvalue_text_sort'),
        sorted_leads('status', 'lead_status_sort'),
        sorted_leads('source', 'lead_source_sort'),
        sorted_leads('first_product', 'lead_product_sort'),
        RemoveIndexConcurrently('lead', 'lead_product'),
    ]
