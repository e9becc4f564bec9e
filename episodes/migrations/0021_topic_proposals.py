"""Topics that are proposed for a show, and those that a curator refused."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from ._roles import view




class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0020_paths"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TopicProposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text='Equal for spellings of one name.', max_length=200)),
                ("place", models.PositiveSmallIntegerField(help_text="1 is the best of its show.")),
                ("name", models.CharField(max_length=100)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("keyword", "keyword or category of the feed"),
                            ("words", "words of titles and notes"),
                        ],
                        max_length=10,
                    ),
                ),
                ("terms", models.JSONField(default=list, help_text="Terms of its rule, or keywords.")),
                ("count", models.PositiveIntegerField(verbose_name="episodes")),
                ("uses", models.JSONField(default=list, help_text='The newest uses: [episode, field, position, words].')),
                (
                    "podcast",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposed_topics', to='episodes.podcast', verbose_name='show'),
                ),
            ],
            options={
                "verbose_name": "proposed topic",
                "ordering": ("podcast", "place"),
                "constraints": [models.UniqueConstraint(fields=("podcast", "key"), name="topic_proposal_once_a_show")],
            },
        ),
        migrations.CreateModel(
            name="TopicRefusal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name='decided')),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ("key", models.CharField(help_text="The key of the proposal.", max_length=200)),
                ("name", models.CharField(max_length=100)),
                (
                    "made_by",
                    models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='curator'),
                ),
                (
                    "podcast",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='episodes.podcast', verbose_name='show'),
                ),
            ],
            options={
                "verbose_name": "refused topic",
                "ordering": ("-made_at", "-id"),
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("podcast", "key"),
                        name="topic_refusal_one_in_force",
                    )
                ],
            },
        ),
        migrations.RunPython(view({"topicproposal": "proposed topic", "topicrefusal": "refused topic"}), migrations.RunPython.noop),
    ]
