import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_keep_signatures"),
        ("crm", "0021_word_back_office"),
        ("outreach", "0039_word_back_office"),
    ]

    operations = [
        migrations.AddField(
            model_name="geniesettings",
            name="personal_unsubscribe",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Members' own mails have a link to unsubscribe, too."
            ),
        ),
        migrations.AddField(
            model_name="sendjob",
            name="personal",
            field=models.BooleanField(
                db_default=False, default=False, help_text="A member has written it to this one person."
            ),
        ),
        migrations.CreateModel(
            name="PersonalMail",
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
                ("subject", models.CharField(blank=True, default="", max_length=200)),
                ("text", models.TextField(blank=True, default="", help_text="Plain text; empty where there is HTML.")),
                ("html", models.TextField(blank=True, default="", help_text="HTML or MJML, as it was written.")),
                (
                    "signature",
                    models.TextField(blank=True, default="", help_text="Plain text or HTML below the words."),
                ),
                (
                    "attachments",
                    core.fields.JSONField(blank=True, default=list, help_text="Ids of the files that go with it."),
                ),
                ("send_at", models.DateTimeField(blank=True, help_text="Not before; empty: at once.", null=True)),
                (
                    "answers_mail",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        help_text="The received mail whose thread it continues.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outreach.inboundmessage",
                    ),
                ),
                (
                    "answers_message",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        help_text="The sent message whose thread it continues.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outreach.sendjob",
                    ),
                ),
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
                    "contact",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crm.contact",
                    ),
                ),
                (
                    "created_by",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="accounts.member",
                    ),
                ),
                (
                    "lead",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        help_text="The lead it was written from; empty: the contact.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crm.lead",
                    ),
                ),
                (
                    "mail_app",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outreach.mailapp",
                    ),
                ),
                (
                    "send_job",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        help_text="The message that was made of it; empty: it is a draft.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="personal_mails",
                        to="outreach.sendjob",
                    ),
                ),
                (
                    "smtp",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outreach.smtp",
                    ),
                ),
                (
                    "template",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        db_index=False,
                        help_text="The template whose words it began with.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outreach.emailtemplate",
                    ),
                ),
                (
                    "updated_by",
                    core.fields.CompanyForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="accounts.member",
                    ),
                ),
            ],
            options={
                "verbose_name": "member's email",
                "abstract": False,
                "base_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["company", "updated_at", "id"], name="personalmail_newest"),
                    models.Index(fields=["company", "created_at", "id"], name="personalmail_created"),
                ],
            },
        ),
    ]
