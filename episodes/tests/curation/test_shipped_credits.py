"""Credits that `fixtures/` ships become decisions once."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from episodes.curation import add_shipped_credits_unless_decided, remove_list_entry, undo_change
from episodes.models import Change, Credit, Decision, Episode
from episodes.resolve import update_catalog

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]
SHIPPED = {
    ("aotautograd", "Horace"),
    ("dispatcher-questions-with-sherlock", "Sherlock"),
    ("history-of-functorch", "Richard Zou"),
}


def guests() -> set[tuple[str, str]]:
    names = [name for _, name in SHIPPED]
    rows = Credit.objects.filter(role="guest", person__name__in=names)
    return set(rows.values_list("episode__slug", "person__name"))


def forget() -> None:
    Decision.objects.all().delete()
    update_catalog(Episode.objects.get(slug="aotautograd").podcast)
    assert guests() == set()


def test_shipped_credits_are_added_once() -> None:
    assert guests() == SHIPPED
    assert Decision.objects.filter(kind="person").count() == len(SHIPPED)
    forget()
    call_command("migrate", verbosity=0)
    add_shipped_credits_unless_decided()
    assert guests() == SHIPPED
    assert Decision.objects.count() == len(SHIPPED)


def test_removed_credit_stays_away(curator: User) -> None:
    episode = Episode.objects.get(slug="aotautograd")
    remove_list_entry(curator, episode, "person", "horace@pytorch-developer-podcast")
    undo_change(curator, Change.objects.latest("pk"))
    Decision.objects.in_force("person").filter(detail="guest Horace").update(ended_at="2026-01-01T00:00Z")
    update_catalog(episode.podcast)
    add_shipped_credits_unless_decided()
    assert guests() == SHIPPED - {("aotautograd", "Horace")}


def test_decision_of_a_curator_counts(curator: User) -> None:
    forget()
    episode = Episode.objects.get(slug="aotautograd")
    remove_list_entry(curator, episode, "person", "horace@pytorch-developer-podcast")
    add_shipped_credits_unless_decided()
    assert guests() == SHIPPED - {("aotautograd", "Horace")}


def test_shows_of_others_stay_untouched() -> None:
    forget()
    Episode.objects.get(slug="aotautograd").podcast.sources.update(editorial=[])
    podcast = Episode.objects.get(slug="aotautograd").podcast
    podcast.slug = "another-show"
    podcast.save()
    add_shipped_credits_unless_decided()
    assert Decision.objects.count() == 0
