from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [("crm", "0032_own_contacts")]

    operations = [
        AddIndexOnline(
            model_name="contact",
            index=models.Index(fields=["company", "owner", "created_at", "name", "id"], name="contact_owner"),
        ),
    ]
