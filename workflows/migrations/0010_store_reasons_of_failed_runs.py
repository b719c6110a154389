from __future__ import annotations

from django.db import migrations

import core.fields


class Migration(migrations.Migration):
    dependencies = [
        ("workflows", "0009_word_back_office"),
    ]

    operations = [
        migrations.AddField(
            model_name="workflowrun",
            name="error_reason",
            field=core.fields.JSONField(
                help_text="The error's text for people, and the setting that it is about.", null=True
            ),
        ),
    ]
