"""Plain labels for all tables and fields; the forms that people have open; whoever has a role may use the admin."""

import datetime
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def make_staff(apps, schema_editor):
    apps.get_model("auth", "User").objects.using(schema_editor.connection.alias).filter(groups__isnull=False, is_staff=False).update(is_staff=True)


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0028_inbox'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='capture',
            options={'ordering': ('document', '-taken_at', '-id'), 'verbose_name': 'copy', 'verbose_name_plural': 'copies'},
        ),
        migrations.AlterModelOptions(
            name='formerperson',
            options={'ordering': ('id',), 'verbose_name': 'former address of a person', 'verbose_name_plural': 'former addresses of people'},
        ),
        migrations.AlterModelOptions(
            name='formertopic',
            options={'ordering': ('slug',), 'verbose_name': 'former topic address', 'verbose_name_plural': 'former topic addresses'},
        ),
        migrations.AlterModelOptions(
            name='held',
            options={'ordering': ('podcast', 'item'), 'verbose_name': 'entry that needs review', 'verbose_name_plural': 'entries that need review'},
        ),
        migrations.AlterModelOptions(
            name='ingestrun',
            options={'ordering': ('-started_at', '-id'), 'verbose_name': 'import'},
        ),
        migrations.AlterModelOptions(
            name='item',
            options={'ordering': ('document', 'position', 'key'), 'verbose_name': 'entry', 'verbose_name_plural': 'entries'},
        ),
        migrations.AlterModelOptions(
            name='judgement',
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'match', 'verbose_name_plural': 'matches'},
        ),
        migrations.AlterModelOptions(
            name='learningpath',
            options={'ordering': ('position', 'slug'), 'verbose_name': 'learning path'},
        ),
        migrations.AlterModelOptions(
            name='override',
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'locked field'},
        ),
        migrations.AlterModelOptions(
            name='podcast',
            options={'ordering': ('rank', 'slug'), 'verbose_name': 'show'},
        ),
        migrations.AlterModelOptions(
            name='related',
            options={'ordering': ('episode', 'place'), 'verbose_name_plural': 'related episodes'},
        ),
        migrations.AlterModelOptions(
            name='revision',
            options={'ordering': ('item', '-version'), 'verbose_name': 'entry version'},
        ),
        migrations.AlterModelOptions(
            name='topicrefusal',
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'refused topic'},
        ),
        migrations.AlterModelOptions(
            name='withdrawal',
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'episode taken out', 'verbose_name_plural': 'episodes taken out'},
        ),
        migrations.AlterField(
            model_name='episode',
            name='sorted_at',
            field=models.DateTimeField(default=datetime.datetime(1970, 1, 2, 0, 0, tzinfo=datetime.timezone.utc), help_text='The date that sorts it among the episodes of other shows.'),
        ),
        migrations.AlterField(
            model_name='link',
            name='replacement',
            field=models.TextField(blank=True, help_text='The address that replaces a dead one.'),
        ),
        migrations.AlterField(
            model_name='source',
            name='moved_to',
            field=models.CharField(blank=True, editable=False, help_text='The new address that the server or the feed announces. A person decides whether to follow it.', max_length=2000, verbose_name='proposed address'),
        ),
        migrations.AlterField(
            model_name='source',
            name='own',
            field=models.BooleanField(default=False, help_text='The show’s feed, website or blog. Only official sources set the page, audio and GUID of an episode.', verbose_name='official'),
        ),
        migrations.CreateModel(
            name='OpenForm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=500)),
                ('opened_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('page', 'user'), name='open_form_once_a_user')],
            },
        ),
        migrations.RunPython(make_staff, migrations.RunPython.noop),
    ]
