from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0001_squashed_0031_index_message_ids_of_vendors")]

    operations = [
        migrations.AddField(
            model_name="chatapp",
            name="renewal_failed_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When its token could not be renewed: its last error, if that is of the same time.",
                null=True,
            ),
        ),
    ]
