"""Notices that are tried again; an import that failed is called so."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0030_inbox_words'),
    ]

    operations = [
        migrations.CreateModel(
            name='UnsentNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(max_length=10)),
                ('notice', models.JSONField()),
                ('trouble', models.TextField()),
                ('tries', models.PositiveSmallIntegerField(default=1)),
                ('made_at', models.DateTimeField()),
                ('next_at', models.DateTimeField(blank=True, db_index=True, null=True)),
            ],
            options={
                'ordering': ('-made_at', '-id'),
            },
        ),
        migrations.AlterField(
            model_name='ingestrun',
            name='outcome',
            field=models.CharField(choices=[('taken', 'imported'), ('unchanged', 'unchanged'), ('refused', 'rejected'), ('failed', 'failed')], max_length=20, verbose_name='result'),
        ),
    ]
