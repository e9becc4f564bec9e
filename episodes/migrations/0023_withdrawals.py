"""Episodes that were taken out, closed conflicts, and changes that are about two episodes."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from ._roles import view



class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0022_schedule'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('source', models.SlugField(max_length=200)),
                ('item_key', models.CharField(max_length=600, verbose_name='entry key')),
                ('kind', models.CharField(choices=[('no-episode', 'Not an episode'), ('hidden', 'Hidden'), ('replaced', 'Replaced by another episode')], max_length=10)),
                ('address', models.SlugField(allow_unicode=True, help_text='Its address, which no other episode gets.', max_length=255)),
                ('other_source', models.SlugField(blank=True, help_text='The source of an entry of the other episode.', max_length=200)),
                ('other_key', models.CharField(blank=True, max_length=600)),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WithdrawnEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reasons', models.JSONField(default=list)),
            ],
            options={
                'ordering': ('episode', 'item'),
            },
        ),
        migrations.CreateModel(
            name='WithdrawnEpisode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=255, unique=True, verbose_name='address')),
                ('title', models.TextField(blank=True)),
                ('number', models.PositiveIntegerField(blank=True, null=True)),
                ('season', models.PositiveIntegerField(blank=True, null=True)),
                ('published_at', models.DateTimeField(blank=True, null=True, verbose_name='published')),
                ('published_precision', models.CharField(blank=True, choices=[('instant', 'date and time'), ('day', 'date')], max_length=10)),
                ('duration_seconds', models.PositiveIntegerField(blank=True, null=True, verbose_name='length')),
                ('duration_exact', models.BooleanField(default=True)),
                ('description_text', models.TextField(blank=True, verbose_name='show notes')),
                ('description_html', models.TextField(blank=True)),
                ('description_truncated', models.BooleanField(default=False, verbose_name='truncated notes')),
                ('guid', models.TextField(blank=True)),
                ('url', models.TextField(blank=True, verbose_name='page')),
                ('audio_url', models.TextField(blank=True, verbose_name='audio')),
                ('audio_type', models.TextField(blank=True)),
                ('episode_type', models.CharField(blank=True, max_length=10)),
                ('explicit', models.BooleanField(blank=True, null=True)),
                ('image_url', models.TextField(blank=True)),
                ('details', models.JSONField(blank=True, default=list)),
                ('provenance', models.JSONField(default=dict)),
            ],
            options={
                'verbose_name': 'taken-out episode',
                'ordering': ('-decision__made_at', 'slug'),
            },
        ),
        migrations.AddField(
            model_name='change',
            name='about_too',
            field=models.CharField(blank=True, help_text='The key of the second of two.', max_length=300),
        ),
        migrations.AddIndex(
            model_name='change',
            index=models.Index(condition=models.Q(('about_too', ''), _negated=True), fields=['about_too'], name='change_about_too'),
        ),
        migrations.AddField(
            model_name='withdrawal',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AddField(
            model_name='withdrawal',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AddField(
            model_name='withdrawnentry',
            name='item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.item', verbose_name='show'),
        ),
        migrations.AddField(
            model_name='withdrawnepisode',
            name='decision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='episodes.withdrawal'),
        ),
        migrations.AddField(
            model_name='withdrawnepisode',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AddField(
            model_name='withdrawnepisode',
            name='replaced_by',
            field=models.ForeignKey(blank=True, help_text='Its addresses redirect there.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='episodes.episode'),
        ),
        migrations.AddField(
            model_name='withdrawnentry',
            name='episode',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='episodes.withdrawnepisode'),
        ),
        migrations.AddConstraint(
            model_name='withdrawal',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key'), name='withdrawal_one_in_force_an_entry'),
        ),
        migrations.RunPython(view({"withdrawal": "withdrawal", "withdrawnepisode": "taken-out episode"}), migrations.RunPython.noop),
    ]
