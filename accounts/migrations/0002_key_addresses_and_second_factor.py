import accounts.auth.models
import core.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0003_mail_calendar"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="allowed_ips",
            field=core.fields.JSONField(
                blank=True, help_text="Where a restricted key works: addresses and networks.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="duration_minutes",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='SecondFactor',
            fields=[
                ('name', models.CharField(help_text='The human-readable name of this device.', max_length=64)),
                ('confirmed', models.BooleanField(default=True, help_text='Is this device ready for use?')),
                ('throttling_failure_timestamp', models.DateTimeField(blank=True, default=None, help_text='A timestamp of the last failed verification attempt. Null if last attempt succeeded.', null=True)),
                ('throttling_failure_count', models.PositiveIntegerField(default=0, help_text='Number of successive failed attempts.')),
                ('created_at', models.DateTimeField(auto_now_add=True, help_text='The date and time when this device was initially created in the system.', null=True)),
                ('last_used_at', models.DateTimeField(blank=True, help_text='The most recent date and time this device was used.', null=True)),
                ('id', models.BigIntegerField(default=accounts.auth.models.new_number, editable=False, primary_key=True, serialize=False)),
                ('key', core.fields.EncryptedTextField(default=accounts.auth.models.new_key)),
                ('last_step', models.BigIntegerField(default=-1, help_text='The time step of the last code, which works only once.')),
                ('backup_codes', core.fields.JSONField(default=list, help_text='Keyed hashes of the codes that are left.')),
                ('user', models.ForeignKey(help_text='The user that this device belongs to.', on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user',), name='second_factor_once')],
            },
        ),
    ]
