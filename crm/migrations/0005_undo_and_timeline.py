from django.db import migrations, models

from core.tenancy import unscoped

WORDS = [
    ('call', 'logged', 'created'),
    ('meeting', 'scheduled', 'created'),
    ('meeting', 'changed', 'updated'),
    ('follow_up', 'changed', 'updated'),
    ('follow_up', 'done', 'completed'),
]
"""Kind of activity, and the old and new word for what happened."""


def rename(schema_editor, words):
    with unscoped(reason="migration: activities of all companies"), schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('crm_leadactivity', 'UPDATE')")
        if not cursor.fetchone()[0]:
            return  # a new database, without activities or grants yet
        cursor.execute(
            "UPDATE crm_leadactivity a SET details = jsonb_set(details, '{event}', to_jsonb(new.word))"
            " FROM unnest(%s::text[], %s::text[], %s::text[]) AS new (kind, old, word)"
            " WHERE a.kind = new.kind AND a.details ->> 'event' = new.old",
            [list(column) for column in zip(*words)],
        )


def forwards(apps, schema_editor):
    rename(schema_editor, WORDS)


def backwards(apps, schema_editor):
    rename(schema_editor, [(kind, new, old) for kind, old, new in WORDS])


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_squashed_0003_mail_calendar'),
        ("crm", "0004_import_report_and_rights"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='leadactivity',
            name='leadactivity_newest',
        ),
        migrations.AddField(
            model_name='bulkjob',
            name='limited',
            field=models.BooleanField(db_default=False, default=False, help_text='Records that come back count against the plan: a session asked.'),
        ),
        migrations.AlterField(
            model_name='bulkjob',
            name='action',
            field=models.CharField(choices=[('update', 'Update'), ('delete', 'Delete'), ('restore', 'Restore'), ('undo', 'Undo'), ('convert_field', 'Convert Field'), ('delete_field', 'Delete Field')], max_length=16),
        ),
        migrations.AlterField(
            model_name='leadactivity',
            name='kind',
            field=models.CharField(choices=[('created', 'Created'), ('changed', 'Changed'), ('status', 'Status'), ('assigned', 'Assigned'), ('note', 'Note'), ('mail', 'Mail'), ('call', 'Call'), ('meeting', 'Meeting'), ('follow_up', 'Follow Up'), ('merged', 'Merged'), ('deleted', 'Deleted'), ('restored', 'Restored'), ('imported', 'Imported')], max_length=12),
        ),
        migrations.AddIndex(
            model_name='bulkjob',
            index=models.Index(condition=models.Q(('total', 1)), fields=['finished_at'], name='bulkjob_single'),
        ),
        migrations.AddIndex(
            model_name='contact',
            index=models.Index(condition=models.Q(('is_deleted', True)), fields=['company', 'created_at', 'name', 'id'], name='contact_deleted'),
        ),
        migrations.AddIndex(
            model_name='contact',
            index=models.Index(condition=models.Q(('email_key__isnull', False), ('is_deleted', True)), fields=['company', 'email_key'], name='contact_deleted_email'),
        ),
        migrations.AddIndex(
            model_name='contact',
            index=models.Index(condition=models.Q(('is_deleted', True), ('number_key__isnull', False)), fields=['company', 'number_key'], name='contact_deleted_number'),
        ),
        migrations.AddIndex(
            model_name='lead',
            index=models.Index(condition=models.Q(('is_deleted', True)), fields=['company', 'created_at', 'id'], name='lead_deleted'),
        ),
        migrations.AddIndex(
            model_name='leadactivity',
            index=models.Index(condition=models.Q(('lead__isnull', False)), fields=['company', 'happened_at', 'id'], name='leadactivity_newest'),
        ),
        migrations.RunPython(forwards, backwards),
    ]
