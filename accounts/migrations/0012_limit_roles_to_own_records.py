import core.fields
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_require_lost_reasons'),
    ]

    operations = [
        migrations.AddField(
            model_name='role',
            name='record_scope',
            field=core.fields.JSONField(blank=True, db_default={}, default=dict, help_text='Module (contact, lead) -> own, where its members meet their own records.'),
        ),
    ]
