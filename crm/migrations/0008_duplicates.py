from django.db import migrations, models

EMAIL_IDENTITY = """
CASE WHEN strpos(%(expressions)s, '@') > 1 THEN
    CASE WHEN split_part(lower(%(expressions)s), '@', 2) IN ('gmail.com', 'googlemail.com')
    THEN 'gmail.com@' || replace(
        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1)),
        '.', '')
    ELSE split_part(lower(%(expressions)s), '@', 2) || '@' ||
        coalesce(nullif(split_part(split_part(lower(%(expressions)s), '@', 1), '+', 1), ''), split_part(lower(%(expressions)s), '@', 1))
    END
END"""


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0007_meeting_lists"),
    ]

    operations = [
        migrations.AddField(
            model_name="contact",
            name="email_identity",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(models.F("email"), output_field=models.TextField(), template=EMAIL_IDENTITY),
                help_text="What duplicates are found by; the database keeps it.",
                output_field=models.CharField(db_collation="C", max_length=300, null=True),
            ),
        ),
        migrations.AddIndex(
            model_name="contact",
            index=models.Index(
                condition=models.Q(("contact_number__isnull", False), ("is_deleted", False)),
                fields=["company", "contact_number", "id"],
                name="contact_same_number",
            ),
        ),
        migrations.AddIndex(
            model_name="contact",
            index=models.Index(
                condition=models.Q(("email_identity__isnull", False), ("is_deleted", False)),
                fields=["company", "email_identity", "id"],
                name="contact_same_email",
            ),
        ),
        migrations.AddIndex(
            model_name="lead",
            index=models.Index(
                condition=models.Q(("is_deleted", False)),
                fields=["company", "contact", "id"],
                include=("status",),
                name="lead_same_contact",
            ),
        ),
        migrations.AddIndex(
            model_name="meetingattendee",
            index=models.Index(condition=models.Q(("contact__isnull", False)), fields=["contact"], name="meetingattendee_contact"),
        ),
    ]
