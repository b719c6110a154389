from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [("crm", "0030_free_tasks_of_leads")]

    operations = [
        AddIndexOnline(
            model_name="followup",
            index=models.Index(
                condition=models.Q(("contact__isnull", False)),
                fields=["contact", "due_at", "id"],
                name="followup_contact",
            ),
        ),
        AddIndexOnline(
            model_name="followup",
            index=models.Index(
                condition=models.Q(("organization__isnull", False)),
                fields=["organization", "due_at", "id"],
                name="followup_organization",
            ),
        ),
        AddIndexOnline(
            model_name="followup",
            index=models.Index(
                condition=models.Q(("notice_at__isnull", False), ("status", "open")),
                fields=["notice_at"],
                name="followup_noticing",
            ),
        ),
    ]
