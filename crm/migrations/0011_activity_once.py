from django.db import migrations, models
from django.db.models import Q

import core.fields


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0010_journal_once"),
    ]

    operations = [
        migrations.RemoveConstraint("leadactivity", "leadactivity_once"),
        migrations.AlterField(
            "leadactivity",
            "event_id",
            core.fields.ObjectIdField(
                db_collation="C",
                editable=False,
                help_text="The domain event it was made from: one activity of a kind for each event and record.",
                max_length=24,
                null=True,
            ),
        ),
        migrations.AddConstraint(
            "leadactivity",
            models.UniqueConstraint(
                fields=("event_id", "lead", "kind"),
                condition=Q(event_id__isnull=False),
                name="leadactivity_once",
                nulls_distinct=False,
            ),
        ),
    ]
