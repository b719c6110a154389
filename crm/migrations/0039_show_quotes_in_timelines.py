from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('crm', '0038_name_reasons_for_loss'),
    ]

    operations = [
        migrations.AlterField(
            model_name='leadactivity',
            name='kind',
            field=models.CharField(choices=[('created', 'Created'), ('changed', 'Changed'), ('status', 'Status'), ('assigned', 'Assigned'), ('note', 'Note'), ('comment', 'Comment'), ('mail', 'Mail'), ('call', 'Call'), ('meeting', 'Meeting'), ('follow_up', 'Follow Up'), ('merged', 'Merged'), ('deleted', 'Deleted'), ('restored', 'Restored'), ('imported', 'Imported'), ('quote', 'Quote')], max_length=12),
        ),
    ]
