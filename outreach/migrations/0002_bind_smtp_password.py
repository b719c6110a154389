from django.db import migrations

import core.fields


class Migration(migrations.Migration):
    dependencies = [
        ("outreach", "0001_squashed_0003_lead_generation"),
    ]

    operations = [
        migrations.AlterField(
            model_name="smtp",
            name="password",
            field=core.fields.EncryptedTextField(bound_to=("host", "port", "username", "secure")),
        ),
    ]
