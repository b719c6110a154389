from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_keep_signatures'),
    ]

    operations = [
        migrations.AddField(
            model_name='companysettings',
            name='lost_reason_required',
            field=models.BooleanField(db_default=False, default=False, help_text='A lead cannot be moved to a lost stage without a reason.'),
        ),
    ]
