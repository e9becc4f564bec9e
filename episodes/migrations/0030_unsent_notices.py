"""Notices that are tried again."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0029_plain_words_and_open_forms'),
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
    ]
