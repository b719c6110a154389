import core.fields
import django.db.models.deletion
from django.db import migrations

from crm.custom_fields.added_fields import free_keys


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_require_lost_reasons'),
        ('crm', '0031_index_tasks'),
    ]

    operations = [
        migrations.AddField(
            model_name='contact',
            name='owner',
            field=core.fields.CompanyForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='contacts', to='accounts.member'),
        ),
        # Contacts have a value of this name now, which own fields had in some companies.
        free_keys('contact', ('owner',)),
    ]
