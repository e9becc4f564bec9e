"""Seven tables of decisions become one; nothing is lost, and what the history wrote can still be undone.

Rows of the history name decisions by table and number, so they are written anew. Of a removal and an addition of one
thing that are both in force, the later one wins, and the other ends with it.
"""

import json
from hashlib import sha256

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError

from ._roles import view

AT_ONCE = 500
NEW = "episodes.decision"
ENTRY = ("podcast", "source", "item_key")
OTHER = ("other_source", "other_key")
COMMON = ("podcast", "reason", "made_by", "made_at", "ended_at", "source", "item_key")
LISTS = ("topic", "link", "person", "reference", "conflict")
CORRECTIONS = ("correct-person", "correct-link", "correct-symbol")
VERDICTS = ("same", "kept", "different", "new", "ignore", "replaces", "repeats", "unrelated")
TAKEN_OUT = ("no-episode", "hidden", "replaced")
# By old table: the columns that have another name now, and what the table itself said.
TABLES = {
    "override": ({"field": "field", "value": "value"}, {"kind": "value"}),
    "judgement": (
        {"verdict": "value", "other_source": "other_source", "other_key": "other_key"},
        {"kind": "match"},
    ),
    "withdrawal": (
        {
            "kind": "value",
            "address": "detail",
            "other_source": "other_source",
            "other_key": "other_key",
        },
        {"kind": "withdrawal"},
    ),
    "removal": ({"kind": "kind", "key": "key"}, {"value": "removed"}),
    "addition": ({"kind": "kind", "key": "key", "detail": "detail"}, {"value": "added"}),
    "topicrefusal": ({"key": "key", "name": "detail"}, {"kind": "refusal"}),
    "correction": (
        {"kind": "kind", "key": "key", "field": "field", "value": "value", "name": "detail"},
        {},
    ),
}
EMPTY = dict.fromkeys(("source", "item_key", *OTHER, "key", "field", "value", "detail"), "")


def moved(table, values):
    """The columns of a decision from those of its old table, either as a row has them or as the history does."""
    names, constant = TABLES[table]
    kept = {name: values[name] for name in COMMON if name in values}
    found = {
        **EMPTY,
        **kept,
        **{new: values[old] for old, new in names.items() if old in values},
        **constant,
    }
    if table == "correction":
        found["kind"] = f"correct-{found['kind']}"
    found["about"] = digest(found)
    return found


def digest(values):
    kind = values["kind"]
    subject = {
        "value": ENTRY, "match": (*ENTRY, *OTHER), "withdrawal": ENTRY, "refusal": ("podcast", "key"),
        **dict.fromkeys(LISTS, (*ENTRY, "key")), **dict.fromkeys(CORRECTIONS, ("podcast", "key")),
    }.get(kind, (*ENTRY, "key"))  # fmt: skip
    return sha256(json.dumps([kind, *(values.get(name) for name in subject)]).encode()).hexdigest()


def move(apps, schema_editor):
    alias = schema_editor.connection.alias
    if (
        schema_editor.connection.vendor == "postgresql"
    ):  # a table with checks that wait cannot be changed
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    def rows_of(name):
        return apps.get_model("episodes", name)._default_manager.using(alias)

    ended = beaten(rows_of)
    numbers = {}
    for table in TABLES:
        numbers |= copied(table, rows_of(table), rows_of("decision"), ended)
    for episode in rows_of("withdrawnepisode").order_by("pk").iterator(AT_ONCE):
        episode.decision_id = numbers["withdrawal", episode.withdrawal_id]
        episode.save(update_fields=["decision"])
    rewrite(rows_of("change"), numbers)


def beaten(rows_of):
    """The end of each removal or addition that another one of the same thing beats, by table and number."""
    in_force = {}
    for table in ("removal", "addition"):
        for row in rows_of(table).filter(ended_at=None):
            subject = (row.podcast_id, row.source, row.item_key, row.kind, row.key)
            in_force.setdefault(subject, []).append(
                (row.made_at, table == "addition", table, row.pk)
            )
    ended = {}
    for both in filter(lambda rows: len(rows) > 1, in_force.values()):
        (_, _, table, pk), (made_at, *_) = sorted(both)
        ended[table, pk] = made_at
    return ended


