from django.db import migrations, models
from django.db.models import Q

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # the index is built without a lock

    dependencies = [
        ("outreach", "0030_help_texts_name_moved_modules"),
    ]

    operations = [
        AddIndexOnline(
            model_name="sendjob",
            index=models.Index(
                fields=["mail_app", "message_id"],
                condition=Q(mail_app__isnull=False) & ~Q(message_id=""),
                name="sendjob_vendor_message_id",
            ),
        ),
    ]
