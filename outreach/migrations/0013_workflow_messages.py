from django.db import migrations, models

import core.fields
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('outreach', '0012_failed_calls_of_models'),
    ]

    operations = [
        migrations.AddField(
            model_name='geniescheduler',
            name='of_node',
            field=models.CharField(blank=True, db_default='', default='', help_text='Which version and node of the workflow does.', max_length=96),
        ),
        migrations.AddField(
            model_name='geniescheduler',
            name='of_workflow',
            field=models.CharField(blank=True, db_default='', default='', help_text='The workflow that plans its messages, by id.', max_length=24),
        ),
        migrations.AddField(
            model_name='sendjob',
            name='workflow_run',
            field=models.CharField(blank=True, db_default='', default='', help_text='The run of a workflow that planned it, by id.', max_length=24),
        ),
        migrations.AddField(
            model_name='sendjob',
            name='held_at',
            field=models.DateTimeField(help_text="Since when it does not go: the run of the workflow is paused.", null=True),
        ),
        migrations.AddField(
            model_name='sendjob',
            name='workflow_waits',
            field=core.fields.JSONField(help_text="Token and epoch of the workflow's run, while it waits until the message has ended.", null=True),
        ),
        migrations.AddIndex(
            model_name='sendjob',
            index=models.Index(condition=models.Q(('status__in', ('sent', 'failed', 'unknown', 'cancelled', 'suppressed')), ('workflow_waits__isnull', False)), fields=['id'], name='sendjob_workflow_waits'),
        ),
        migrations.AddIndex(
            model_name='sendjob',
            index=models.Index(condition=models.Q(('workflow_run', ''), _negated=True), fields=['workflow_run'], name='sendjob_workflow_run'),
        ),
        migrations.AddConstraint(
            model_name='geniescheduler',
            constraint=models.UniqueConstraint(condition=models.Q(('of_workflow', ''), _negated=True), fields=('company', 'of_workflow', 'of_node'), name='genie_of_workflow'),
        ),
    ]
