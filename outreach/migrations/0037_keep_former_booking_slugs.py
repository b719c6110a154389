
import core.fields
import core.ids
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_write_months_in_words'),
        ('outreach', '0036_make_booking_slugs_unique'),
    ]

    operations = [
        migrations.CreateModel(
            name='BookingSlug',
            fields=[
                ('id', core.ids.ObjectIdField(db_collation='C', default=core.ids.new_id, editable=False, max_length=24, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('slug', models.CharField(help_text='The end of the address.', max_length=60)),
                ('company', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.company')),
                ('page', core.fields.CompanyForeignKey(db_constraint=False, help_text='The last page that had it; empty: the page was deleted.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='outreach.bookingpage')),
            ],
            options={
                'verbose_name': 'booking address',
                'verbose_name_plural': 'booking addresses',
                'abstract': False,
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('slug',), name='bookingslug_once')],
            },
        ),
    ]
