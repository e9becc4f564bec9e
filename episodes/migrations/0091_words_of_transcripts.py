"""Corrections of the words of transcripts."""

from django.conf import settings
from django.db import migrations, models

from . import _search as search


def search_again(apps, schema_editor):
    """SQLite made the table of transcripts anew, without its triggers."""
    if schema_editor.connection.vendor == "sqlite":
        search.create(apps, schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0088_transcript_machine_made'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, search_again),
        migrations.RemoveConstraint(
            model_name='decision',
            name='decision_kinds',
        ),
        migrations.AddField(
            model_name='transcript',
            name='corrections',
            field=models.JSONField(default=list, help_text='Of words by curators: [key of the decision, right words].'),
        ),
        migrations.AddField(
            model_name='transcript',
            name='lost',
            field=models.JSONField(default=list, help_text='Those that have no place in it.'),
        ),
        migrations.AlterField(
            model_name='decision',
            name='detail',
            field=models.CharField(blank=True, help_text='The text of a link, the role and name of a person, the kind of a reference, the address of an episode that was taken out, which no other one gets, the wrong words of a transcript, or the name of a thing when this was decided.', max_length=400),
        ),
        migrations.AlterField(
            model_name='decision',
            name='key',
            field=models.CharField(blank=True, help_text="A topic's slug, a link's key, or its address where it was added, a person's identity, a symbol, the source and key of an entry of the other episode, a conflict, a proposal, or wrong words of a transcript on a line between those before and after them.", max_length=2000),
        ),
        migrations.AlterField(
            model_name='decision',
            name='kind',
            field=models.CharField(choices=[('value', 'Locked field'), ('match', 'Match'), ('withdrawal', 'Episode taken out'), ('topic', 'Topic of an episode'), ('link', 'Link of an episode'), ('person', 'Person of an episode'), ('reference', 'Other episode'), ('conflict', 'Conflict'), ('words', 'Words of a transcript'), ('refusal', 'Refused topic'), ('correct-person', 'Correction of a person'), ('correct-link', 'Correction of a link'), ('correct-symbol', 'Correction of a symbol')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['conflict', 'correct-link', 'correct-person', 'correct-symbol', 'link', 'match', 'person', 'reference', 'refusal', 'topic', 'value', 'withdrawal', 'words'])), name='decision_kinds'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'words'), _negated=True), models.Q(('other_key', ''), ('other_source', ''), ('podcast__isnull', False), models.Q(('source', ''), _negated=True), models.Q(('item_key', ''), _negated=True)), _connector='OR'), name='decision_words'),
        ),
        migrations.RunPython(search_again, migrations.RunPython.noop),
    ]
