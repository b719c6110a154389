from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_mail_calendar"),
        ("crm", "0006_activities_and_changes"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="followup",
            index=models.Index(fields=["company", "created_at", "id"], name="followup_newest"),
        ),
        migrations.AddIndex(
            model_name="followup",
            index=models.Index(
                condition=models.Q(("assignee__isnull", False)), fields=["assignee", "due_at", "id"], name="followup_assignee"
            ),
        ),
        migrations.RenameIndex(model_name="meeting", new_name="meeting_start", old_name="meeting_newest"),
        migrations.AddIndex(
            model_name="meeting",
            index=models.Index(fields=["company", "created_at", "id"], name="meeting_newest"),
        ),
    ]
