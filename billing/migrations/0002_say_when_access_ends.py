from django.db import migrations, models


class Migration(migrations.Migration):
    """Change a help text alone; the table doesn't change."""

    dependencies = [
        ("billing", "0001_squashed_0002_access"),
    ]

    operations = [
        migrations.AlterField(
            model_name="subscription",
            name="ends_at",
            field=models.DateTimeField(blank=True, help_text="When access ends; empty: it does not.", null=True),
        ),
    ]
