from django.db import migrations, models


class Migration(migrations.Migration):
    """Rename the field alone; the column keeps its name."""

    dependencies = [("crm", "0001_squashed_0007_search")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("teammember", "dealt_at", models.DateTimeField(db_column="dealt_at", null=True)),
                migrations.RenameField("teammember", "dealt_at", "last_assigned_at"),
            ]
        )
    ]
