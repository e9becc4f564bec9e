"""Notes on rows of the inbox."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from ._roles import view




class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0027_show_version'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='InboxNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('kind', models.SlugField(max_length=40)),
                ('source', models.SlugField(blank=True, help_text='With the next: an entry of an episode.', max_length=200)),
                ('item_key', models.CharField(blank=True, help_text='Or the key of a link, a topic or a path.', max_length=2100)),
                ('part', models.TextField(blank=True, help_text='Which of several rows about it: a field, a topic.')),
                ('about', models.CharField(help_text='SHA-256 of these: what an index can hold.', max_length=64)),
                ('digest', models.CharField(help_text='Of what the row says.', max_length=64)),
                ('subject', models.CharField(help_text='What it is about, in words.', max_length=300)),
                ('state', models.CharField(choices=[('open', 'open'), ('later', 'later'), ('fine', 'not a problem')], default='open', max_length=10)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('assignee', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('about',), name='inbox_note_one_in_force_a_row')],
            },
        ),
        migrations.RunPython(view({"inboxnote": "inbox note"}), migrations.RunPython.noop),
    ]
