"""Merge and split: seen first, a choice for every field, taken back at any time; old addresses go on leading somewhere."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import InvalidChange, decide_match, merge_episodes, override_fields, split_episode, undo_change
from episodes.models import Change, Decision, Episode, Item, Podcast

from ..curation.conftest import export, feed
from ..ingest.conftest import take
from .conftest import at, episode, logged_in, said


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def seen(client: Client, one: Episode, other: Episode) -> dict[str, object]:
    page = client.get(at(one, "merge"), {"other": other.slug})
    assert page.status_code == 200
    return {"other": other.slug, "seen": page.context["token"]}


def test_a_merge_is_seen_before_it_is_done(client: Client) -> None:
    before = export()
    page = said(client.get(at(episode(1), "merge"), {"other": episode(2).slug}))
    assert "All about ladders 1" in page
    assert "All about mirrors 2" in page
    assert page.count('type="radio"') >= 9
    assert export() == before
    assert not Change.objects.exists()


def test_each_field_comes_from_where_the_curator_says(client: Client) -> None:
    one, other = episode(1), episode(2)
    data = seen(client, one, other) | {"of_title": "other", "of_published": "one", "reason": "published twice"}
    answer = client.post(at(one, "merge"), data, follow=True)
    assert "are one episode now" in said(answer)
    merged = Episode.objects.get(title="All about mirrors 2")
    assert merged.published_at == one.published_at
    assert Episode.objects.count() == 4
    for old in (one, other):
        answer = Client().get(old.get_absolute_url(), follow=True)
        assert (answer.status_code, answer.request["PATH_INFO"]) == (200, merged.get_absolute_url())


def test_merged_episode_has_either_address(client: Client, curator: User) -> None:
    one, other, third = episode(1), episode(2), episode(3)
    with pytest.raises(InvalidChange, match=f"“{third.slug}” is, or was, the address of All about needles 3"):
        merge_episodes(curator, one, other, {"slug": third.slug})
    assert Episode.objects.count() == 5
    client.post(at(one, "merge"), seen(client, one, other) | {"of_slug": "other"})
    assert Decision.objects.get(kind="value").value == other.slug
    assert Episode.objects.filter(slug=other.slug).exists()
    assert Episode.objects.count() == 4


def test_merge_is_undone_after_an_import(client: Client) -> None:
    slugs = {episode(1).slug, episode(2).slug}
    client.post(at(episode(1), "merge"), seen(client, episode(1), episode(2)))
    take("feed", feed(range(6)))
    assert Episode.objects.count() == 5
    client.post(f"/admin/episodes/change/{Change.objects.get(verb='merge').pk}/change/")
    assert Episode.objects.count() == 6
    assert slugs <= set(Episode.objects.values_list("slug", flat=True))


def test_a_split_is_seen_done_and_taken_back(client: Client) -> None:
    before = export()
    away = Item.objects.get(attachment__episode=episode(1), document__source__slug="other")
    page = client.get(at(episode(1), "split"), {"items": away.pk})
    assert "What moves: " in said(page)
    assert export() == before
    client.post(at(episode(1), "split"), {"items": away.pk, "seen": page.context["token"]})
    assert Item.objects.get(pk=away.pk).attachment.episode != Item.objects.get(key="guid:small-1").attachment.episode
    client.post(f"/admin/episodes/change/{Change.objects.get().pk}/change/")
    assert export() == before


@pytest.mark.parametrize("stays", [1, 2, 3])
def test_what_is_split_off_together_stays_together(curator: User, talks: Podcast, stays: int) -> None:
    items = {n: Item.objects.get(key=f"guid:small-{n}") for n in (1, 2, 3)}
    first, second, third = (Episode.objects.get(attachments__item=item) for item in items.values())
    merge_episodes(curator, first, second)
    merge_episodes(curator, Episode.objects.get(attachments__item=items[1]), third)
    away = [item for n, item in items.items() if n != stays]
    split_episode(curator, Episode.objects.get(attachments__item=items[1]), away)
    (together,) = Episode.objects.filter(attachments__item__in=away).distinct()
    assert not together.attachments.filter(item=items[stays])


def test_edit_while_merged_survives_split(curator: User, talks: Podcast) -> None:
    override_fields(curator, episode(1), {"title": "Ladders 1"})
    merge_episodes(curator, episode(1), episode(2))
    change = Change.objects.get(verb="merge")
    assert change.subject == "Ladders 1 + All about mirrors 2"
    override_fields(curator, Episode.objects.get(title="Ladders 1"), {"title": "Both"})
    undo_change(curator, change)
    assert {"Both", "Ladders 1"} <= set(Episode.objects.values_list("title", flat=True))


def test_merge_ends_decision_on_new_episode(curator: User, doubtful: Podcast) -> None:
    item = Item.objects.get(key="guid:odd-1")
    decide_match(curator, item, "new")
    merge_episodes(curator, episode(1), Episode.objects.get(attachments__item=item))
    assert not Decision.objects.filter(kind="match", value="new", ended_at=None).exists()


@pytest.mark.on_both
def test_nothing_is_merged_over_what_another_did_meanwhile(client: Client, administrator: User) -> None:
    one = episode(1)
    data = seen(client, one, episode(2))
    override_fields(administrator, episode(2), {"number": "7"})
    assert "Somebody changed “All about" in said(client.post(at(one, "merge"), data, follow=True))
    item = Item.objects.filter(attachment__episode=one).earliest("pk").pk
    page = client.get(at(one, "split"), {"items": item})
    override_fields(administrator, episode(1), {"number": "8"})
    assert "Somebody changed “All about" in said(
        client.post(at(one, "split"), {"items": item, "seen": page.context["token"]}, follow=True)
    )
    assert not Decision.objects.filter(kind="match").exists()
