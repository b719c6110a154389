from django.db import migrations

from crm.custom_fields.added_fields import free_keys


class Migration(migrations.Migration):

    dependencies = [
        ('crm', '0027_place_leads_in_stages'),
    ]

    operations = [
        # Values of leads have these names now, which own fields had in some companies.
        free_keys('lead', ('owner', 'pipeline', 'stage', 'lostReason', 'expectedCloseAt')),
    ]
