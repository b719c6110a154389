from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0041_record_tracking_of_messages")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="contact_confirmed",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A member says that the contact writes, whose address a visitor named.",
            ),
        ),
    ]
