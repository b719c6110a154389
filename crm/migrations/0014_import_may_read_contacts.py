from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('crm', '0013_datetime_field'),
    ]

    operations = [
        migrations.AddField(
            model_name='import',
            name='may_read_contacts',
            field=models.BooleanField(db_default=True, default=True, help_text='Whoever started an import may read contacts.'),
        ),
    ]
