from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('outreach', '0013_workflow_messages'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='sendjob',
            name='sendjob_newest',
        ),
        migrations.RemoveIndex(
            model_name='sendjob',
            name='sendjob_planned',
        ),
        migrations.AddIndex(
            model_name='sendjob',
            index=models.Index(fields=['company', 'created_at', 'id'], include=('status', 'run', 'smtp', 'mail_app', 'channel', 'open_count', 'click_count', 'created_by', 'step'), name='sendjob_planned'),
        ),
        migrations.RemoveIndex(
            model_name='inboundmessage',
            name='inboundmessage_newest',
        ),
        migrations.RemoveIndex(
            model_name='inboundmessage',
            name='inboundmessage_unread',
        ),
        migrations.AddIndex(
            model_name='inboundmessage',
            index=models.Index(fields=['company', 'received_at', 'id'], name='inboundmessage_newest'),
        ),
        migrations.AddIndex(
            model_name='inboundmessage',
            index=models.Index(condition=models.Q(('kind', 'reply'), ('read_at__isnull', True)), fields=['company', 'received_at', 'id'], name='inboundmessage_unread'),
        ),
    ]
