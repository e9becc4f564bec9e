"""Decisions about words of all transcripts of a show, and proposals of such words."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('episodes', '0480_meanings'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='decision',
            name='decision_kinds',
        ),
        migrations.AlterField(
            model_name='decision',
            name='key',
            field=models.CharField(blank=True, help_text="A topic's slug, a link's key, or its address where it was added, a person's identity, a symbol, the source and key of an entry of the other episode, a conflict, a proposal, wrong words of a transcript on a line between those before and after them, wrong words of all transcripts, or a topic’s slug with the first second of a moment and the one after its last.", max_length=2000),
        ),
        migrations.AlterField(
            model_name='decision',
            name='kind',
            field=models.CharField(choices=[('value', 'Locked field'), ('match', 'Match'), ('withdrawal', 'Episode taken out'), ('topic', 'Topic of an episode'), ('link', 'Link of an episode'), ('person', 'Person of an episode'), ('reference', 'Other episode'), ('conflict', 'Conflict'), ('words', 'Words of a transcript'), ('show-words', 'Words of all transcripts'), ('moment', 'Moment of a topic'), ('refusal', 'Refused topic'), ('dismissal', 'Dismissed in inbox'), ('correct-person', 'Correction of a person'), ('correct-link', 'Correction of a link'), ('correct-symbol', 'Correction of a symbol')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['conflict', 'correct-link', 'correct-person', 'correct-symbol', 'dismissal', 'link', 'match', 'moment', 'person', 'reference', 'refusal', 'show-words', 'topic', 'value', 'withdrawal', 'words'])), name='decision_kinds'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'show-words'), _negated=True), models.Q(('item_key', ''), ('other_key', ''), ('other_source', ''), ('source', ''), ('podcast__isnull', False)), _connector='OR'), name='decision_show_words'),
        ),
        migrations.CreateModel(
            name="WordProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("wrong", models.CharField(max_length=200)),
                ("right", models.CharField(max_length=200)),
                ("place_count", models.PositiveIntegerField()),
                ("episode_count", models.PositiveIntegerField()),
                (
                    "podcast",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="episodes.podcast",
                        verbose_name="show",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("podcast", "wrong"), name="word_proposal_once")],
            },
        ),
    ]
