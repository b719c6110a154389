from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0014_sort_indexes"),
    ]

    operations = [
        migrations.RemoveIndex("lead", "lead_team"),
        migrations.AddIndex("lead", models.Index(fields=["company", "team", "id"], name="lead_team")),
    ]
