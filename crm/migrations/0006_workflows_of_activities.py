from django.db import migrations

from core.fields import JSONField
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):
    dependencies = [("crm", "0005_redriven_runs")]

    operations = [
        migrations.AddField(
            model_name="leadactivity",
            name="workflow",
            field=JSONField(
                editable=False, help_text="The workflow that did it: _id, and name as it was then.", null=True
            ),
        ),
    ]
