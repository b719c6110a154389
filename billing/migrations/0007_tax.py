from django.db import migrations, models

import core.fields
from core.migration_operations import OneStepMigration


class Migration(OneStepMigration):

    dependencies = [
        ('billing', '0006_money'),
    ]

    operations = [
        migrations.AddField(
            model_name='seller',
            name='oss',
            field=models.BooleanField(default=False, help_text="Consumers in other countries of the EU pay their own country's rate; else the seller's.", verbose_name='one stop shop'),
        ),
        migrations.AddField(
            model_name='invoice',
            name='tax_basis',
            field=core.fields.JSONField(default=dict, help_text='Which tax it is and why: rule, country, percent, note.'),
        ),
        migrations.AddField(
            model_name='billingdetails',
            name='vat_look_at',
            field=models.DateTimeField(editable=False, help_text='When VIES is asked about the VAT id next; empty: it is not.', null=True),
        ),
        migrations.AddField(
            model_name='billingdetails',
            name='vat_evidence',
            field=core.fields.JSONField(default=dict, editable=False, help_text='What VIES said of the VAT id, and when.'),
        ),
        migrations.AddIndex(
            model_name='billingdetails',
            index=models.Index(condition=models.Q(('vat_look_at__isnull', False)), fields=['vat_look_at'], name='billingdetails_vat_look'),
        ),
        migrations.AddIndex(
            model_name='creditnote',
            index=models.Index(fields=['company', '-created_at', '-id'], name='creditnote_newest'),
        ),
    ]
