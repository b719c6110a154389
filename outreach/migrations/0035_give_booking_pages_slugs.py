from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outreach", "0034_let_visitors_have_no_contact"),
    ]

    operations = [
        migrations.AddField(
            model_name="bookingpage",
            name="slug",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="In its chosen address; empty: it has none.",
                max_length=60,
            ),
        ),
    ]
