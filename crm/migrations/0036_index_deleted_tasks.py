from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [("crm", "0035_keep_deleted_tasks")]

    operations = [
        AddIndexOnline(
            model_name="followup",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)),
                fields=["deleted_at"],
                name="followup_deleted",
            ),
        ),
    ]
