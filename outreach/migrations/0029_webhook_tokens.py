import django.db.models.deletion
from django.db import migrations, models

import core.fields
import core.ids
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0007_words'),
        ('outreach', '0028_refused_at'),
    ]

    operations = [
        migrations.CreateModel(
            name='MailHookToken',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('token_hash', models.CharField(max_length=64)),
                ('content_hash', models.CharField(max_length=64)),
                ('app', core.fields.CompanyForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='outreach.mailapp')),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
            ],
            options={
                'verbose_name': 'token of a webhook',
                'verbose_name_plural': 'tokens of webhooks',
                'abstract': False,
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['created_at'], name='mailhooktoken_age')],
                'constraints': [models.UniqueConstraint(fields=('app', 'token_hash'), name='mailhooktoken_once')],
            },
        ),
    ]
