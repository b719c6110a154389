"""Name a field after what it holds; the column keeps its name."""

from django.db import migrations, models



class Migration(migrations.Migration):
    dependencies = [("crm", "0017_export_formats")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("webhook", "told", "notice_count"),
                migrations.AlterField(
                    "webhook",
                    "notice_count",
                    models.PositiveSmallIntegerField(
                        db_column="told", default=0, editable=False, help_text="Notices about these failures."
                    ),
                ),
            ]
        )
    ]
