from django.db import migrations, models


class Migration(migrations.Migration):
    """The field `door` is called `auth_path` now. Its column keeps its name, so that the table doesn't change."""

    dependencies = [
        ("accounts", "0003_duplicate_leads"),
    ]

    operations = [
        migrations.AlterField(
            model_name="serverlog",
            name="door",
            field=models.CharField(
                blank=True,
                choices=[("key", "key"), ("session", "session"), ("private", "private"), ("public", "public")],
                db_column="door",
                max_length=8,
            ),
        ),
        migrations.RenameField(model_name="serverlog", old_name="door", new_name="auth_path"),
        migrations.AlterField(
            model_name="serverlog",
            name="route",
            field=models.CharField(
                help_text="Without the prefix, with its parameters' names; empty: unknown.", max_length=200
            ),
        ),
    ]