def copied(table, rows, decisions, ended):
    """The new numbers of the rows of a table, by table and old number."""
    numbers, waiting = {}, []

    def write():
        made = decisions.bulk_create(decisions.model(**columns) for _, columns in waiting)
        numbers.update({(table, pk): row.pk for (pk, _), row in zip(waiting, made, strict=True)})
        waiting.clear()

    for row in rows.order_by("pk").values().iterator(AT_ONCE):
        columns = moved(table, {name.removesuffix("_id"): value for name, value in row.items()})
        columns["podcast_id"], columns["made_by_id"] = (
            columns.pop("podcast"),
            columns.pop("made_by"),
        )
        columns["ended_at"] = ended.get((table, row["id"]), columns["ended_at"])
        waiting.append((row["id"], {**columns, "former": f"{table} {row['id']}"}))
        if len(waiting) >= AT_ONCE:
            write()
    write()
    return numbers


def rewrite(changes, numbers):
    """Name decisions in the history by their new numbers; one that is missing keeps its own, as a negative one."""
    old = {f"episodes.{table}": table for table in TABLES}
    for change in changes.order_by("pk").iterator(AT_ONCE):
        if not any(row[0] in old for row in change.rows):
            continue
        change.rows = [
            renamed(old[row[0]], row, numbers) if row[0] in old else row for row in change.rows
        ]
        change.save(update_fields=["rows"])


def renamed(table, row, numbers):
    _, pk, before, after = row
    both = (moved(table, values) if values is not None else None for values in (before, after))
    return [NEW, numbers.get((table, pk), -pk), *both]


