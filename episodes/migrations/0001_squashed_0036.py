"""The tables, the search index and the roles of the first release, in place of the 36 migrations that led there."""

import datetime
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import episodes.models.configuration
from django.conf import settings
from django.db import migrations, models

from . import _search
from ._roles import make_roles


class Migration(migrations.Migration):

    replaces = [('episodes', '0001_initial'), ('episodes', '0002_what_notes_hold'), ('episodes', '0003_search'), ('episodes', '0004_curation'), ('episodes', '0005_roles'), ('episodes', '0006_link_checks'), ('episodes', '0007_lots'), ('episodes', '0008_companions_asked'), ('episodes', '0009_wal'), ('episodes', '0010_show_rank_and_own_sources'), ('episodes', '0011_instants_and_guids'), ('episodes', '0012_snapshot'), ('episodes', '0013_seasons'), ('episodes', '0014_parsed_notes'), ('episodes', '0015_document_show_given'), ('episodes', '0016_feed_fields'), ('episodes', '0017_repeats'), ('episodes', '0018_images'), ('episodes', '0019_catalog_version'), ('episodes', '0020_paths'), ('episodes', '0021_topic_proposals'), ('episodes', '0022_schedule'), ('episodes', '0023_withdrawals'), ('episodes', '0024_source_status'), ('episodes', '0025_corrections'), ('episodes', '0026_content'), ('episodes', '0027_show_version'), ('episodes', '0028_inbox'), ('episodes', '0029_plain_words_and_open_forms'), ('episodes', '0030_unsent_notices'), ('episodes', '0031_pending_update'), ('episodes', '0032_capture_read_by'), ('episodes', '0033_person_base'), ('episodes', '0034_shelf'), ('episodes', '0035_resolved_inputs'), ('episodes', '0036_indexes_of_history_and_people')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='CatalogVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(max_length=40)),
                ('raised_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='CodeName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=200, unique=True)),
                ('name', models.CharField(max_length=200, unique=True)),
            ],
            options={
                'ordering': ('name',),
                'verbose_name': 'symbol',
            },
        ),
        migrations.CreateModel(
            name='Content',
            fields=[
                ('sha256', models.CharField(help_text='Of the bytes.', max_length=64, primary_key=True, serialize=False)),
                ('packed', models.BinaryField()),
                ('size', models.PositiveIntegerField(help_text='Of the bytes.')),
            ],
        ),
        migrations.CreateModel(
            name='Episode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=255, unique=True, verbose_name='address')),
                ('order', models.PositiveIntegerField(help_text='Its place in the show; the oldest is 1.')),
                ('title', models.TextField(blank=True)),
                ('number', models.PositiveIntegerField(blank=True, null=True)),
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
                ('provenance', models.JSONField(default=dict)),
                ('conflicts', models.JSONField(default=list)),
                ('sorted_at', models.DateTimeField(default=datetime.datetime(1970, 1, 2, 0, 0, tzinfo=datetime.timezone.utc), help_text='The date that sorts it among the episodes of other shows.')),
                ('guid_hash', models.CharField(blank=True, help_text='Equal for GUIDs that podcast apps may treat as one.', max_length=64)),
                ('own_guid', models.CharField(blank=True, help_text='Used in feeds where the GUID is shared or missing.', max_length=50)),
                ('season', models.PositiveIntegerField(blank=True, null=True)),
                ('episode_type', models.CharField(blank=True, max_length=10)),
                ('explicit', models.BooleanField(blank=True, null=True)),
                ('image_url', models.TextField(blank=True)),
                ('details', models.JSONField(blank=True, default=list)),
                ('listed', models.BooleanField(default=True, help_text='Lists and feeds show it, not another episode in its place.')),
                ('versions', models.JSONField(blank=True, default=list, help_text='The episodes that it replaces or repeats, or that do so to it, as curators accepted it.')),
            ],
            options={
                'ordering': ('podcast', '-order'),
            },
        ),
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=1000, unique=True)),
                ('name', models.CharField(blank=True, db_index=True, help_text='The name of its files: a hash of the address and one of the bytes.', max_length=50)),
                ('width', models.PositiveIntegerField(default=0, help_text='The width of the large file.')),
                ('height', models.PositiveIntegerField(default=0)),
                ('etag', models.CharField(blank=True, max_length=500)),
                ('last_modified', models.CharField(blank=True, max_length=500)),
                ('asked_at', models.DateTimeField(blank=True, help_text='The last request.', null=True)),
                ('not_before', models.DateTimeField(blank=True, help_text='Not fetched again before this time.', null=True)),
                ('trouble', models.TextField(blank=True, help_text='Why that request failed.')),
            ],
            options={
                'ordering': ('address',),
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=200, validators=[django.core.validators.RegexValidator('\\A[\\w.-]+\\Z', 'Letters, digits, . - and _.')])),
                ('title', models.CharField(max_length=200)),
                ('reader', models.SlugField(blank=True, help_text='The parser for its pages.', verbose_name='parser')),
                ('address', models.CharField(blank=True, help_text='The page to import. Empty if there are only saved copies.', max_length=2000)),
                ('rank', models.PositiveSmallIntegerField(default=100, help_text='When sources differ, the lowest rank wins.')),
                ('may_create', models.BooleanField(default=False, help_text='Entries that match no episode become new episodes.', verbose_name='adds episodes')),
                ('complete', models.BooleanField(default=False, help_text='An episode that is missing from it was taken down.', verbose_name='lists all episodes')),
                ('own', models.BooleanField(default=False, help_text='The show’s feed, website or blog. Only official sources set the page, audio and GUID of an episode.', verbose_name='official')),
                ('editorial', models.JSONField(blank=True, default=list, help_text='The numbers of episodes whose notes in this source were written for the catalog.', verbose_name='editorial summaries')),
                ('shipped_file', models.CharField(blank=True, help_text='Its saved copy in fixtures/, if there is one.', max_length=200)),
                ('moved_to', models.CharField(blank=True, editable=False, help_text='The new address that the server or the feed announces. A person decides whether to follow it.', max_length=2000, verbose_name='proposed address')),
                ('status', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='A paused source is imported only when named. Archived sources are not imported any more. Removed sources are hidden; their data is kept.', max_length=10)),
            ],
            options={
                'ordering': ('podcast', 'rank', 'slug'),
            },
        ),
        migrations.CreateModel(
            name='LearningPath',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('author', models.CharField(blank=True, max_length=200, verbose_name='author')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('published', models.BooleanField(default=True)),
                ('steps', models.JSONField(blank=True, default=list, help_text='[{episode: its address, why: a sentence}, …]')),
            ],
            options={
                'verbose_name': 'learning path',
                'ordering': ('position', 'slug'),
            },
        ),
        migrations.CreateModel(
            name='Link',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=2100, unique=True)),
                ('kind', models.CharField(max_length=20)),
                ('title', models.TextField(blank=True)),
                ('summary', models.TextField(blank=True)),
                ('labelled', models.BooleanField(default=False, help_text='A curator set the title, so it beats the link text in notes.')),
                ('replacement', models.TextField(blank=True, help_text='The address that replaces a dead one.')),
            ],
            options={
                'ordering': ('kind', 'key'),
            },
        ),
        migrations.CreateModel(
            name='Podcast',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=200, unique=True)),
                ('title', models.CharField(max_length=500)),
                ('feed_url', models.CharField(blank=True, max_length=2000, verbose_name='feed address')),
                ('site_url', models.CharField(blank=True, max_length=2000, verbose_name='site address')),
                ('author', models.CharField(blank=True, max_length=500)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('description', models.TextField(blank=True)),
                ('not_code', models.JSONField(blank=True, default=list, help_text='Words in this show that look like symbols but are not.', verbose_name='words that are not symbols')),
                ('rank', models.PositiveIntegerField(default=episodes.models.configuration.next_rank, help_text='Its place among the shows, set when it is added and never changed. 1 is the first show.')),
                ('status', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('archived', 'Archived'), ('removed', 'Removed')], default='active', help_text='Paused and archived shows stay visible but are not imported. Removed shows are hidden; their data is kept.', max_length=10)),
                ('said', models.JSONField(blank=True, default=dict, editable=False, help_text='Updated by each import of its feed.', verbose_name='feed values')),
                ('image_url', models.CharField(blank=True, max_length=2000, verbose_name='cover')),
            ],
            options={
                'ordering': ('rank', 'slug'),
                'verbose_name': 'show',
            },
        ),
        migrations.CreateModel(
            name='ScheduleMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100, unique=True)),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ShowVersion',
            fields=[
                ('podcast', models.BigIntegerField(primary_key=True, serialize=False)),
                ('token', models.CharField(max_length=40)),
            ],
        ),
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
        migrations.CreateModel(
            name='VersionRaised',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('transaction', models.CharField(max_length=40, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='Credit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(max_length=20)),
                ('credited_as', models.CharField(blank=True, max_length=300)),
                ('full_name', models.CharField(blank=True, help_text='The fullest name in this episode.', max_length=300)),
                ('corrected', models.JSONField(blank=True, default=dict, help_text='The name, page and photo that curators set.')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='credits', to='episodes.episode')),
            ],
            options={
                'ordering': ('episode', 'person', 'role'),
            },
        ),
        migrations.CreateModel(
            name='FormerPerson',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=230)),
                ('identity', models.CharField(max_length=2000)),
            ],
            options={
                'verbose_name_plural': 'former addresses of people',
                'ordering': ('id',),
                'verbose_name': 'former address of a person',
                'constraints': [models.UniqueConstraint(fields=('slug', 'identity'), name='former_person_once')],
            },
        ),
        migrations.CreateModel(
            name='ImportClaim',
            fields=[
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='episodes.source')),
                ('since', models.DateTimeField()),
                ('name', models.CharField(help_text='The name of the person.', max_length=150)),
            ],
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=2000)),
                ('etag', models.CharField(blank=True, max_length=500)),
                ('last_modified', models.CharField(blank=True, max_length=500)),
                ('not_before', models.DateTimeField(blank=True, help_text='The server asked not to be contacted before this time.', null=True)),
                ('kind', models.CharField(choices=[('listing', 'lists episodes'), ('companion', 'a transcript or chapters')], default='listing', max_length=10)),
                ('asked_at', models.DateTimeField(blank=True, help_text='The last request for a transcript or chapters.', null=True, verbose_name='last fetched')),
                ('trouble', models.TextField(blank=True, help_text='Why that request failed.', verbose_name='problem')),
                ('show_given', models.BooleanField(default=False, help_text='A person named its show.')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='episodes.source')),
            ],
            options={
                'ordering': ('source', 'address'),
            },
        ),
        migrations.CreateModel(
            name='IngestRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(verbose_name='started')),
                ('finished_at', models.DateTimeField(verbose_name='finished')),
                ('outcome', models.CharField(choices=[('taken', 'imported'), ('unchanged', 'unchanged'), ('refused', 'refused'), ('failed', 'failed')], max_length=20, verbose_name='result')),
                ('reason', models.TextField(blank=True)),
                ('counts', models.JSONField(default=dict)),
                ('times', models.PositiveIntegerField(default=1, help_text='How many attempts of its day the row stands for.')),
                ('first_at', models.DateTimeField(blank=True, help_text='Of these, when the first one began.', null=True)),
                ('document', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='episodes.document')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='episodes.source')),
            ],
            options={
                'ordering': ('-started_at', '-id'),
                'verbose_name': 'import',
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=600)),
                ('position', models.PositiveIntegerField(help_text='Its place in the last version that lists it, from 1.')),
                ('is_post', models.BooleanField(default=False, help_text='Gives a link its title; never becomes an episode.', verbose_name='blog post')),
                ('first_version', models.PositiveIntegerField(verbose_name='since version')),
                ('gone_version', models.PositiveIntegerField(blank=True, help_text='The first version without it.', null=True, verbose_name='gone since version')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='episodes.document')),
            ],
            options={
                'ordering': ('document', 'position', 'key'),
                'verbose_name': 'entry',
                'verbose_name_plural': 'entries',
            },
        ),
        migrations.CreateModel(
            name='Attachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reasons', models.JSONField(default=list)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='episodes.episode')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='attachment', to='episodes.item')),
            ],
            options={
                'ordering': ('episode', 'item'),
            },
        ),
        migrations.CreateModel(
            name='FormerPath',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('path', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='former', to='episodes.learningpath')),
            ],
            options={
                'ordering': ('slug',),
            },
        ),
        migrations.CreateModel(
            name='EpisodeLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('url', models.TextField()),
                ('text', models.CharField(blank=True, max_length=500)),
                ('details', models.JSONField(blank=True, default=dict, help_text='Further parts of the link: branch or commit, lines, start in seconds.')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='episodes.episode')),
                ('link', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='episodes.link')),
            ],
            options={
                'ordering': ('episode', 'position'),
            },
        ),
        migrations.AddField(
            model_name='episode',
            name='links',
            field=models.ManyToManyField(related_name='episodes', through='episodes.EpisodeLink', to='episodes.link'),
        ),
        migrations.CreateModel(
            name='LinkCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=2100, unique=True)),
                ('outcome', models.CharField(choices=[('there', 'there'), ('gone', 'gone'), ('unreached', 'not reached')], max_length=10)),
                ('note', models.TextField(blank=True, help_text='The problem, with the address that was checked.')),
                ('asked_at', models.DateTimeField()),
                ('failures', models.PositiveIntegerField(default=0, help_text='Failed checks in a row, up to the last one.')),
                ('failing_since', models.DateTimeField(blank=True, help_text='The first failed check of these.', null=True)),
                ('host', models.CharField(blank=True, help_text='The host of the last check, after redirects.', max_length=255)),
                ('not_before', models.DateTimeField(blank=True, help_text='The host asked not to be contacted before this time.', null=True)),
            ],
            options={
                'ordering': ('key',),
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('failing_since__isnull', True), ('failures', 0), ('outcome', 'there')), models.Q(models.Q(('outcome', 'there'), _negated=True), ('failing_since__isnull', False), ('failures__gt', 0)), _connector='OR'), name='link_check_says_since_when_it_fails')],
            },
        ),
        migrations.CreateModel(
            name='OpenForm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=500)),
                ('opened_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Person',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=230, unique=True)),
                ('name', models.CharField(max_length=300)),
                ('identity', models.CharField(blank=True, help_text='An @handle, a web address, or name@show.', max_length=2000)),
                ('image_url', models.TextField(blank=True, verbose_name='photo')),
                ('url', models.TextField(blank=True, verbose_name='web page')),
                ('base', models.SlugField(allow_unicode=True, blank=True, help_text='The address that the name makes; of several people the first has it as it is.', max_length=230)),
            ],
            options={
                'ordering': ('slug',),
                'verbose_name_plural': 'people',
                'indexes': [models.Index(fields=['identity'], name='person_identity')],
            },
        ),
        migrations.AddField(
            model_name='episode',
            name='people',
            field=models.ManyToManyField(related_name='episodes', through='episodes.Credit', to='episodes.person'),
        ),
        migrations.AddField(
            model_name='credit',
            name='person',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='credits', to='episodes.person'),
        ),
        migrations.CreateModel(
            name='ResolvedInputs',
            fields=[
                ('podcast', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='resolved_inputs', serialize=False, to='episodes.podcast')),
                ('digest', models.CharField(max_length=32)),
                ('token', models.CharField(blank=True, max_length=40)),
            ],
        ),
        migrations.AddField(
            model_name='source',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.CreateModel(
            name='PendingUpdate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked', models.PositiveIntegerField(default=0)),
                ('worker', models.CharField(blank=True, max_length=40)),
                ('held_until', models.DateTimeField(blank=True, null=True)),
                ('podcast', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='pending_update', to='episodes.podcast')),
            ],
            options={
                'ordering': ('since', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='ParsedNotes',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='The hash of the text and of the parser’s version.', max_length=32)),
                ('payload', models.JSONField()),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parsed_notes', to='episodes.podcast')),
            ],
            options={
                'ordering': ('podcast', 'digest'),
            },
        ),
        migrations.CreateModel(
            name='Override',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.SlugField(max_length=200)),
                ('item_key', models.CharField(max_length=600, verbose_name='entry key')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('field', models.CharField(choices=[('title', 'Title'), ('number', 'Number'), ('season', 'Season'), ('published', 'Date'), ('duration_seconds', 'Length'), ('description_text', 'Notes'), ('slug', 'Address'), ('url', 'Page'), ('audio_url', 'Audio'), ('episode_type', 'Type'), ('explicit', 'Explicit'), ('image_url', 'Image'), ('details', 'Details')], max_length=30)),
                ('value', models.TextField(blank=True, help_text='Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown.')),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
                'verbose_name': 'locked field',
            },
        ),
        migrations.AddField(
            model_name='learningpath',
            name='podcast',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='paths', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.CreateModel(
            name='Judgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.SlugField(max_length=200)),
                ('item_key', models.CharField(max_length=600, verbose_name='entry key')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('other_source', models.SlugField(blank=True, max_length=200)),
                ('other_key', models.CharField(blank=True, max_length=600)),
                ('verdict', models.CharField(choices=[('same', 'the same episode'), ('kept', 'the same episode (kept after a merge)'), ('different', 'different episodes'), ('new', 'an episode of its own'), ('ignore', 'not an episode'), ('replaces', 'the later one replaces the other'), ('repeats', 'the later one is a rebroadcast of the other'), ('unrelated', 'the later one has nothing to do with the other')], max_length=10)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
                'verbose_name': 'match',
                'verbose_name_plural': 'matches',
            },
        ),
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
            },
        ),
        migrations.CreateModel(
            name='Held',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('candidates', models.JSONField(default=list)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='held', to='episodes.item', verbose_name='entry')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='held', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'verbose_name_plural': 'entries that need review',
                'ordering': ('podcast', 'item'),
                'verbose_name': 'entry that needs review',
            },
        ),
        migrations.AddField(
            model_name='episode',
            name='podcast',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='episodes', to='episodes.podcast', verbose_name='show'),
        ),
        migrations.CreateModel(
            name='Correction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('kind', models.CharField(choices=[('person', 'Person'), ('link', 'Link'), ('symbol', 'Symbol')], max_length=10)),
                ('key', models.CharField(help_text="A person's identity, a link's key, or a symbol.", max_length=2000)),
                ('field', models.CharField(choices=[('name', 'Name'), ('url', 'Web page'), ('image', 'Photo'), ('label', 'Link text'), ('kind', 'Kind'), ('replacement', 'Replacement address'), ('same', 'Same as'), ('hidden', 'Hidden')], max_length=20)),
                ('value', models.TextField(help_text='For “Same as”, the key of the other.')),
                ('name', models.CharField(blank=True, help_text='Its name when this was decided.', max_length=300)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(blank=True, help_text='Empty for every show.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('verb', models.CharField(max_length=40, verbose_name='action')),
                ('subject', models.CharField(help_text='The name of what was changed.', max_length=500)),
                ('about', models.CharField(help_text='The key of what was changed.', max_length=300)),
                ('reason', models.TextField(blank=True)),
                ('told', models.JSONField(default=list, help_text='Lines to show: [what, before, after].')),
                ('rows', models.JSONField(default=list, help_text='For undo: [model, key, fields before or null, fields after or null].')),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('lot', models.CharField(blank=True, help_text='Equal for changes that were made together.', max_length=32)),
                ('about_too', models.CharField(blank=True, help_text='The key of the second of two.', max_length=300)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='who')),
                ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('podcast', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'permissions': (('curate', 'Can decide about the catalog: episodes, topics, held entries'), ('configure', 'Can set up shows and sources')),
            },
        ),
        migrations.CreateModel(
            name='Addition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.SlugField(max_length=200)),
                ('item_key', models.CharField(max_length=600, verbose_name='entry key')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('kind', models.CharField(choices=[('topic', 'Topic'), ('link', 'Link'), ('person', 'Person'), ('reference', 'Other episode'), ('conflict', 'Conflict')], max_length=10)),
                ('key', models.CharField(help_text="A topic's slug, a link's key, a person's identity, the source and key of an entry of the other episode, or a conflict. For a link, its address.", max_length=2000)),
                ('detail', models.CharField(blank=True, help_text='The text of a link, the role and name of a person, or the kind of a reference.', max_length=400)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Reference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('prerequisite', 'prerequisite'), ('see-also', 'see-also'), ('follow-up', 'follow-up')], max_length=15)),
                ('evidence', models.TextField(blank=True, help_text='The sentence that mentions it.')),
                ('forward', models.BooleanField(default=False, help_text='A prerequisite that was published later, which is doubtful.')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='episodes.episode')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='referred_by', to='episodes.episode')),
            ],
            options={
                'ordering': ('episode', 'target'),
            },
        ),
        migrations.CreateModel(
            name='Related',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveSmallIntegerField()),
                ('reasons', models.JSONField(default=list)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='related', to='episodes.episode')),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='episodes.episode')),
            ],
            options={
                'verbose_name_plural': 'related episodes',
                'ordering': ('episode', 'place'),
            },
        ),
        migrations.CreateModel(
            name='Removal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.SlugField(max_length=200)),
                ('item_key', models.CharField(max_length=600, verbose_name='entry key')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('kind', models.CharField(choices=[('topic', 'Topic'), ('link', 'Link'), ('person', 'Person'), ('reference', 'Other episode'), ('conflict', 'Conflict')], max_length=10)),
                ('key', models.CharField(help_text="A topic's slug, a link's key, a person's identity, the source and key of an entry of the other episode, or a conflict.", max_length=2000)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Repeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('replaces', 'replaces the other'), ('repeats', 'is a rebroadcast of the other'), ('number', 'has the same number')], max_length=10)),
                ('evidence', models.JSONField(default=list, help_text='What the two have in common.')),
                ('accepted', models.BooleanField(default=False)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='repeats', to='episodes.episode')),
                ('of', models.ForeignKey(help_text='The earlier of the two.', on_delete=django.db.models.deletion.CASCADE, related_name='repeated_by', to='episodes.episode')),
            ],
            options={
                'ordering': ('episode', 'of'),
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('payload', models.JSONField(verbose_name='content')),
                ('recorded_at', models.DateTimeField(verbose_name='recorded')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='episodes.item', verbose_name='entry')),
            ],
            options={
                'ordering': ('item', '-version'),
                'verbose_name': 'entry version',
            },
        ),
        migrations.CreateModel(
            name='SourceSchedule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(blank=True, help_text="The source's address when the plan was made.", max_length=2000)),
                ('host', models.CharField(blank=True, db_index=True, max_length=255)),
                ('next_at', models.DateTimeField(blank=True, db_index=True, null=True, verbose_name='next attempt')),
                ('worker', models.CharField(blank=True, help_text='The process that imports it now.', max_length=100)),
                ('held_until', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('attempted_at', models.DateTimeField(blank=True, null=True, verbose_name='last attempt')),
                ('changed_at', models.DateTimeField(blank=True, help_text='When it last had something new.', null=True, verbose_name='last change')),
                ('gap', models.DurationField(blank=True, help_text='Usual time between two changes.', null=True)),
                ('pace', models.DurationField(blank=True, help_text='The shortest time between imports that its feed asks for.', null=True)),
                ('failures', models.PositiveIntegerField(default=0, help_text='Failures in a row, refused documents included.')),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, help_text='HTTP status of the last failure.', null=True)),
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='schedule', to='episodes.source')),
            ],
            options={
                'ordering': ('next_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='Topic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('group', models.CharField(blank=True, max_length=50)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('description', models.TextField(blank=True)),
                ('aliases', models.JSONField(blank=True, default=list)),
                ('rules', models.JSONField(blank=True, default=dict)),
                ('podcast', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='topics', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('position', 'slug'),
            },
        ),
        migrations.CreateModel(
            name='FormerTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('topic', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='former', to='episodes.topic')),
            ],
            options={
                'ordering': ('slug',),
                'verbose_name': 'former topic address',
                'verbose_name_plural': 'former topic addresses',
            },
        ),
        migrations.CreateModel(
            name='EpisodeTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('term', models.CharField(max_length=200)),
                ('field', models.CharField(max_length=20)),
                ('position', models.PositiveIntegerField(default=0)),
                ('confidence', models.CharField(default='high', max_length=10)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='topic_uses', to='episodes.episode')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='episodes.topic')),
            ],
            options={
                'ordering': ('episode', 'topic'),
            },
        ),
        migrations.AddField(
            model_name='episode',
            name='topics',
            field=models.ManyToManyField(related_name='episodes', through='episodes.EpisodeTopic', to='episodes.topic'),
        ),
        migrations.CreateModel(
            name='TopicProposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='Equal for spellings of one name.', max_length=200)),
                ('place', models.PositiveSmallIntegerField(help_text='1 is the best of its show.')),
                ('name', models.CharField(max_length=100)),
                ('source', models.CharField(choices=[('keyword', 'keyword or category of the feed'), ('words', 'words of titles and notes')], max_length=10)),
                ('terms', models.JSONField(default=list, help_text='Terms of its rule, or keywords.')),
                ('count', models.PositiveIntegerField(verbose_name='episodes')),
                ('uses', models.JSONField(default=list, help_text='The newest uses: [episode, field, position, words].')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposed_topics', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'verbose_name': 'proposed topic',
                'ordering': ('podcast', 'place'),
            },
        ),
        migrations.CreateModel(
            name='TopicRefusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('key', models.CharField(help_text='The key of the proposal.', max_length=200)),
                ('name', models.CharField(max_length=100)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'verbose_name': 'refused topic',
                'ordering': ('-made_at', '-id'),
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Transcript',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.TextField()),
                ('sha256', models.CharField(help_text='The hash of its file.', max_length=64)),
                ('text', models.TextField(help_text='Plain text for search.')),
                ('cues', models.JSONField(default=list, help_text='Paragraphs: [start in seconds or null, speaker, text].')),
                ('episode', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='transcript', to='episodes.episode')),
            ],
        ),
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
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show')),
            ],
            options={
                'ordering': ('-made_at', '-id'),
                'abstract': False,
                'verbose_name': 'episode taken out',
                'verbose_name_plural': 'episodes taken out',
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
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='episodes.withdrawal')),
                ('podcast', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.podcast', verbose_name='show')),
                ('replaced_by', models.ForeignKey(blank=True, help_text='Its addresses redirect there.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='episodes.episode')),
            ],
            options={
                'verbose_name': 'taken-out episode',
                'ordering': ('-decision__made_at', 'slug'),
            },
        ),
        migrations.CreateModel(
            name='WithdrawnEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reasons', models.JSONField(default=list)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawn', to='episodes.item', verbose_name='entry')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='episodes.withdrawnepisode')),
            ],
            options={
                'ordering': ('episode', 'item'),
            },
        ),
        migrations.CreateModel(
            name='Capture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(blank=True, null=True)),
                ('sha256', models.CharField(help_text='Of its content.', max_length=64)),
                ('content_type', models.CharField(blank=True, max_length=500)),
                ('taken_at', models.DateTimeField(verbose_name='fetched')),
                ('refused', models.TextField(blank=True, help_text='Why it was not imported.', verbose_name='refused')),
                ('foreign', models.PositiveIntegerField(default=0, help_text='The number of entries that name another show.', verbose_name='entries of other shows')),
                ('reading', models.BinaryField(help_text='Of a page of any site: what it was last understood to say.', null=True)),
                ('read_by', models.CharField(blank=True, help_text='Of a feed: a digest of what its entries were read by.', max_length=32)),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='captures', to='episodes.document')),
            ],
            options={
                'ordering': ('document', '-taken_at', '-id'),
                'verbose_name': 'copy',
                'verbose_name_plural': 'copies',
                'constraints': [models.UniqueConstraint(fields=('document', 'version'), name='capture_version_unique_in_document'), models.CheckConstraint(condition=models.Q(models.Q(('refused__gt', ''), ('version__isnull', True)), models.Q(('refused', ''), ('version__isnull', False)), _connector='OR'), name='capture_is_a_version_or_refused')],
            },
        ),
        migrations.CreateModel(
            name='CodeMention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=20)),
                ('position', models.PositiveIntegerField(help_text='0-based offset in that field.')),
                ('sentence', models.TextField(blank=True)),
                ('name', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='episodes.codename')),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='code_mentions', to='episodes.episode')),
            ],
            options={
                'ordering': ('episode', 'field', 'position'),
                'constraints': [models.UniqueConstraint(fields=('episode', 'name', 'field', 'position'), name='code_mention_once_a_place')],
            },
        ),
        migrations.CreateModel(
            name='Chapter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start', models.PositiveIntegerField()),
                ('title', models.TextField()),
                ('url', models.TextField(blank=True)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chapters', to='episodes.episode')),
            ],
            options={
                'ordering': ('episode', 'start'),
                'constraints': [models.UniqueConstraint(fields=('episode', 'start'), name='chapter_once_a_second')],
            },
        ),
        migrations.CreateModel(
            name='FormerAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(allow_unicode=True, max_length=255)),
                ('item_key', models.CharField(max_length=600)),
                ('document', models.CharField(max_length=2000)),
                ('entry', models.CharField(help_text='SHA-256 of document and key, for the index.', max_length=64)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='episodes.source')),
            ],
            options={
                'verbose_name_plural': 'former addresses',
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('slug', 'source', 'entry'), name='former_address_once_an_entry')],
            },
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(fields=('source', 'address'), name='document_address_unique_in_source'),
        ),
        migrations.AddIndex(
            model_name='ingestrun',
            index=models.Index(fields=['source', '-started_at', '-id'], name='run_newest'),
        ),
        migrations.AddIndex(
            model_name='ingestrun',
            index=models.Index(fields=['source', 'outcome', '-finished_at'], name='run_newest_outcome'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(fields=('document', 'key'), name='item_key_unique_in_document'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(('gone_version__isnull', True), ('gone_version__gt', models.F('first_version')), _connector='OR'), name='item_goes_after_it_came'),
        ),
        migrations.AddConstraint(
            model_name='episodelink',
            constraint=models.UniqueConstraint(fields=('episode', 'link'), name='link_once_an_episode'),
        ),
        migrations.AddConstraint(
            model_name='openform',
            constraint=models.UniqueConstraint(fields=('page', 'user'), name='open_form_once_a_user'),
        ),
        migrations.AddConstraint(
            model_name='credit',
            constraint=models.UniqueConstraint(fields=('episode', 'person', 'role'), name='credit_once_a_role'),
        ),
        migrations.AddConstraint(
            model_name='source',
            constraint=models.UniqueConstraint(fields=('podcast', 'slug'), name='source_slug_unique_in_podcast'),
        ),
        migrations.AddConstraint(
            model_name='parsednotes',
            constraint=models.UniqueConstraint(fields=('podcast', 'digest'), name='one_reading_of_notes'),
        ),
        migrations.AddConstraint(
            model_name='override',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key', 'field'), name='override_one_in_force_a_field'),
        ),
        migrations.AddConstraint(
            model_name='judgement',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key', 'other_source', 'other_key'), name='judgement_one_in_force_a_pair'),
        ),
        migrations.AddConstraint(
            model_name='inboxnote',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('about',), name='inbox_note_one_in_force_a_row'),
        ),
        migrations.AddConstraint(
            model_name='correction',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True), ('podcast__isnull', True)), fields=('kind', 'key', 'field'), name='correction_one_in_force'),
        ),
        migrations.AddConstraint(
            model_name='correction',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True), ('podcast__isnull', False)), fields=('podcast', 'kind', 'key', 'field'), name='correction_one_in_force_a_show'),
        ),
        migrations.AddIndex(
            model_name='change',
            index=models.Index(fields=['about', '-made_at'], name='change_about'),
        ),
        migrations.AddIndex(
            model_name='change',
            index=models.Index(condition=models.Q(('lot', ''), _negated=True), fields=['lot'], name='change_lot'),
        ),
        migrations.AddIndex(
            model_name='change',
            index=models.Index(condition=models.Q(('about_too', ''), _negated=True), fields=['about_too'], name='change_about_too'),
        ),
        migrations.AddIndex(
            model_name='change',
            index=models.Index(fields=['-made_at', '-id'], name='change_newest'),
        ),
        migrations.AddConstraint(
            model_name='addition',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key', 'kind', 'key'), name='addition_one_in_force_an_entry'),
        ),
        migrations.AddConstraint(
            model_name='reference',
            constraint=models.UniqueConstraint(fields=('episode', 'target', 'kind'), name='reference_once_a_kind'),
        ),
        migrations.AddConstraint(
            model_name='related',
            constraint=models.UniqueConstraint(fields=('episode', 'other'), name='related_once_a_pair'),
        ),
        migrations.AddConstraint(
            model_name='removal',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key', 'kind', 'key'), name='removal_one_in_force_an_entry'),
        ),
        migrations.AddConstraint(
            model_name='repeat',
            constraint=models.UniqueConstraint(fields=('episode', 'of'), name='repeat_once_a_pair'),
        ),
        migrations.AddIndex(
            model_name='revision',
            index=models.Index(fields=['-recorded_at'], name='revision_recorded'),
        ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.UniqueConstraint(fields=('item', 'version'), name='revision_unique_in_version'),
        ),
        migrations.AddConstraint(
            model_name='sourceschedule',
            constraint=models.UniqueConstraint(condition=models.Q(('worker', ''), _negated=True), fields=('host',), name='schedule_host_held_once'),
        ),
        migrations.AddConstraint(
            model_name='episodetopic',
            constraint=models.UniqueConstraint(fields=('episode', 'topic'), name='topic_once_an_episode'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['-published_at'], name='episode_published'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['-sorted_at', 'podcast', '-order'], name='episode_newest'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['guid_hash'], name='episode_guid'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['podcast', '-order', 'listed', 'sorted_at', 'duration_seconds', 'published_at'], name='episode_shelf'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(condition=models.Q(('audio_url', '')), fields=['podcast'], name='episode_silent'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.UniqueConstraint(fields=('podcast', 'order'), name='episode_order_unique_in_podcast'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('published_at__isnull', True), ('published_precision', '')), models.Q(('published_at__isnull', False), ('published_precision__in', ('instant', 'day'))), _connector='OR'), name='episode_date_says_how_exact'),
        ),
        migrations.AddConstraint(
            model_name='topicproposal',
            constraint=models.UniqueConstraint(fields=('podcast', 'key'), name='topic_proposal_once_a_show'),
        ),
        migrations.AddConstraint(
            model_name='topicrefusal',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'key'), name='topic_refusal_one_in_force'),
        ),
        migrations.AddConstraint(
            model_name='withdrawal',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('podcast', 'source', 'item_key'), name='withdrawal_one_in_force_an_entry'),
        ),
        migrations.RunPython(_search.create, _search.drop),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
