from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outreach", "0042_record_confirmed_contacts")]

    operations = [
        migrations.AddField(
            model_name="personalmail",
            name="key",
            field=models.CharField(
                db_collation="C",
                editable=False,
                help_text="The writer's own name of it, by which repeated requests find it.",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="personalmail",
            constraint=models.UniqueConstraint(fields=("company", "key"), name="personalmail_key"),
        ),
    ]
