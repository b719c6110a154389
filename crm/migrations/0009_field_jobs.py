import django.db.models.deletion
from django.db import migrations, models

import core.fields
import core.ids


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_mail_calendar"),
        ("crm", "0008_duplicates"),
    ]

    operations = [
        migrations.CreateModel(
            name="ConvertedValue",
            fields=[
                ("pk", models.CompositePrimaryKey("job_id", "record_id", blank=True, editable=False, primary_key=True, serialize=False)),
                ("record_id", core.ids.ObjectIdField(db_collation="C", editable=False, max_length=24)),
                ("before", core.fields.JSONField()),
                ("after", core.fields.JSONField(null=True)),
                ("rows", core.fields.JSONField(null=True)),
                (
                    "company",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.company",
                    ),
                ),
                (
                    "job",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="converted_values",
                        to="crm.bulkjob",
                    ),
                ),
            ],
            options={"abstract": False, "base_manager_name": "objects"},
        ),
        migrations.RemoveConstraint(model_name="customfield", name="customfield_name_unique"),
        migrations.AddField(
            model_name="customfield",
            name="deleted_at",
            field=models.DateTimeField(editable=False, help_text="Nobody sees it any more; it goes when its values have gone.", null=True),
        ),
        migrations.AddField(
            model_name="customfield",
            name="job",
            field=core.fields.CompanyForeignKey(
                db_constraint=False,
                db_index=False,
                editable=False,
                help_text="What converts its values, or removes them, while that is not done.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="crm.bulkjob",
            ),
        ),
        migrations.AddIndex(
            model_name="customfield",
            index=models.Index(condition=models.Q(("job__isnull", False)), fields=["job"], name="customfield_job"),
        ),
        migrations.AddConstraint(
            model_name="customfield",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at", None)), fields=("company", "panel", "name"), name="customfield_name_unique"
            ),
        ),
    ]
