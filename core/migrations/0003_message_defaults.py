from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_task_schedule"),
    ]

    operations = [
        migrations.AddField(
            model_name="responsemessage",
            name="default_status",
            field=models.PositiveSmallIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="responsemessage",
            name="default_text",
            field=models.CharField(editable=False, max_length=500, null=True),
        ),
    ]
