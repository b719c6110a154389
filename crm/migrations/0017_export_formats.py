import core.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0016_import_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="export",
            name="formats",
            field=core.fields.JSONField(
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="How its file writes dates and times: {date_format, time_format, timezone}.",
            ),
        ),
    ]
