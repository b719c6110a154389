from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0043_name_members_mails")]

    operations = [
        migrations.AlterField(
            model_name="sendjob",
            name="status",
            field=models.CharField(
                choices=[
                    ("planned", "Planned"),
                    ("draft", "Draft"),
                    ("approved", "Approved"),
                    ("claimed", "Claimed"),
                    ("sending", "Sending"),
                    ("sent", "Sent"),
                    ("failed", "Failed"),
                    ("unknown", "Delivery unknown"),
                    ("cancelled", "Cancelled"),
                    ("suppressed", "Suppressed"),
                ],
                default="planned",
                max_length=12,
            ),
        ),
    ]
