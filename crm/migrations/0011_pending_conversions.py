import core.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Values of converted fields that wait to be written into their records.

    The column `rows` of converted values stays, unused and null, for processes of the version before.
    """

    dependencies = [
        ('accounts', '0003_duplicate_leads'),
        ('crm', '0010_fill_contact_sort_name'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name='convertedvalue', name='rows')],
        ),
        migrations.AddField(
            model_name='customfield',
            name='pending',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Its job has converted its values, but not yet written all of them into their records.'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='stored_as',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, editable=False, help_text='The hidden field that its typed values belong to since its last conversion.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='crm.customfield'),
        ),
        migrations.AlterField(
            model_name='customfield',
            name='deleted_at',
            field=models.DateTimeField(editable=False, help_text='Nobody sees it any more, or, of a field that only stores typed values, ever has.', null=True),
        ),
        migrations.AddIndex(
            model_name='customfield',
            index=models.Index(condition=models.Q(('pending', True)), fields=['company'], name='customfield_pending'),
        ),
    ]
