import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models

from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):
    dependencies = [
        ("accounts", "0001_squashed_0006_where_sessions_are"),
        ("crm", "0007_words"),
    ]

    operations = [
        migrations.CreateModel(
            name="VideoSettings",
            fields=[
                (
                    "id",
                    core.ids.ObjectIdField(
                        db_collation="C",
                        default=core.ids.new_id,
                        editable=False,
                        max_length=24,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "link_template",
                    models.CharField(blank=True, default="", help_text="With {meeting} or {random}.", max_length=300),
                ),
                (
                    "provider",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="What makes the link of a call that names none.",
                        max_length=24,
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
            },
        ),
        migrations.AddField(
            model_name="meeting",
            name="kind",
            field=models.CharField(
                choices=[("online", "Online"), ("offline", "Offline")],
                db_default="offline",
                default="offline",
                help_text="By video, or at a place.",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="meeting",
            name="video_error",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="Why there is no link yet.",
                max_length=500,
            ),
        ),
        migrations.AddField(
            model_name="meeting",
            name="video_provider",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="What makes the link, if it is made.", max_length=24
            ),
        ),
        migrations.AddIndex(
            model_name="meeting",
            index=models.Index(fields=["company", "kind", "created_at", "id"], name="meeting_kind"),
        ),
        migrations.AddField(
            model_name="videosettings",
            name="company",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.company",
            ),
        ),
        migrations.AddField(
            model_name="videosettings",
            name="updated_by",
            field=core.fields.CompanyForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="accounts.member",
            ),
        ),
        migrations.AddConstraint(
            model_name="videosettings",
            constraint=models.UniqueConstraint(fields=("company",), name="videosettings_once"),
        ),
    ]
