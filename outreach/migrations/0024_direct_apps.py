from django.db import migrations, models

VENDORS = [("chatapp", "Chatapp"), ("messenger", "Messenger"), ("social-b", "Social B")]
HELD = "this number is connected already; switch the other app off first"


class Migration(migrations.Migration):
    dependencies = [("outreach", "0023_campaigns_by_chat")]

    operations = [
        migrations.RemoveConstraint(model_name="chatapp", name="chatapp_phone_in_company"),
        migrations.RemoveConstraint(model_name="chatapp", name="chatapp_phone_held"),
        migrations.AddField(
            model_name="chatapp",
            name="token_expires_at",
            field=models.DateTimeField(blank=True, help_text="Empty: it does not, or nobody has said.", null=True),
        ),
        migrations.AddField(
            model_name="chatapp",
            name="vendor",
            field=models.CharField(
                choices=VENDORS,
                db_default="chatapp",
                default="chatapp",
                editable=False,
                help_text="The connected app that it is, which is also the channel of its messages.",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="chatapp",
            name="display_number",
            field=models.CharField(
                blank=True,
                default="",
                help_text="As people dial it; of a bot or an account its name there.",
                max_length=40,
            ),
        ),
        migrations.AlterField(
            model_name="chatapp",
            name="phone_number_id",
            field=models.CharField(help_text="The vendor's id of the number, bot or account.", max_length=40),
        ),
        migrations.AlterField(
            model_name="chatapp",
            name="waba_id",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The business account that its templates belong to.",
                max_length=40,
            ),
        ),
        migrations.AlterField(
            model_name="chatevent",
            name="phone",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Whom it is about, as E.164, or by the vendor's id.",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="conversation",
            name="channel",
            field=models.CharField(
                choices=[
                    ("chatapp", "Chatapp"),
                    ("mail", "Mail"),
                    ("widget", "Widget"),
                    ("messenger", "Messenger"),
                    ("social-b", "Social B"),
                ],
                default="chatapp",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="sendjob",
            name="channel",
            field=models.CharField(
                choices=[
                    ("smtp", "Smtp"),
                    ("mailvendor-a", "Mailvendor A"),
                    ("mailvendor-b", "Mailvendor B"),
                    ("mailvendor-c", "Mailvendor C"),
                    ("mailvendor-d", "Mailvendor D"),
                    ("mailvendor-e", "Mailvendor E"),
                    ("mailvendor-f", "Mailvendor F"),
                    ("mailvendor-g", "Mailvendor G"),
                    ("mailvendor-h", "Mailvendor H"),
                    ("chatapp", "Chatapp"),
                    ("messenger", "Messenger"),
                    ("social-b", "Social B"),
                ],
                default="smtp",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="chatapp",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_active", True)),
                fields=("company", "vendor", "phone_number_id"),
                name="chatapp_phone_in_company",
                violation_error_message=HELD,
            ),
        ),
        migrations.AddConstraint(
            model_name="chatapp",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_active", True), ("verified", True)),
                fields=("vendor", "phone_number_id"),
                name="chatapp_phone_held",
                violation_error_message=HELD,
            ),
        ),
    ]
