"""Name a field after what it holds; the column keeps its name."""

from django.db import migrations, models



class Migration(migrations.Migration):
    dependencies = [("workflows", "0007_words")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("runtimer", "runtimer_due"),
                migrations.RenameField("runtimer", "told", "is_enqueued"),
                migrations.AlterField(
                    "runtimer",
                    "is_enqueued",
                    models.BooleanField(
                        db_column="told", default=False, help_text="The run is queued since this is due."
                    ),
                ),
                migrations.AddIndex(
                    "runtimer",
                    models.Index(fields=("due_at",), condition=models.Q(is_enqueued=False), name="runtimer_due"),
                ),
            ]
        )
    ]
