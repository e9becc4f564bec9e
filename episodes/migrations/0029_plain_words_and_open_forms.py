"""Plain labels for all tables and fields; the forms that people have open; whoever has a role may use the admin."""

import datetime
import django.db.models.deletion
import django.utils.timezone
import episodes.models.configuration
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
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'rejected topic'},
        ),
        migrations.AlterModelOptions(
            name='withdrawal',
            options={'ordering': ('-made_at', '-id'), 'verbose_name': 'episode taken out', 'verbose_name_plural': 'episodes taken out'},
        ),
        migrations.AlterField(
            model_name='addition',
            name='detail',
            field=models.CharField(blank=True, help_text='The text of a link, the role and name of a person, or the kind of a reference.', max_length=400),
        ),
        migrations.AlterField(
            model_name='addition',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='addition',
            name='item_key',
            field=models.CharField(max_length=600, verbose_name='entry key'),
        ),
        migrations.AlterField(
            model_name='addition',
            name='key',
            field=models.CharField(help_text="A topic's slug, a link's key, a person's identity, the source and key of an entry of the other episode, or a conflict. For a link, its address.", max_length=2000),
        ),
        migrations.AlterField(
            model_name='addition',
            name='kind',
            field=models.CharField(choices=[('topic', 'Topic'), ('link', 'Link'), ('person', 'Person'), ('reference', 'Other episode'), ('conflict', 'Conflict')], max_length=10),
        ),
        migrations.AlterField(
            model_name='addition',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='addition',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='addition',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='capture',
            name='foreign',
            field=models.PositiveIntegerField(default=0, help_text='The number of entries that name another show.', verbose_name='entries of other shows'),
        ),
        migrations.AlterField(
            model_name='capture',
            name='refused',
            field=models.TextField(blank=True, help_text='Why it was not imported.', verbose_name='rejected'),
        ),
        migrations.AlterField(
            model_name='capture',
            name='taken_at',
            field=models.DateTimeField(verbose_name='fetched'),
        ),
        migrations.AlterField(
            model_name='change',
            name='about',
            field=models.CharField(help_text='The key of what was changed.', max_length=300),
        ),
        migrations.AlterField(
            model_name='change',
            name='about_too',
            field=models.CharField(blank=True, help_text='The key of the second of two.', max_length=300),
        ),
        migrations.AlterField(
            model_name='change',
            name='lot',
            field=models.CharField(blank=True, help_text='Equal for changes that were made together.', max_length=32),
        ),
        migrations.AlterField(
            model_name='change',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='when'),
        ),
        migrations.AlterField(
            model_name='change',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='who'),
        ),
        migrations.AlterField(
            model_name='change',
            name='podcast',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='change',
            name='subject',
            field=models.CharField(help_text='The name of what was changed.', max_length=500),
        ),
        migrations.AlterField(
            model_name='change',
            name='told',
            field=models.JSONField(default=list, help_text='Lines to show: [what, before, after].'),
        ),
        migrations.AlterField(
            model_name='change',
            name='verb',
            field=models.CharField(max_length=40, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='field',
            field=models.CharField(choices=[('name', 'Name'), ('url', 'Web page'), ('image', 'Photo'), ('label', 'Link text'), ('kind', 'Kind'), ('replacement', 'Replacement address'), ('same', 'Same as'), ('hidden', 'Hidden')], max_length=20),
        ),
        migrations.AlterField(
            model_name='correction',
            name='key',
            field=models.CharField(help_text="A person's identity, a link's key, or a symbol.", max_length=2000),
        ),
        migrations.AlterField(
            model_name='correction',
            name='kind',
            field=models.CharField(choices=[('person', 'Person'), ('link', 'Link'), ('symbol', 'Symbol')], max_length=10),
        ),
        migrations.AlterField(
            model_name='correction',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='name',
            field=models.CharField(blank=True, help_text='Its name when this was decided.', max_length=300),
        ),
        migrations.AlterField(
            model_name='correction',
            name='podcast',
            field=models.ForeignKey(blank=True, help_text='Empty for every show.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='correction',
            name='value',
            field=models.TextField(help_text='For “Same as”, the key of the other.'),
        ),
        migrations.AlterField(
            model_name='credit',
            name='corrected',
            field=models.JSONField(blank=True, default=dict, help_text='The name, page and photo that curators set.'),
        ),
        migrations.AlterField(
            model_name='credit',
            name='full_name',
            field=models.CharField(blank=True, help_text='The fullest name in this episode.', max_length=300),
        ),
        migrations.AlterField(
            model_name='document',
            name='asked_at',
            field=models.DateTimeField(blank=True, help_text='The last request for a transcript or chapters.', null=True, verbose_name='last fetched'),
        ),
        migrations.AlterField(
            model_name='document',
            name='kind',
            field=models.CharField(choices=[('listing', 'lists episodes'), ('companion', 'a transcript or chapters')], default='listing', max_length=10),
        ),
        migrations.AlterField(
            model_name='document',
            name='not_before',
            field=models.DateTimeField(blank=True, help_text='The server asked not to be contacted before this time.', null=True),
        ),
        migrations.AlterField(
            model_name='document',
            name='show_given',
            field=models.BooleanField(default=False, help_text='A person named its show.'),
        ),
        migrations.AlterField(
            model_name='document',
            name='trouble',
            field=models.TextField(blank=True, help_text='Why that request failed.', verbose_name='problem'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='audio_url',
            field=models.TextField(blank=True, verbose_name='audio'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='description_text',
            field=models.TextField(blank=True, verbose_name='show notes'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='description_truncated',
            field=models.BooleanField(default=False, verbose_name='truncated notes'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='duration_seconds',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='length'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='guid_hash',
            field=models.CharField(blank=True, help_text='Equal for GUIDs that podcast apps may treat as one.', max_length=64),
        ),
        migrations.AlterField(
            model_name='episode',
            name='listed',
            field=models.BooleanField(default=True, help_text='Lists and feeds show it, not another episode in its place.'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='order',
            field=models.PositiveIntegerField(help_text='Its place in the show; the oldest is 1 (rules.md 13).'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='own_guid',
            field=models.CharField(blank=True, help_text='Used in feeds where the GUID is shared or missing.', max_length=50),
        ),
        migrations.AlterField(
            model_name='episode',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='episodes', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='published_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='published'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='published_precision',
            field=models.CharField(blank=True, choices=[('instant', 'date and time'), ('day', 'date')], max_length=10),
        ),
        migrations.AlterField(
            model_name='episode',
            name='slug',
            field=models.SlugField(allow_unicode=True, max_length=255, unique=True, verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='sorted_at',
            field=models.DateTimeField(default=datetime.datetime(1970, 1, 2, 0, 0, tzinfo=datetime.timezone.utc), help_text='The date that sorts it among the episodes of other shows.'),
        ),
        migrations.AlterField(
            model_name='episode',
            name='url',
            field=models.TextField(blank=True, verbose_name='page'),
        ),
        migrations.AlterField(
            model_name='episodelink',
            name='details',
            field=models.JSONField(blank=True, default=dict, help_text='Further parts of the link: branch or commit, lines, start in seconds.'),
        ),
        migrations.AlterField(
            model_name='formeraddress',
            name='entry',
            field=models.CharField(help_text='SHA-256 of document and key, for the index.', max_length=64),
        ),
        migrations.AlterField(
            model_name='held',
            name='item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='held', to='episodes.item', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='held',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='held', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='image',
            name='asked_at',
            field=models.DateTimeField(blank=True, help_text='The last request.', null=True),
        ),
        migrations.AlterField(
            model_name='image',
            name='name',
            field=models.CharField(blank=True, db_index=True, help_text='The name of its files: a hash of the address and one of the bytes.', max_length=50),
        ),
        migrations.AlterField(
            model_name='image',
            name='not_before',
            field=models.DateTimeField(blank=True, help_text='Not fetched again before this time.', null=True),
        ),
        migrations.AlterField(
            model_name='image',
            name='trouble',
            field=models.TextField(blank=True, help_text='Why that request failed.'),
        ),
        migrations.AlterField(
            model_name='image',
            name='width',
            field=models.PositiveIntegerField(default=0, help_text='The width of the large file.'),
        ),
        migrations.AlterField(
            model_name='importclaim',
            name='name',
            field=models.CharField(help_text='The name of the person.', max_length=150),
        ),
        migrations.AlterField(
            model_name='ingestrun',
            name='finished_at',
            field=models.DateTimeField(verbose_name='finished'),
        ),
        migrations.AlterField(
            model_name='ingestrun',
            name='outcome',
            field=models.CharField(choices=[('taken', 'imported'), ('unchanged', 'unchanged'), ('refused', 'rejected'), ('failed', 'could not be reached')], max_length=20, verbose_name='result'),
        ),
        migrations.AlterField(
            model_name='ingestrun',
            name='started_at',
            field=models.DateTimeField(verbose_name='started'),
        ),
        migrations.AlterField(
            model_name='item',
            name='first_version',
            field=models.PositiveIntegerField(verbose_name='since version'),
        ),
        migrations.AlterField(
            model_name='item',
            name='gone_version',
            field=models.PositiveIntegerField(blank=True, help_text='The first version without it.', null=True, verbose_name='gone since version'),
        ),
        migrations.AlterField(
            model_name='item',
            name='is_post',
            field=models.BooleanField(default=False, help_text='Gives a link its title; never becomes an episode.', verbose_name='blog post'),
        ),
        migrations.AlterField(
            model_name='item',
            name='position',
            field=models.PositiveIntegerField(help_text='Its place in the last version that lists it, from 1.'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='item_key',
            field=models.CharField(max_length=600, verbose_name='entry key'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='judgement',
            name='verdict',
            field=models.CharField(choices=[('same', 'the same episode'), ('kept', 'the same episode (kept after a merge)'), ('different', 'different episodes'), ('new', 'an episode of its own'), ('ignore', 'not an episode'), ('replaces', 'the later one replaces the other'), ('repeats', 'the later one is a rebroadcast of the other'), ('unrelated', 'the later one has nothing to do with the other')], max_length=10),
        ),
        migrations.AlterField(
            model_name='learningpath',
            name='author',
            field=models.CharField(blank=True, max_length=200, verbose_name='author'),
        ),
        migrations.AlterField(
            model_name='learningpath',
            name='podcast',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='paths', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='link',
            name='labelled',
            field=models.BooleanField(default=False, help_text='A curator set the title, so it beats the link text in notes.'),
        ),
        migrations.AlterField(
            model_name='link',
            name='replacement',
            field=models.TextField(blank=True, help_text='The address that replaces a dead one.'),
        ),
        migrations.AlterField(
            model_name='linkcheck',
            name='failing_since',
            field=models.DateTimeField(blank=True, help_text='The first failed check of these.', null=True),
        ),
        migrations.AlterField(
            model_name='linkcheck',
            name='failures',
            field=models.PositiveIntegerField(default=0, help_text='Failed checks in a row, up to the last one.'),
        ),
        migrations.AlterField(
            model_name='linkcheck',
            name='host',
            field=models.CharField(blank=True, help_text='The host of the last check, after redirects.', max_length=255),
        ),
        migrations.AlterField(
            model_name='linkcheck',
            name='not_before',
            field=models.DateTimeField(blank=True, help_text='The host asked not to be contacted before this time.', null=True),
        ),
        migrations.AlterField(
            model_name='linkcheck',
            name='note',
            field=models.TextField(blank=True, help_text='The problem, with the address that was checked.'),
        ),
        migrations.AlterField(
            model_name='override',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='override',
            name='field',
            field=models.CharField(choices=[('title', 'Title'), ('number', 'Number'), ('season', 'Season'), ('published', 'Date'), ('duration_seconds', 'Length'), ('description_text', 'Notes'), ('slug', 'Address'), ('url', 'Page'), ('audio_url', 'Audio'), ('episode_type', 'Type'), ('explicit', 'Explicit'), ('image_url', 'Image'), ('details', 'Details')], max_length=30),
        ),
        migrations.AlterField(
            model_name='override',
            name='item_key',
            field=models.CharField(max_length=600, verbose_name='entry key'),
        ),
        migrations.AlterField(
            model_name='override',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='override',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='override',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='override',
            name='value',
            field=models.TextField(blank=True, help_text='Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown.'),
        ),
        migrations.AlterField(
            model_name='parsednotes',
            name='digest',
            field=models.CharField(help_text='The hash of the text and of the parser’s version.', max_length=32),
        ),
        migrations.AlterField(
            model_name='person',
            name='identity',
            field=models.CharField(blank=True, help_text='An @handle, a web address, or name@show.', max_length=2000),
        ),
        migrations.AlterField(
            model_name='podcast',
            name='not_code',
            field=models.JSONField(blank=True, default=list, help_text='Words in this show that look like symbols but are not.', verbose_name='words that are not symbols'),
        ),
        migrations.AlterField(
            model_name='podcast',
            name='rank',
            field=models.PositiveIntegerField(default=episodes.models.configuration.next_rank, help_text='Its place among the shows, set when it is added and never changed. 1 is the first show.'),
        ),
        migrations.AlterField(
            model_name='podcast',
            name='said',
            field=models.JSONField(blank=True, default=dict, editable=False, help_text='Updated by each import of its feed.', verbose_name='feed values'),
        ),
        migrations.AlterField(
            model_name='podcast',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='Paused and archived shows stay visible but are not imported. Removed shows are hidden; their data is kept.', max_length=10),
        ),
        migrations.AlterField(
            model_name='reference',
            name='evidence',
            field=models.TextField(blank=True, help_text='The sentence that mentions it.'),
        ),
        migrations.AlterField(
            model_name='reference',
            name='forward',
            field=models.BooleanField(default=False, help_text='A prerequisite that was published later, which is doubtful.'),
        ),
        migrations.AlterField(
            model_name='removal',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='removal',
            name='item_key',
            field=models.CharField(max_length=600, verbose_name='entry key'),
        ),
        migrations.AlterField(
            model_name='removal',
            name='key',
            field=models.CharField(help_text="A topic's slug, a link's key, a person's identity, the source and key of an entry of the other episode, or a conflict.", max_length=2000),
        ),
        migrations.AlterField(
            model_name='removal',
            name='kind',
            field=models.CharField(choices=[('topic', 'Topic'), ('link', 'Link'), ('person', 'Person'), ('reference', 'Other episode'), ('conflict', 'Conflict')], max_length=10),
        ),
        migrations.AlterField(
            model_name='removal',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='removal',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='removal',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='repeat',
            name='evidence',
            field=models.JSONField(default=list, help_text='What the two have in common.'),
        ),
        migrations.AlterField(
            model_name='revision',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='episodes.item', verbose_name='entry'),
        ),
        migrations.AlterField(
            model_name='revision',
            name='payload',
            field=models.JSONField(verbose_name='content'),
        ),
        migrations.AlterField(
            model_name='revision',
            name='recorded_at',
            field=models.DateTimeField(verbose_name='recorded'),
        ),
        migrations.AlterField(
            model_name='source',
            name='address',
            field=models.CharField(blank=True, help_text='The page to import. Empty if there are only saved copies.', max_length=2000),
        ),
        migrations.AlterField(
            model_name='source',
            name='complete',
            field=models.BooleanField(default=False, help_text='An episode that is missing from it was taken down.', verbose_name='lists all episodes'),
        ),
        migrations.AlterField(
            model_name='source',
            name='editorial',
            field=models.JSONField(blank=True, default=list, help_text='The numbers of episodes whose notes in this source were written for the catalog.', verbose_name='editorial summaries'),
        ),
        migrations.AlterField(
            model_name='source',
            name='may_create',
            field=models.BooleanField(default=False, help_text='Entries that match no episode become new episodes.', verbose_name='adds episodes'),
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
        migrations.AlterField(
            model_name='source',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='source',
            name='rank',
            field=models.PositiveSmallIntegerField(default=100, help_text='When sources differ, the lowest rank wins.'),
        ),
        migrations.AlterField(
            model_name='source',
            name='reader',
            field=models.SlugField(blank=True, help_text='The parser for its pages.', verbose_name='parser'),
        ),
        migrations.AlterField(
            model_name='source',
            name='shipped_file',
            field=models.CharField(blank=True, help_text='Its saved copy in fixtures/, if there is one.', max_length=200),
        ),
        migrations.AlterField(
            model_name='source',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='A paused source is imported only when named. Archived sources are not imported any more. Removed sources are hidden; their data is kept.', max_length=10),
        ),
        migrations.AlterField(
            model_name='sourceschedule',
            name='changed_at',
            field=models.DateTimeField(blank=True, help_text='When it last had something new.', null=True, verbose_name='last change'),
        ),
        migrations.AlterField(
            model_name='sourceschedule',
            name='failures',
            field=models.PositiveIntegerField(default=0, help_text='Failures in a row, rejected documents included.'),
        ),
        migrations.AlterField(
            model_name='sourceschedule',
            name='pace',
            field=models.DurationField(blank=True, help_text='The shortest time between imports that its feed asks for.', null=True),
        ),
        migrations.AlterField(
            model_name='sourceschedule',
            name='worker',
            field=models.CharField(blank=True, help_text='The process that imports it now.', max_length=100),
        ),
        migrations.AlterField(
            model_name='topic',
            name='podcast',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='topics', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='topicproposal',
            name='key',
            field=models.CharField(help_text='Equal for spellings of one name.', max_length=200),
        ),
        migrations.AlterField(
            model_name='topicproposal',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposed_topics', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='topicproposal',
            name='uses',
            field=models.JSONField(default=list, help_text='The newest uses: [episode, field, position, words].'),
        ),
        migrations.AlterField(
            model_name='topicrefusal',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='topicrefusal',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='topicrefusal',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='topicrefusal',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='transcript',
            name='sha256',
            field=models.CharField(help_text='The hash of its file.', max_length=64),
        ),
        migrations.AlterField(
            model_name='transcript',
            name='text',
            field=models.TextField(help_text='Plain text for search.'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='address',
            field=models.SlugField(allow_unicode=True, help_text='Its address, which no other episode gets.', max_length=255),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='ended'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='item_key',
            field=models.CharField(max_length=600, verbose_name='entry key'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='made_at',
            field=models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='other_source',
            field=models.SlugField(blank=True, help_text='The source of an entry of the other episode.', max_length=200),
        ),
        migrations.AlterField(
            model_name='withdrawal',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='withdrawnentry',
            name='item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.item', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='audio_url',
            field=models.TextField(blank=True, verbose_name='audio'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='description_text',
            field=models.TextField(blank=True, verbose_name='show notes'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='description_truncated',
            field=models.BooleanField(default=False, verbose_name='truncated notes'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='duration_seconds',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='length'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='published_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='published'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='published_precision',
            field=models.CharField(blank=True, choices=[('instant', 'date and time'), ('day', 'date')], max_length=10),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='replaced_by',
            field=models.ForeignKey(blank=True, help_text='Its addresses redirect there.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='episodes.episode'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='slug',
            field=models.SlugField(allow_unicode=True, max_length=255, unique=True, verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='withdrawnepisode',
            name='url',
            field=models.TextField(blank=True, verbose_name='page'),
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
