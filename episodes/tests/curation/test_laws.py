"""Laws of decisions: they outlive every ingest, and taken back they leave nothing behind."""

import json
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes import curation
from episodes import models as nouns
from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import InvalidChange
from episodes.models import Change, Decision, Episode, Item, Source

from ..examples import tries
from ..ingest.conftest import take
from ..kept import made_once
from .acts import ACTS, episode
from .conftest import export, feed, set_status, small_show, staff

# As README says, all that has to be kept: loaded into an empty database and rebuilt, it makes the same catalog.
KEPT = (
    "auth.user auth.group episodes.podcast episodes.source episodes.topic episodes.learningpath "
    "episodes.document episodes.content episodes.capture episodes.item episodes.revision episodes.ingestrun "
    "episodes.decision episodes.change episodes.redirect episodes.suggestion"
).split()


def emptied() -> None:
    """Leave nothing that a backup holds, nor what follows from it."""
    for name in ("WithdrawnEpisode", "Episode", "Held", "Link", "Person", "CodeName", "Redirect", "Change", "Decision",
                 "Revision", "Item", "IngestRun", "Capture", "Content", "Document", "LearningPath", "Topic",
                 "Source", "Podcast"):  # fmt: skip
        getattr(nouns, name)._default_manager.all().delete()
    User.objects.all().delete()


def episode_with(item: Item) -> Episode:
    return Episode.objects.get(attachments__item=item)


def noted() -> list[tuple[object, ...]]:
    """The rows of the inbox, and those that were dismissed."""
    rows = [(row.section.slug, row.subject, row.words) for row in first_inbox_rows(500)]
    dismissed = Decision.objects.in_force("dismissal").values_list("field", "detail", "value")
    return sorted([*rows, *dismissed])


# Adding an episode by hand makes a GUID, another each time.
ONE_SHOW = [name for name in ACTS if name not in ("add_show", "undo_change", "undo_last_changes")]
REPEATABLE = sorted({*ONE_SHOW} - {"add_episode_by_hand"})
STEPS = st.lists(
    st.tuples(st.sampled_from([*ONE_SHOW, "ingest", "ingest"]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=6,
)


def ingest_another(n: int) -> None:
    """A document in another state than before: longer, or with another's words."""
    page, source = (feed(range(4 + n % 3)), "feed") if n % 2 else (feed(range(3 + n % 3), cut=True), "other")
    take(source, page, "--accept")


def decide(user: User, steps: list[tuple[str, int, int]]) -> None:
    for name, n, m in steps:
        if name == "ingest":
            for source in Source.objects.filter(status__in=("archived", "removed")):
                set_status(user, source, "active")
            ingest_another(n)
            continue
        try:
            with transaction.atomic():  # of an act of two parts either both are done or none
                ACTS[name](user, n, m)
        except InvalidChange:
            continue


class Laws(TestCase):
    """Each example starts from the small show with both of its documents."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def start(self) -> User:
        made_once(self.import_both)
        return staff("carla", "administrator")

    @staticmethod
    def import_both() -> None:
        small_show()
        for source, page in (("feed", feed(range(4))), ("other", feed(range(4), cut=True))):
            take(source, page)

    @settings(max_examples=tries(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_decisions_and_undo_leave_the_documents_catalog(self, steps):
        user = self.start()
        decide(user, steps)
        for change in Change.objects.order_by("-id"):
            curation.undo_change(user, change)
        after = export()
        assert '"by-hand"' not in after
        ingests = [step for step in steps if step[0] == "ingest"]
        Change.objects.all().delete()
        self.fresh(ingests)
        assert json.loads(export()) == json.loads(after)

    def fresh(self, ingests: list[tuple[str, int, int]]) -> None:
        """The same documents in a database that nobody ever decided anything in."""
        emptied()
        self.import_both()
        user = staff("carla", "administrator")
        decide(user, ingests)

    @settings(max_examples=tries(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.sampled_from(REPEATABLE), st.integers(0, 9), st.integers(0, 9))
    @example([("override_title", 0, 0)], "merge_symbols", 0, 0)
    def test_preview_equals_result_and_leaves_nothing(self, steps, name, n, m):
        user = self.start()
        decide(user, steps)
        before, inbox = export(), noted()
        try:
            seen = curation.run_and_roll_back(lambda: ACTS[name](user, n, m), export)
        except InvalidChange:
            seen = before
        assert (export(), noted()) == (before, inbox)
        decide(user, [(name, n, m)])
        assert export() == seen

    @settings(max_examples=tries(4, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_decisions_outlive_a_backup(self, steps):
        user = self.start()
        decide(user, steps)
        before, inbox, file = export(), noted(), str(self.folder / "kept.json")
        call_command("dumpdata", *KEPT, output=file, verbosity=0)
        emptied()
        call_command("loaddata", file, verbosity=0)
        call_command("rebuild", verbosity=0)
        user = User.objects.get(username="carla")
        assert (export(), noted()) == (before, inbox)
        for last in Change.objects.all()[:1]:
            curation.undo_change(user, curation.undo_change(user, last))
            assert export() == before

    @settings(max_examples=tries(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
    def test_catalog_and_inbox_outlive_a_rebuild(self, steps, presses):
        user = self.start()
        decide(user, [*steps, *(("press_inbox_button", n, m) for n, m in presses)])
        for change in Change.objects.all():
            assert change.action != change.verb or change.verb.startswith("split")
            words = " ".join(str(part) for line in change.told for part in line)
            assert not re.search(r"[{\[]['\"]|None|guid:", words)
        before, catalog = noted(), export()
        call_command("rebuild", verbosity=0)
        assert (noted(), export()) == (before, catalog)
        last = Change.objects.first()
        if last is not None:
            curation.undo_change(user, curation.undo_change(user, last))
            assert (noted(), export()) == (before, catalog)

    @settings(max_examples=tries(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.integers(0, 9), st.integers(0, 9))
    @example([("decide_match", 0, 0)], 8, 0)
    def test_a_move_is_a_split_and_a_merge(self, steps, n, m):
        user = self.start()
        decide(user, steps)
        try:
            found, target = episode(n), episode(m)
            stays, *items = Item.objects.filter(attachment__episode=found).order_by("pk")
            there = Item.objects.filter(attachment__episode=target).earliest("pk")
            curation.split_episode(user, found, items, target)
        except InvalidChange:
            return
        moved = export()
        curation.undo_change(user, Change.objects.latest("id"))
        curation.split_episode(user, episode_with(stays), items)
        parted = Change.objects.latest("id")
        # What the rules place beside entries that are split off comes along with the merge.
        there_now = Item.objects.filter(attachment__episode=episode_with(items[0]))
        along = list(there_now.exclude(pk__in=[item.pk for item in items]))
        curation.merge_episodes(user, episode_with(there), episode_with(items[0]))
        merged = export()
        if along:
            for change in (Change.objects.latest("id"), parted):
                curation.undo_change(user, change)
            curation.split_episode(user, episode_with(stays), items, episode_with(there))
            for item in along:
                curation.decide_match(user, item, "same", episode_with(there))
            moved = export()
        assert merged == moved
