import django.db.models.deletion
from django.db import migrations, models

import core.fields
import core.ids
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('accounts', '0001_squashed_0006_where_sessions_are'),
        ('core', '0003_feed_of_events'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('caller', core.ids.ObjectIdField(db_collation='C', editable=False, help_text='The API key or the member that has sent it.', max_length=24)),
                ('key', models.CharField(help_text="The header's value.", max_length=255)),
                ('request', models.CharField(help_text='SHA-256 of the method, the path, the query and the body.', max_length=64)),
                ('operation', models.CharField(help_text='The method and the path.', max_length=300)),
                ('status', models.PositiveSmallIntegerField(help_text="The answer's; empty: the request is under way, or was cut off.", null=True)),
                ('answer', core.fields.EncryptedTextField(blank=True, help_text='The body, compressed. Too long a one is not kept.')),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
            ],
            options={
                'verbose_name': 'idempotency key',
                'abstract': False,
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('company', 'caller', 'key'), name='idempotencykey_once')],
            },
        ),
    ]
