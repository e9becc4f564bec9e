"""One change of the configuration or the catalog: who may, what its line of history says, and what its undo needs."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from episodes.curation import Conflict, undo
from episodes.curation.history import (
    CONFIGURE,
    LOG_IN,
    Recorder,
    Stale,
    changing,
    check_fresh,
    forget_logins,
    note,
    require,
)
from episodes.models import Change, Decision, Podcast, Topic


@pytest.fixture
def mill(db: None) -> Podcast:
    return Podcast.objects.create(slug="mill", title="Mill", author="Ada Roe")


def renamed(user: User, show: Podcast, title: str, *, of: list[Podcast] | None, subject: str = "Mill") -> Change:
    """The change that gives a show a title."""
    with changing(user, "edit", subject, f"podcast:{show.pk}", podcasts=of, permission=CONFIGURE) as record:
        show.title = title
        record.save(show)
    return Change.objects.latest("pk")


def test_a_change_of_one_show_is_that_shows(mill: Podcast, administrator: User) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    assert renamed(administrator, mill, "Old Mill", of=[mill]).podcast == mill
    assert renamed(administrator, mill, "New Mill", of=[mill, loom]).podcast is None
    loom.delete()
    assert renamed(administrator, mill, "Mill", of=None).podcast is None, "of all shows, which are one"


def test_a_line_of_history_has_500_characters_of_its_subject_and_no_reason_of_its_own(
    mill: Podcast, administrator: User
) -> None:
    change = renamed(administrator, mill, "Old Mill", of=[mill], subject="x" * 501)
    assert (change.subject, change.reason, change.about_too) == ("x" * 500, "", "")
    note(administrator, "import", mill, "y" * 501, mill, [])
    assert Change.objects.latest("pk").subject == "y" * 500


@pytest.mark.parametrize("is_staff", [True, False])
def test_who_has_every_right_and_is_no_member_of_the_staff_changes_nothing(db: None, is_staff: bool) -> None:
    user = User.objects.create_user("sue", is_superuser=True, is_staff=is_staff)
    if is_staff:
        return require(user, CONFIGURE)
    with pytest.raises(PermissionDenied):
        require(user, CONFIGURE)


def test_a_form_is_refused_where_somebody_was_faster_alone() -> None:
    check_fresh("Mill", "", "b")
    check_fresh("Mill", "b", "b")
    with pytest.raises(Stale):
        check_fresh("Mill", "a", "b")


def test_a_conflict_names_nobody_whose_account_is_gone(mill: Podcast, administrator: User, curator: User) -> None:
    first = renamed(administrator, mill, "Old Mill", of=[mill])
    other = User.objects.create_superuser("gone")
    renamed(other, mill, "New Mill", of=[mill])
    with pytest.raises(Conflict, match=r"\(gone, "):
        undo(administrator, first)
    Change.objects.filter(made_by=other).update(made_by=None)
    with pytest.raises(Conflict, match=r"\(somebody, "):
        undo(administrator, first)


def test_columns_that_came_later_keep_what_they_hold_and_those_that_went_are_passed_over(
    mill: Podcast, administrator: User
) -> None:
    change = renamed(administrator, mill, "Old Mill", of=[mill])
    ((label, key, before, after),) = change.rows
    for fields in (before, after):
        del fields["author"]
    change.rows = [[label, key, before | {"colour": "red"}, after]]
    change.save()
    undo(administrator, change)
    mill.refresh_from_db()
    assert (mill.title, mill.author) == ("Mill", "Ada Roe")


def test_a_decision_that_is_made_at_undo_comes_into_force_then(mill: Podcast, administrator: User) -> None:
    with changing(administrator, "edit", "Mill", "podcast:1", podcasts=[mill], permission=CONFIGURE) as record:
        record.save(Topic(slug="clay", name="Clay"))
        record.decide_at_undo("correct-symbol", key="clay", field="same", value="kilns")
    assert not Decision.objects.in_force("correct-symbol").exists()
    undo(administrator, Change.objects.latest("pk"))
    assert [row.value for row in Decision.objects.in_force("correct-symbol")] == ["kilns"]


def test_what_stays_as_it_is_is_no_row_and_no_line(mill: Podcast, administrator: User) -> None:
    record = Recorder(administrator)
    record.save(mill)
    record.tell("title", 5, "5")
    record.tell("feed_url", "a", "b")
    assert (record.rows, record.told) == ([], [["feed url", "a", "b"]])


@pytest.mark.parametrize("days, kept", [(90, True), (91, False)])
def test_logins_are_kept_for_90_days(mill: Podcast, days: int, kept: bool) -> None:
    now = timezone.now()
    Change.objects.create(verb=LOG_IN, subject="ada", about="account:1", made_at=now - timedelta(days=days))
    Change.objects.create(verb="edit", subject="Mill", about="podcast:1", made_at=now - timedelta(days=1000))
    assert forget_logins(now, dry_run=True) == (not kept)
    assert Change.objects.count() == 2
    assert forget_logins(now) == (not kept)
    assert Change.objects.count() == 1 + kept
