import core.fields
import django.db.models.deletion
from django.db import migrations, models

# Functions keep their plans, so that a statement which reads custom values is planned as fast as without them. STABLE
# ones see what the statement sees.
FUNCTIONS = """
CREATE FUNCTION custom_pending() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM crm_customfield WHERE pending);
END
$$;
CREATE FUNCTION custom_present(company text, record text, custom jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce((
        SELECT (custom - array_agg(f.unique_field_id::text))
            || coalesce(jsonb_object_agg(f.unique_field_id, c.after) FILTER (WHERE c.after IS NOT NULL), '{}')
        FROM crm_customfield f JOIN crm_convertedvalue c ON c.job_id = f.job_id AND c.record_id = record
        WHERE f.pending AND f.company_id = company
    ), custom);
END
$$;
"""


class Migration(migrations.Migration):
    """Values of converted fields that wait to be written into their records.

    The column `rows` of converted values stays, unused and null, for processes of the version before.
    """

    dependencies = [
        ('accounts', '0003_duplicate_leads'),
        ('crm', '0011_value_indexes_hold_company'),
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
        migrations.RunSQL(FUNCTIONS, 'DROP FUNCTION custom_present(text, text, jsonb); DROP FUNCTION custom_pending()'),
    ]
