from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('crm', '0023_search_organizations'),
    ]

    operations = [
        AddIndexOnline(
            model_name='contact',
            index=models.Index(fields=['company', 'organization', 'id'], name='contact_organization'),
        ),
        AddIndexOnline(
            model_name='lead',
            index=models.Index(fields=['company', 'organization', 'id'], name='lead_organization'),
        ),
        AddIndexOnline(
            model_name='leadactivity',
            index=models.Index(condition=models.Q(('organization__isnull', False)), fields=['organization', 'happened_at', 'id'], name='leadactivity_organization'),
        ),
    ]
