import core.fields
import django.db.models.deletion
from django.db import migrations, models


def make_contacts(apps, schema_editor):
    """Give each visitor a contact, as before this migration."""
    Contact = apps.get_model("crm", "Contact")
    Conversation = apps.get_model("outreach", "Conversation")
    for conversation in Conversation.objects.filter(contact=None).order_by("pk").iterator():
        contact = Contact.objects.create(company_id=conversation.company_id, name=conversation.name or "Visitor")
        Conversation.objects.filter(pk=conversation.pk).update(contact_id=contact.pk)
    # The column becomes required in the same transaction, which pending checks of references forbid.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_squashed_0007_words'),
        ('crm', '0020_count_segments'),
        ('outreach', '0033_name_records_plainly'),
    ]

    operations = [
        migrations.AlterField(
            model_name='conversation',
            name='contact',
            field=core.fields.CompanyForeignKey(db_constraint=False, help_text="Empty for a website's visitor without known email address or phone number.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='conversations', to='crm.contact'),
        ),
        migrations.AddConstraint(
            model_name='conversation',
            constraint=models.CheckConstraint(condition=models.Q(('contact__isnull', False), ('channel', 'widget'), _connector='OR'), name='conversation_has_contact'),
        ),
        migrations.RunPython(migrations.RunPython.noop, make_contacts),
    ]
