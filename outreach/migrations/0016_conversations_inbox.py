import core.fields
import core.ids
import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0001_squashed_0006_where_sessions_are'),
        ('crm', '0006_workflows_of_activities'),
        ('outreach', '0015_chat'),
    ]

    operations = [
        migrations.CreateModel(
            name='AnswerTime',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('first_minutes', models.PositiveIntegerField(help_text='Until the first answer; empty: any time.', null=True)),
                ('next_minutes', models.PositiveIntegerField(help_text='Until each later answer; empty: any time.', null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddField(
            model_name='cannedanswer',
            name='shortcut',
            field=models.CharField(blank=True, db_default='', default='', help_text='What is typed behind a slash to get it.', max_length=32),
        ),
        migrations.AddField(
            model_name='conversation',
            name='answer_due_at',
            field=models.DateTimeField(help_text='Until when a member is to answer (AnswerTime).', null=True),
        ),
        migrations.AddField(
            model_name='conversation',
            name='mail_app',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='outreach.mailapp'),
        ),
        migrations.AddField(
            model_name='conversation',
            name='overdue_at',
            field=models.DateTimeField(help_text='When it was told that the answer is late.', null=True),
        ),
        migrations.AddField(
            model_name='conversation',
            name='smtp',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, help_text='Of mail: the sender whose message was answered last, by which answers go.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='outreach.smtp'),
        ),
        migrations.AddField(
            model_name='conversation',
            name='subject',
            field=models.CharField(blank=True, db_default='', default='', help_text='Of the last mail.', max_length=200),
        ),
        migrations.AddField(
            model_name='conversation',
            name='waiting_since',
            field=models.DateTimeField(help_text='When the person wrote what nobody has answered yet.', null=True),
        ),
        migrations.AddField(
            model_name='conversationmessage',
            name='inbound',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, help_text='The received mail; what deletes it deletes the message.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='outreach.inboundmessage'),
        ),
        migrations.AlterField(
            model_name='conversation',
            name='address',
            field=models.CharField(help_text='Who writes: the number, as E.164, or the e-mail address.', max_length=320),
        ),
        migrations.AlterField(
            model_name='conversation',
            name='channel',
            field=models.CharField(choices=[('chatapp', 'Chatapp'), ('mail', 'Mail'), ('widget', 'Widget')], default='chatapp', max_length=12),
        ),
        migrations.AddIndex(
            model_name='conversation',
            index=models.Index(condition=models.Q(('answer_due_at__isnull', False), ('overdue_at__isnull', True), ('snoozed_until__isnull', True)), fields=['answer_due_at'], name='conversation_answer_due'),
        ),
        migrations.AddIndex(
            model_name='conversationmessage',
            index=models.Index(condition=models.Q(('inbound__isnull', False)), fields=['inbound'], name='conversationmessage_mail'),
        ),
        migrations.AddConstraint(
            model_name='cannedanswer',
            constraint=models.UniqueConstraint(models.F('company'), django.db.models.functions.text.Lower('shortcut'), condition=models.Q(('shortcut', ''), _negated=True), name='cannedanswer_shortcut_unique'),
        ),
        migrations.AddField(
            model_name='answertime',
            name='company',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company'),
        ),
        migrations.AddField(
            model_name='answertime',
            name='created_by',
            field=core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member'),
        ),
        migrations.AddField(
            model_name='answertime',
            name='team',
            field=core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='crm.team'),
        ),
        migrations.AddField(
            model_name='answertime',
            name='updated_by',
            field=core.fields.CompanyForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member'),
        ),
        migrations.AddIndex(
            model_name='answertime',
            index=models.Index(fields=['company', 'created_at', 'id'], name='answertime_newest'),
        ),
        migrations.AddConstraint(
            model_name='answertime',
            constraint=models.UniqueConstraint(fields=('company', 'team'), name='answertime_once', nulls_distinct=False),
        ),
    ]
