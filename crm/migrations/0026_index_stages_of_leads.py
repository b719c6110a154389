from django.db import migrations, models

from core.migration_operations import AddIndexOnline


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [
        ("crm", "0025_add_pipelines"),
    ]

    operations = [
        AddIndexOnline(
            model_name="lead",
            index=models.Index(fields=["company", "pipeline", "created_at", "id"], name="lead_pipeline"),
        ),
        AddIndexOnline(
            model_name="lead",
            index=models.Index(fields=["company", "stage", "created_at", "id"], name="lead_stage"),
        ),
        AddIndexOnline(
            model_name="lead",
            index=models.Index(
                condition=models.Q(("lost_reason__isnull", False)),
                fields=["company", "lost_reason", "id"],
                name="lead_lost_reason",
            ),
        ),
        AddIndexOnline(
            model_name="lead",
            index=models.Index(
                condition=models.Q(("is_deleted", False)),
                fields=["company", "expected_close_at", "id"],
                name="lead_close",
            ),
        ),
    ]
