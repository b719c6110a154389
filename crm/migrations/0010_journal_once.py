from django.db import migrations, models
from django.db.models import Q

import core.fields


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0009_field_jobs"),
    ]

    operations = [
        migrations.RemoveIndex("journal", "journal_bulk_job"),
        migrations.RemoveIndex("journal", "journal_import_job"),
        migrations.RemoveIndex("journal", "journal_merge"),
        migrations.AddConstraint(
            "journal",
            models.UniqueConstraint(fields=("bulk_job", "record_id"), condition=Q(bulk_job__isnull=False), name="journal_bulk_job"),
        ),
        migrations.AddConstraint(
            "journal",
            models.UniqueConstraint(
                fields=("import_job", "panel", "record_id"), condition=Q(import_job__isnull=False), name="journal_import_job"
            ),
        ),
        migrations.AddConstraint(
            "journal",
            models.UniqueConstraint(fields=("merge", "record_id"), condition=Q(merge__isnull=False), name="journal_merge"),
        ),
        migrations.AlterField(
            "journal",
            "after",
            core.fields.JSONField(
                help_text="What was different afterwards, so that undoing leaves alone what somebody has changed since.", null=True
            ),
        ),
    ]
