"""Files of exports say by which permission they are read."""

from django.db import migrations, models

# Uploads are stored at <company>/<id of the file>, exports elsewhere. An export that has been deleted since left a file
# in the recycle bin that says nothing of its list: only owners read it then, since no role has the module "export".
# The tables' owner is subject to row-level security unless it is unforced; a new database has none yet.
UPDATE = """
UPDATE crm_file SET read_module = COALESCE(
    (SELECT CASE resource WHEN 'calllog' THEN 'lead-activity' WHEN 'suppression' THEN 'genie'
        ELSE split_part(resource, '/', 1) END FROM crm_export WHERE file_id = crm_file.id LIMIT 1), 'export')
WHERE path <> '' AND path <> company_id || '/' || id
"""
TABLES = ("crm_file", "crm_export")


class Migration(migrations.Migration):
    dependencies = [("crm", "0002_team_member_last_assigned")]

    operations = [
        migrations.AddField(
            "file",
            "read_module",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="The permission module of the list that the file is an export of; empty: none.",
                max_length=40,
            ),
        ),
        migrations.RunSQL(
            [
                *(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in TABLES),
                UPDATE,
                *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in TABLES),
            ],
            migrations.RunSQL.noop,
        ),
    ]
