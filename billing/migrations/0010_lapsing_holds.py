from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('billing', '0009_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='redemption',
            name='held_until',
            field=models.DateTimeField(help_text='The hold is over then; null: when the order is decided.', null=True),
        ),
        migrations.AddIndex(
            model_name='redemption',
            index=models.Index(condition=models.Q(('state', 'held')), fields=['held_until', 'id'], name='redemption_lapsing'),
        ),
    ]
