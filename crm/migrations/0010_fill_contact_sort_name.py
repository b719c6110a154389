from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

from core.tenancy import unscoped

BATCH = 5000
FILL = """
WITH batch AS (SELECT id FROM crm_contact WHERE id > %s ORDER BY id LIMIT %s),
    filled AS (
        UPDATE crm_contact c SET sort_name = name_sort_key(c.name) FROM batch
        WHERE c.id = batch.id AND c.sort_name IS NULL AND c.name <> ''
    )
SELECT max(id) FROM batch
"""


def fill(apps, schema_editor):
    """Give the contacts that are there their keys, in batches that lock few rows at a time."""
    with unscoped(reason="migration: contacts of all companies"), schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('crm_contact', 'UPDATE')")
        if not cursor.fetchone()[0]:
            return  # a new database, without contacts or grants yet
        last = ""
        while last is not None:
            cursor.execute(FILL, [last, BATCH])
            last = cursor.fetchone()[0]


class Migration(migrations.Migration):
    # Batches commit one by one, and a run that was killed can be repeated: an index that it left unfinished goes first.
    atomic = False

    dependencies = [
        ('crm', '0009_contact_sort_name'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS contact_sort_name', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='contact',
            index=models.Index(fields=['company', 'sort_name', 'id'], name='contact_sort_name'),
        ),
    ]
