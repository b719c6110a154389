from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):
    dependencies = [("outreach", "0045_cover_tracked_messages")]

    operations = [
        migrations.AddField(
            model_name="geniesettings",
            name="utm_tags",
            field=models.BooleanField(db_default=False, default=False, help_text="Links of campaigns have UTM tags."),
        ),
        migrations.AddField(
            model_name="geniesettings",
            name="utm_source",
            field=models.CharField(blank=True, db_default="", default="", max_length=100),
        ),
        migrations.AddField(
            model_name="geniesettings",
            name="utm_medium",
            field=models.CharField(blank=True, db_default="", default="", max_length=100),
        ),
        migrations.AddField(
            model_name="campaign",
            name="utm_tags",
            field=models.BooleanField(
                db_default=True, default=True, help_text="Where the company has UTM tags; otherwise it changes nothing."
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="utm_source",
            field=models.CharField(blank=True, db_default="", default="", max_length=100),
        ),
        migrations.AddField(
            model_name="campaign",
            name="utm_medium",
            field=models.CharField(blank=True, db_default="", default="", max_length=100),
        ),
        migrations.AddField(
            model_name="campaign",
            name="utm_campaign",
            field=models.CharField(blank=True, db_default="", default="", max_length=100),
        ),
    ]
