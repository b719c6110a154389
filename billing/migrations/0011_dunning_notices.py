"""Name a field after what it holds; the column keeps its name."""

from django.db import migrations, models

import core.fields


class Migration(migrations.Migration):
    dependencies = [("billing", "0010_lapsing_holds")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("dunning", "told", "notices"),
                migrations.AlterField(
                    "dunning",
                    "notices",
                    core.fields.JSONField(
                        db_column="told",
                        default=dict,
                        help_text="The notices sent to the company, with times.",
                    ),
                ),
            ]
        )
    ]
