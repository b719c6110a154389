from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("crm", "0028_free_keys_of_leads")]

    operations = [
        migrations.AlterField(
            model_name="duplicatedismissal",
            name="panel",
            field=models.CharField(max_length=16),
        ),
        AddIndexOnline(
            model_name="organization",
            index=models.Index(
                condition=models.Q(("is_deleted", False)),
                fields=["company", "updated_at", "id"],
                name="organization_changed",
            ),
        ),
    ]
