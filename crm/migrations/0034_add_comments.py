import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0011_require_lost_reasons'),
        ('crm', '0033_index_owners_of_contacts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='leadactivity',
            name='kind',
            field=models.CharField(choices=[('created', 'Created'), ('changed', 'Changed'), ('status', 'Status'), ('assigned', 'Assigned'), ('note', 'Note'), ('comment', 'Comment'), ('mail', 'Mail'), ('call', 'Call'), ('meeting', 'Meeting'), ('follow_up', 'Follow Up'), ('merged', 'Merged'), ('deleted', 'Deleted'), ('restored', 'Restored'), ('imported', 'Imported')], max_length=12),
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('text', models.TextField()),
                ('edited_at', models.DateTimeField(editable=False, null=True)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('contact', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='crm.contact')),
                ('created_by', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.member')),
                ('lead', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='crm.lead')),
                ('organization', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='crm.organization')),
                ('task', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='crm.followup')),
            ],
            options={
                'verbose_name': 'comment',
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='CommentMention',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('label', models.CharField(blank=True, help_text='The name or address after the @ in the text; empty: mentioned by id.', max_length=254)),
                ('is_current', models.BooleanField(default=True, help_text='Off: the comment was edited and mentions them no more.')),
                ('comment', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='crm.comment')),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('member', core.fields.CompanyForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.member')),
            ],
            options={
                'verbose_name': 'mention',
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(fields=['company', 'created_at', 'id'], name='comment_newest'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('contact__isnull', False)), fields=['contact', 'created_at', 'id'], name='comment_contact'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('lead__isnull', False)), fields=['lead', 'created_at', 'id'], name='comment_lead'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('organization__isnull', False)), fields=['organization', 'created_at', 'id'], name='comment_organization'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('task__isnull', False)), fields=['task', 'created_at', 'id'], name='comment_task'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('created_by__isnull', False)), fields=['created_by', 'created_at', 'id'], name='comment_created_by'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('deleted_at__isnull', False)), fields=['deleted_at'], name='comment_deleted'),
        ),
        migrations.AddConstraint(
            model_name='comment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('contact__isnull', False), ('lead__isnull', True), ('organization__isnull', True), ('task__isnull', True)), models.Q(('contact__isnull', True), ('lead__isnull', False), ('organization__isnull', True), ('task__isnull', True)), models.Q(('contact__isnull', True), ('lead__isnull', True), ('organization__isnull', False), ('task__isnull', True)), models.Q(('contact__isnull', True), ('lead__isnull', True), ('organization__isnull', True), ('task__isnull', False)), _connector='OR'), name='comment_of_one_record'),
        ),
        migrations.AddConstraint(
            model_name='commentmention',
            constraint=models.UniqueConstraint(fields=('comment', 'member'), name='commentmention_once'),
        ),
    ]
