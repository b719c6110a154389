from django.db import migrations
from django.db.models import Index, Q
from django.db.models.functions import Upper

LIVE = Q(is_deleted=False)


def replaced(model: str, index: Index) -> tuple[migrations.RemoveIndex, migrations.AddIndex]:
    """The index in place of the one that had its name."""
    return migrations.RemoveIndex(model, index.name), migrations.AddIndex(model, index)


class Migration(migrations.Migration):
    dependencies = [
        ("crm", "0013_bulk_jobs"),
    ]

    operations = [
        *replaced("contact", Index(fields=["company", "name", "id"], name="contact_name")),
        *replaced("contact", Index("company", Upper("email"), "id", name="contact_email")),
        *replaced("contact", Index(fields=["company", "contact_number", "id"], include=["is_deleted"], name="contact_same_number")),
        *replaced("contact", Index(fields=["company", "category", "id"], name="contact_category")),
        *replaced("contact", Index(fields=["company", "import_job", "id"], name="contact_import")),
        migrations.AddIndex("contact", Index(fields=["company", "number", "id"], condition=LIVE, name="contact_number")),
        migrations.RemoveIndex("lead", "lead_contact"),
        *replaced("lead", Index(fields=["company", "contact", "id"], include=["status", "is_deleted"], name="lead_same_contact")),
        *replaced("lead", Index(fields=["company", "import_job", "id"], name="lead_import")),
        *replaced("lead", Index(fields=["company", "status", "id"], condition=LIVE, name="lead_status")),
        migrations.AddIndex("lead", Index(fields=["company", "source", "id"], condition=LIVE, name="lead_source")),
        migrations.AddIndex("lead", Index(fields=["company", "value", "id"], condition=LIVE, name="lead_value")),
        migrations.AddIndex("lead", Index(fields=["company", "team_member", "id"], condition=LIVE, name="lead_member")),
        migrations.AddIndex("lead", Index(fields=["company", "created_by", "id"], condition=LIVE, name="lead_created_by")),
        migrations.AddIndex("lead", Index(fields=["company", "updated_by", "id"], condition=LIVE, name="lead_updated_by")),
    ]
