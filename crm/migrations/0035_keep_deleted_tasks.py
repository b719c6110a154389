from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [("crm", "0034_add_comments")]

    operations = [
        migrations.AddField(
            model_name="followup",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
