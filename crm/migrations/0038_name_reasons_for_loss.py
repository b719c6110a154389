from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0037_mark_results_of_meetings"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="lostreason",
            options={
                "base_manager_name": "objects",
                "verbose_name": "reason for loss",
                "verbose_name_plural": "reasons for loss",
            },
        ),
    ]
