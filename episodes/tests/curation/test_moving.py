"""Entries that are moved to another episode, addresses that are exchanged, conflicts that are closed."""

import pytest
from django.contrib.auth.models import User

from episodes.curation import (
    InvalidChange,
    decide_match,
    merge_episodes,
    override_fields,
    remove_list_entry,
    split_episode,
)
from episodes.identity.partition import JUDGED
from episodes.models import Attachment, Decision, Episode, Held, Item, Podcast
from episodes.records import FieldConflict

from ..admin.conftest import doubtful, talks
from ..ingest.conftest import take
from .conftest import curator, feed, small

__all__ = ["curator", "doubtful", "small", "talks"]


def episode(n: int) -> Episode:
    return Episode.objects.get(title__endswith=f" {n}")


def entry(n: int, source: str = "other") -> Item:
    return Item.objects.get(attachment__episode=episode(n), document__source__slug=source)


def test_a_move_leaves_other_judgements_as_they_are(talks: Podcast, curator: User) -> None:
    merge_episodes(curator, episode(2), episode(3))
    judged = set(Decision.objects.filter(kind="match", ended_at=None).values_list("pk", flat=True))
    target = Episode.objects.get(attachments__item__key="guid:small-2")
    split_episode(curator, episode(1), [entry(1)], target)
    assert judged <= set(Decision.objects.filter(kind="match", ended_at=None).values_list("pk", flat=True))


def test_only_what_a_person_judged_says_so(doubtful: Podcast, curator: User) -> None:
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    decide_match(curator, held.item, "same", episode(2))
    reasons = dict(Attachment.objects.filter(episode=episode(2)).values_list("item", "reasons"))
    assert [item for item in reasons if JUDGED in reasons[item]] == [held.item_id]
    came = set(episode(3).attachments.values_list("item", flat=True))
    merge_episodes(curator, episode(1), episode(3))
    merged = Episode.objects.filter(attachments__item__in=came).distinct().get()
    reasons = dict(Attachment.objects.filter(episode=merged).values_list("item", "reasons"))
    assert {item for item in reasons if JUDGED in reasons[item]} == came
    assert [reasons[item] for item in came] == [[JUDGED]] * 2


def test_all_entries_are_not_moved_but_merged(talks: Podcast, curator: User) -> None:
    with pytest.raises(InvalidChange, match="merge the two episodes"):
        split_episode(curator, episode(1), [entry(1), entry(1, "feed")], episode(2))
    with pytest.raises(InvalidChange, match="another episode"):
        split_episode(curator, episode(1), [entry(1)], episode(1))


def test_no_import_takes_a_curators_address(talks: Podcast, curator: User) -> None:
    override_fields(curator, episode(3), {"slug": "first"})
    older = b"<item><title>First</title><pubDate>01 Jan 2019 13:00:00 GMT</pubDate><guid>old</guid></item>"
    take("feed", feed(range(5)).replace(b"</channel>", older + b"</channel>"))
    assert episode(3).slug == "first"
    assert Episode.objects.get(title="First").slug.startswith("first-")


def test_closed_conflict_returns_with_new_evidence(talks: Podcast, curator: User) -> None:
    take("other", feed(range(4), cut=True).replace(b"02 May 2021", b"22 May 2021"))
    (row,) = episode(1).conflicts
    remove_list_entry(curator, episode(1), "conflict", FieldConflict(**row).key, reason="the site is wrong")
    assert episode(1).conflicts == []
    take("other", feed(range(3), cut=True).replace(b"02 May 2021", b"22 May 2021"))
    assert episode(1).conflicts == []
    take("other", feed(range(3), cut=True).replace(b"02 May 2021", b"25 May 2021"))
    assert len(episode(1).conflicts) == 1


@pytest.mark.django_db
def test_one_wrong_number_is_one_conflict(catalog: None, curator: User) -> None:
    before = Episode.objects.exclude(conflicts=[]).count()
    newest = Episode.objects.order_by("-order")[0]
    override_fields(curator, newest, {"number": "1"})
    assert Episode.objects.exclude(conflicts=[]).count() <= before + 1
