from django.db import migrations, models

# Of apps that share a number the oldest stays: the others are switched off, or have to be tested anew.
SINGLE = """
SELECT set_config('app.owner', 'on', true);
UPDATE outreach_chatapp a SET is_active = false FROM outreach_chatapp b
WHERE a.is_active AND b.is_active AND a.company_id = b.company_id AND a.phone_number_id = b.phone_number_id AND b.id < a.id;
UPDATE outreach_chatapp a SET verified = false FROM outreach_chatapp b
WHERE a.is_active AND b.is_active AND a.verified AND b.verified AND a.phone_number_id = b.phone_number_id AND b.id < a.id;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('outreach', '0016_conversations_inbox'),
    ]

    operations = [
        migrations.RunSQL(SINGLE, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='chatapp',
            constraint=models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('company', 'phone_number_id'), name='chatapp_phone_in_company', violation_error_message='this number is connected already; switch the other app off first'),
        ),
        migrations.AddConstraint(
            model_name='chatapp',
            constraint=models.UniqueConstraint(condition=models.Q(('is_active', True), ('verified', True)), fields=('phone_number_id',), name='chatapp_phone_held', violation_error_message='this number is connected already; switch the other app off first'),
        ),
    ]
