from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0048_add_quotes")]

    operations = [
        migrations.AddField(
            model_name="trackingevent",
            name="of_places",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How many links the message has, with repeats and untracked ones.",
            ),
        ),
        migrations.AddField(
            model_name="trackingevent",
            name="place",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Place of the link among all links of the message, from 1; 0: not known.",
            ),
        ),
    ]
