from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_word_back_office'),
    ]

    operations = [
        migrations.AddField(
            model_name='companysettings',
            name='lost_reason_required',
            field=models.BooleanField(db_default=False, default=False, help_text='A lead cannot be moved to a lost stage without a reason.'),
        ),
    ]
