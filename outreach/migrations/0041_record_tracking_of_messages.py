from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0040_add_personal_mail")]

    operations = [
        migrations.AddField(
            model_name="sendjob",
            name="opens_tracked",
            field=models.BooleanField(db_default=False, default=False, help_text="It was sent with open tracking."),
        ),
        migrations.AddField(
            model_name="sendjob",
            name="clicks_tracked",
            field=models.BooleanField(db_default=False, default=False, help_text="It was sent with click tracking."),
        ),
    ]