def keep(apps, schema_editor):
    """The way back exists only while nothing was decided: it would lose decisions."""
    if (
        apps.get_model("episodes", "decision")
        ._default_manager.using(schema_editor.connection.alias)
        .exists()
    ):
        raise IrreversibleError("There are decisions; restore a backup of the earlier version.")


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("episodes", "0055_kinds_of_repeats"),
    ]

    operations = [
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("value", "Locked field"),
                            ("match", "Match"),
                            ("withdrawal", "Episode taken out"),
                            ("topic", "Topic of an episode"),
                            ("link", "Link of an episode"),
                            ("person", "Person of an episode"),
                            ("reference", "Other episode"),
                            ("conflict", "Conflict"),
                            ("refusal", "Refused topic"),
                            ("correct-person", "Correction of a person"),
                            ("correct-link", "Correction of a link"),
                            ("correct-symbol", "Correction of a symbol"),
                        ],
                        max_length=20,
                    ),
                ),
                ("source", models.SlugField(blank=True, max_length=200)),
                (
                    "item_key",
                    models.CharField(blank=True, max_length=600, verbose_name="entry key"),
                ),
                (
                    "other_source",
                    models.SlugField(
                        blank=True,
                        help_text="The source of an entry of the other episode.",
                        max_length=200,
                    ),
                ),
                ("other_key", models.CharField(blank=True, max_length=600)),
                (
                    "key",
                    models.CharField(
                        blank=True,
                        help_text="A topic's slug, a link's key, or its address where it was added, a person's identity, a symbol, the source and key of an entry of the other episode, a conflict, or a proposal.",
                        max_length=2000,
                    ),
                ),
                ("field", models.CharField(blank=True, max_length=30)),
                (
                    "value",
                    models.TextField(
                        blank=True,
                        help_text="Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown. For “Same as”, the key of the other.",
                    ),
                ),
                (
                    "detail",
                    models.CharField(
                        blank=True,
                        help_text="The text of a link, the role and name of a person, the kind of a reference, the address of an episode that was taken out, which no other one gets, or the name of a thing when this was decided.",
                        max_length=400,
                    ),
                ),
                (
                    "about",
                    models.CharField(
                        editable=False,
                        help_text="SHA-256 of the kind and the subject.",
                        max_length=64,
                    ),
                ),
                (
                    "former",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="Its table and number before all decisions were one table.",
                        max_length=40,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                (
                    "made_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="decided"),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="curator",
                    ),
                ),
                (
                    "podcast",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty for every show.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="episodes.podcast",
                        verbose_name="show",
                    ),
                ),
            ],
            options={
                "ordering": ("-made_at", "-id"),
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended_at", None)),
                        fields=["podcast", "item_key"],
                        name="decision_entry",
                    ),
                    models.Index(
                        condition=models.Q(("ended_at", None)),
                        fields=["kind", "podcast"],
                        name="decision_kind",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("about", "field"),
                        name="decision_one_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "conflict",
                                    "correct-link",
                                    "correct-person",
                                    "correct-symbol",
                                    "link",
                                    "match",
                                    "person",
                                    "reference",
                                    "refusal",
                                    "topic",
                                    "value",
                                    "withdrawal",
                                ],
                            )
                        ),
                        name="decision_kinds",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "value"), _negated=True),
                            models.Q(
                                ("key", ""),
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="decision_value",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "match"), _negated=True),
                            models.Q(
                                ("key", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                (
                                    "value__in",
                                    [
                                        "different",
                                        "ignore",
                                        "kept",
                                        "new",
                                        "repeats",
                                        "replaces",
                                        "same",
                                        "unrelated",
                                    ],
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="decision_match",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "withdrawal"), _negated=True),
                            models.Q(
                                ("key", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["hidden", "no-episode", "replaced"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_withdrawal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "topic"), _negated=True),
                            models.Q(
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["added", "removed"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_topic",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "link"), _negated=True),
                            models.Q(
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["added", "removed"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_link",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "person"), _negated=True),
                            models.Q(
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["added", "removed"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "reference"), _negated=True),
                            models.Q(
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["added", "removed"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_reference",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "conflict"), _negated=True),
                            models.Q(
                                ("other_key", ""),
                                ("other_source", ""),
                                ("podcast__isnull", False),
                                models.Q(("source", ""), _negated=True),
                                models.Q(("item_key", ""), _negated=True),
                                ("value__in", ["removed"]),
                            ),
                            _connector="OR",
                        ),
                        name="decision_conflict",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "refusal"), _negated=True),
                            models.Q(
                                ("item_key", ""),
                                ("other_key", ""),
                                ("other_source", ""),
                                ("source", ""),
                                ("podcast__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="decision_refusal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "correct-person"), _negated=True),
                            models.Q(
                                ("item_key", ""),
                                ("other_key", ""),
                                ("other_source", ""),
                                ("source", ""),
                            ),
                            _connector="OR",
                        ),
                        name="decision_correct_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "correct-link"), _negated=True),
                            models.Q(
                                ("item_key", ""),
                                ("other_key", ""),
                                ("other_source", ""),
                                ("source", ""),
                            ),
                            _connector="OR",
                        ),
                        name="decision_correct_link",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "correct-symbol"), _negated=True),
                            models.Q(
                                ("item_key", ""),
                                ("other_key", ""),
                                ("other_source", ""),
                                ("source", ""),
                            ),
                            _connector="OR",
                        ),
                        name="decision_correct_symbol",
                    ),
                ],
            },
        ),
        migrations.RenameField(
            model_name="withdrawnepisode", old_name="decision", new_name="withdrawal"
        ),
        migrations.AddField(
            model_name="withdrawnepisode",
            name="decision",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="episodes.decision",
            ),
        ),
        migrations.RunPython(move, keep),
        migrations.RemoveField(model_name="withdrawnepisode", name="withdrawal"),
        migrations.AlterField(
            model_name="withdrawnepisode",
            name="decision",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="episodes.decision",
            ),
        ),
        *(
            migrations.DeleteModel(name=name)
            for name in (
                "Addition",
                "Correction",
                "Judgement",
                "Override",
                "Removal",
                "TopicRefusal",
                "Withdrawal",
            )
        ),
        migrations.RunPython(view({"decision": "decision"}), migrations.RunPython.noop),
    ]
