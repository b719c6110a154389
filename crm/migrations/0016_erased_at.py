from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('crm', '0015_team_leads'),
    ]

    operations = [
        migrations.AddField(
            model_name='contact',
            name='erased_at',
            field=models.DateTimeField(editable=False, help_text='When all that is personal was removed; the row stays blank.', null=True),
        ),
    ]
