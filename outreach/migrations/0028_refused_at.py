from django.db import migrations, models
from django.db.models.lookups import IsNull

from core.migration_operations import AddIndexOnline

HANDED_AT = models.Case(models.When(sending_at__isnull=False, then="sending_at"), default="refused_at")
DATE_REFUSED = """
UPDATE outreach_sendjob j SET refused_at = COALESCE(
    j.bounced_at,
    (SELECT max(t.created_at) FROM outreach_sendjobtransition t WHERE t.send_job_id = j.id AND t.to_status = 'failed'),
    j.updated_at
) WHERE j.status = 'failed' AND j.sending_at IS NULL AND j.refused_at IS NULL AND j.attempts > 0
"""


class Migration(migrations.Migration):
    atomic = False  # the index is built without a lock

    dependencies = [
        ("outreach", "0027_deaths_over_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="sendjob",
            name="refused_at",
            field=models.DateTimeField(
                help_text="When its server refused it for good at once; it has no time of sending then.", null=True
            ),
        ),
        migrations.RunSQL(DATE_REFUSED, migrations.RunSQL.noop),
        AddIndexOnline(
            model_name="sendjob",
            index=models.Index(
                models.F("company"),
                HANDED_AT,
                condition=models.Q(IsNull(HANDED_AT, False)),
                include=(
                    "id",
                    "status",
                    "run",
                    "smtp",
                    "mail_app",
                    "channel",
                    "open_count",
                    "click_count",
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
        migrations.RemoveIndex(model_name="sendjob", name="sendjob_handed_over"),
    ]
