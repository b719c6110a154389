import core.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0003_mail_calendar"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="allowed_ips",
            field=core.fields.JSONField(
                blank=True, help_text="Where a restricted key works: addresses and networks.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="duration_minutes",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
