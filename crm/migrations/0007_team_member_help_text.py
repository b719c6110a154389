from django.db import migrations, models


class Migration(migrations.Migration):
    """Change a help text alone; the database stays as it is."""

    dependencies = [("crm", "0006_created_order_and_enquiry_text")]

    operations = [
        migrations.AlterField(
            "teammember",
            "is_available",
            models.BooleanField(default=True, help_text="Off: is assigned no leads, stays in the team."),
        ),
    ]
