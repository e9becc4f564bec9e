"""What was called no problem in the inbox is a decision like any other, with the changes of the history that undo it.

A dismissed source keeps the state in which it was no problem. Rows of other kinds, which earlier versions wrote, keep
the digest of what they said.
"""

import json
from hashlib import sha256

from django.core import serializers
from django.db import migrations, models

OLD, NEW = "episodes.dismissed", "episodes.decision"
STATES = ("gone", "refused", "failing", "late")
KINDS = (
    ("value", "Locked field"), ("match", "Match"), ("withdrawal", "Episode taken out"), ("topic", "Topic of an episode"),
    ("link", "Link of an episode"), ("person", "Person of an episode"), ("reference", "Other episode"),
    ("conflict", "Conflict"), ("words", "Words of a transcript"), ("moment", "Moment of a topic"),
    ("refusal", "Refused topic"), ("dismissal", "Dismissed in inbox"), ("correct-person", "Correction of a person"),
    ("correct-link", "Correction of a link"), ("correct-symbol", "Correction of a symbol"),
)  # fmt: skip


def _digest(text):
    return sha256(text.encode()).hexdigest()


def about(podcast, source, key):
    """The digest of a subject, as the model makes it."""
    return _digest(json.dumps(["dismissal", podcast, source, key]))


def _fields(row):
    return json.loads(serializers.serialize("json", [row]))[0]["fields"]


class Moved:
    """Decisions in place of the rows of `Dismissed`, by their numbers."""

    def __init__(self, apps, alias):
        self.Decision = apps.get_model("episodes", "Decision")
        self.Dismissed = apps.get_model("episodes", "Dismissed")
        self.rows = self.Decision.objects.using(alias)
        sources = apps.get_model("episodes", "Source").objects.using(alias).values_list("podcast_id", "slug")
        # The digests of both versions of what they are about.
        self.sources = {_digest(f"source\n{podcast}\n{slug}\n\n"): (podcast, slug) for podcast, slug in sources}
        self.states = {_digest(json.dumps(state)): state for state in STATES}
        self.by_number = {}

    def columns(self, old):
        """The columns of a decision for those of a row that was no problem."""
        podcast, source = self.sources.get(old["about"], (None, ""))
        key = "" if source else old["key"][:2000]
        return {
            "kind": "dismissal",
            "podcast_id": podcast,
            "source": source,
            "key": key,
            "field": old["kind"][:30],
            "value": self.states.get(old["digest"], old["digest"]),
            "detail": old["subject"],
            "reason": old["reason"],
            "made_by_id": old["made_by"],
            "made_at": old["made_at"],
            "about": about(podcast, source, key),
            "former": f"dismissed {old['number']}",
        }

    def keep(self, number, old, ended_at=None):
        """The decision in place of a row; a second one about the same thing is ended, as only one is in force."""
        columns = self.columns({**old, "number": number})
        same = self.rows.filter(about=columns["about"], field=columns["field"], ended_at=None)
        if ended_at is None and same.exists():
            ended_at = columns["made_at"]
        self.by_number[number] = self.rows.create(**columns, ended_at=ended_at)

    def written(self, number, old, **more):
        """A row of the history as it is of a decision."""
        columns = {**self.columns({**old, "number": number}), **more}
        row = self.Decision(pk=self.by_number[number].pk, **columns)
        return _fields(row)


def _read(model, fields):
    """The columns of a row as the history has them, times as times."""
    made_at = model._meta.get_field("made_at").to_python(fields["made_at"])
    return {**fields, "made_at": made_at}


def move(apps, schema_editor):
    alias = schema_editor.connection.alias
    moved = Moved(apps, alias)
    for row in moved.Dismissed.objects.using(alias).order_by("pk"):
        moved.keep(row.pk, _read(moved.Dismissed, _fields(row)))
    changes = [
        change
        for change in apps.get_model("episodes", "Change").objects.using(alias).order_by("pk")
        if any(row[0] == OLD for row in change.rows)
    ]
    for change in changes:
        change.rows = [_moved(moved, change, row) if row[0] == OLD else row for row in change.rows]
        change.save(update_fields=["rows"])
    if schema_editor.connection.vendor == "postgresql":
        # A table is dropped next, which waits for no check of new rows.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _moved(moved, change, row):
    """A row of the history, of the decision in place of what it was of."""
    _, number, before, after = row
    if not (before or after):  # of a time when nothing was kept of it
        return row
    is_known = number in moved.by_number
    if not is_known:
        # It was taken back, so its decision is ended; to take that back puts it in force.
        moved.keep(number, _read(moved.Dismissed, after or before), ended_at=change.made_at)
    ended = {"ended_at": moved.by_number[number].ended_at or change.made_at}
    states = [old and _read(moved.Dismissed, old) for old in (before, after)]
    was, now = (old and moved.written(number, old) for old in states)
    # A row that was made again was there before, as an ended one; the first was not.
    if was is None and is_known and change.verb == "undo":
        was = moved.written(number, states[1], **ended)
    if now is None:
        now = moved.written(number, states[0], **ended)
    return [NEW, moved.by_number[number].pk, was, now]


class Migration(migrations.Migration):
    dependencies = [("episodes", "0320_symbols_of_shows")]

    operations = [
        migrations.RemoveConstraint(model_name="decision", name="decision_kinds"),
        migrations.AlterField(
            model_name="decision",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
        migrations.AlterField(
            model_name="decision",
            name="value",
            field=models.TextField(
                blank=True,
                help_text="Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown. For “Same as”, "
                "the key of the other; for what is no problem, the state that it has.",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(kind__in=sorted(kind for kind, _ in KINDS)), name="decision_kinds"
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "dismissal"), _negated=True),
                    models.Q(("item_key", ""), ("other_key", ""), ("other_source", "")),
                    _connector="OR",
                ),
                name="decision_dismissal",
            ),
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel(name="Dismissed"),
    ]
