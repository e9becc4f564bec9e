"""Whatever happened, in whatever order: the catalog is what `rebuild` makes of the evidence and decisions, byte for byte."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes import curation
from episodes.models import Change, Redirect
from episodes.resolve import background, resolve_all_waiting

from ..curation.acts import ACTS
from ..curation.conftest import staff
from ..examples import tries
from ..kept import made_once
from .histories import (
    REFUSED,
    START,
    CatchUp,
    Decision,
    Entry,
    Import,
    Step,
    Tables,
    addresses,
    apply_step,
    broken_laws,
    catalog_tables,
    create_shows,
    decision_tables,
    differences,
    histories,
)

JUDGING = (
    "merge_two_episodes",
    "split_one_episode",
    "move_entries",
    "decide_match",
    "make_own_episode",
    "ignore_entry",
)
UNDONE = (*JUDGING, "add_reference")  # that are taken back at once for certain
# Acts that add evidence, which stays when they are taken back.
EVIDENCE = ("add_show", "add_episode_by_hand")


class Histories(TestCase):
    client_pages = ("/", "/episodes/", "/links/", "/people/", "/names/", "/topics/", "/timeline/", "/paths/")

    @settings(max_examples=tries(7, 400), suppress_health_check=list(HealthCheck))
    @given(histories, st.booleans())
    @example([CatchUp()], False)
    @example([Decision("change_show_status", 0, 0)], False)
    @example([Import(0, "feed", (Entry(2, "notes"),)), Import(2, "feed", (Entry(2, "notes"),))], False)
    @example([Import(0, "feed", tuple(map(Entry, range(5)))), Import(0, "site", (Entry(6),), 5)], True)
    def test_any_history_leaves_what_a_rebuild_leaves(self, steps: list[Step], at_once: bool) -> None:
        with self.history_start() as (user, clock), pytest.MonkeyPatch.context() as patch:
            if not at_once:
                patch.setattr(background, "MAX_EPISODES_IN_REQUEST", 0)
            public = addresses()
            for step in steps:
                self.apply_and_perhaps_undo(user, clock, step)
                public |= addresses()
                assert list(broken_laws(public)) == []
            self.assert_rebuild_changes_nothing()
            self.assert_former_addresses_lead_somewhere()

    @contextmanager
    def history_start(self) -> Iterator[tuple[User, time_machine.Traveller]]:
        with time_machine.travel(START, tick=False) as clock:
            made_once(create_shows)
            yield staff("carla", "administrator"), clock

    def apply_and_perhaps_undo(self, user: User, clock: time_machine.Traveller, step: Step) -> None:
        if isinstance(step, CatchUp):
            list(resolve_all_waiting())
            return
        if isinstance(step, Import):
            clock.shift(step.days * 86400)
        undone = isinstance(step, Decision) and step.undone and step.act not in EVIDENCE
        before = self.tables_that_undo_restores() if undone else {}
        last = Change.objects.count()
        try:
            apply_step(user, step)
        except REFUSED:
            return
        if undone:
            for change in Change.objects.order_by("-pk")[: Change.objects.count() - last]:
                if change.rows:
                    curation.undo_change(user, change)
            assert differences(before, self.tables_that_undo_restores()) == {}

    @staticmethod
    def tables_that_undo_restores() -> Tables:
        list(resolve_all_waiting())
        return decision_tables() | catalog_tables()

    def assert_rebuild_changes_nothing(self) -> None:
        list(resolve_all_waiting())
        step_by_step, pages = catalog_tables(), self.pages()
        call_command("rebuild", stdout=StringIO())
        assert differences(step_by_step, catalog_tables()) == {}
        assert self.pages() == pages

    def pages(self) -> dict[str, bytes]:
        return {address: self.client.get(address).content for address in self.client_pages}

    def assert_former_addresses_lead_somewhere(self) -> None:
        for slug in Redirect.objects.filter(kind="episode").values_list("slug", flat=True).distinct():
            address, met = f"/episodes/{slug}/", []
            while (answer := self.client.get(address)).status_code == 301:
                assert address not in met
                met.append(address)
                address = answer.headers["Location"]
            assert answer.status_code in (200, 410), address

    @pytest.mark.on_both
    def test_every_act_does_something_and_can_be_undone(self) -> None:
        idle, turn = list(ACTS), 0
        with self.history_start() as (user, clock):
            while idle and turn < 14:
                with transaction.atomic():
                    for name in list(idle):
                        if name in UNDONE:
                            self.apply_and_perhaps_undo(
                                user, clock, Decision(name, turn * 5, turn * 2 + 1, undone=True)
                            )
                        before = written()
                        self.apply_and_perhaps_undo(user, clock, Decision(name, turn * 5, turn * 2 + 1))
                        if written() > before:
                            idle.remove(name)
                    transaction.set_rollback(True)
                turn += 1
        assert idle == []


def written() -> int:
    return Change.objects.exclude(rows=[]).count()
