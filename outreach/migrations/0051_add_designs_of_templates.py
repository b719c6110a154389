from django.db import migrations

import core.fields
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):
    dependencies = [("outreach", "0050_count_clicks_by_place")]

    operations = [
        migrations.AddField(
            model_name="emailtemplate",
            name="design",
            field=core.fields.JSONField(
                blank=True,
                editable=False,
                help_text="The blocks that the body is made of; empty: it is written.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="emailtemplateversion",
            name="design",
            field=core.fields.JSONField(blank=True, null=True),
        ),
    ]
