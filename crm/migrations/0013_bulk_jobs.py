from django.db import migrations, models
from django.db.models import Q

import core.fields


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0012_search"),
    ]

    operations = [
        migrations.AddField("bulkjob", "rate", models.FloatField(help_text="Records a second, smoothed over the last batches.", null=True)),
        migrations.AddField(
            "bulkjob",
            "report",
            core.fields.JSONField(default=dict, help_text="Records that could not be changed or given back, by their ids, and why."),
        ),
        migrations.AlterField(
            "bulkjob",
            "panel",
            models.CharField(choices=[("contact", "Contact"), ("lead", "Lead"), ("productService", "Product Service")], max_length=16),
        ),
        migrations.AddIndex("bulkjob", models.Index(fields=["undoes"], condition=Q(undoes__isnull=False), name="bulkjob_undoes")),
        migrations.AddIndex(
            "bulkjob", models.Index(fields=["undoes_import"], condition=Q(undoes_import__isnull=False), name="bulkjob_undoes_import")
        ),
    ]
