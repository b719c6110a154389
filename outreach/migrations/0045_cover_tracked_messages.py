import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0011_require_lost_reasons"),
        ("crm", "0029_index_changes_of_organizations"),
        ("outreach", "0044_label_unknown_delivery"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="sendjob",
            name="sendjob_handed_at",
        ),
        migrations.AddIndex(
            model_name="sendjob",
            index=models.Index(
                models.F("company"),
                models.Case(models.When(sending_at__isnull=False, then="sending_at"), default="refused_at"),
                condition=models.Q(
                    django.db.models.lookups.IsNull(
                        models.Case(models.When(sending_at__isnull=False, then="sending_at"), default="refused_at"),
                        False,
                    )
                ),
                include=(
                    "id",
                    "status",
                    "run",
                    "smtp",
                    "mail_app",
                    "channel",
                    "open_count",
                    "click_count",
                    "opens_tracked",
                    "clicks_tracked",
                    "reason",
                    "delivery_status",
                    "bounced_at",
                    "recipient",
                    "sending_at",
                    "refused_at",
                ),
                name="sendjob_handed_at",
            ),
        ),
    ]
