from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_word_back_office"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="signature",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="Plain text or HTML below the person's own emails."
            ),
        ),
    ]
