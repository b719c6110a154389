from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outreach", "0026_request_ids"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversationmessage",
            name="file_deaths",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Workers that took its file and died since it was last settled.",
            ),
        ),
    ]
