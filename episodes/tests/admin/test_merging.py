"""Merge, split, move, take out and conflicts: seen first, taken back at any time; old addresses go on leading somewhere."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes import curation
from episodes.curation import InvalidChange
from episodes.models import Change, Decision, Episode, Held, Item, Podcast, WithdrawnEpisode

from ..curation.conftest import export, feed
from ..ingest.conftest import take
from .conftest import at, do, episode, form_of, logged_in, said


def seen(client: Client, one: Episode, other: Episode) -> dict[str, object]:
    page = client.get(at(one, "merge"), {"other": other.slug})
    assert page.status_code == 200
    return {"other": other.slug, "seen": page.context["token"]}


def test_merge_is_seen_done_and_undone_later(client: Client) -> None:
    before, slugs = export(), {episode(1).slug, episode(2).slug}
    page = said(client.get(at(episode(1), "merge"), {"other": episode(2).slug}))
    assert "All about ladders 1" in page
    assert "All about mirrors 2" in page
    assert page.count('type="radio"') >= 9
    assert export() == before
    assert not Change.objects.exists()
    client.post(at(episode(1), "merge"), seen(client, episode(1), episode(2)))
    take("feed", feed(range(6)))
    assert Episode.objects.count() == 5
    client.post(f"/admin/episodes/change/{Change.objects.get(verb='merge').pk}/change/")
    assert Episode.objects.count() == 6
    assert slugs <= set(Episode.objects.values_list("slug", flat=True))


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
        curation.merge_episodes(curator, one, other, {"slug": third.slug})
    assert Episode.objects.count() == 5
    client.post(at(one, "merge"), seen(client, one, other) | {"of_slug": "other"})
    assert Decision.objects.get(kind="value").value == other.slug
    assert Episode.objects.filter(slug=other.slug).exists()
    assert Episode.objects.count() == 4


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
    for n in (2, 3):
        first, other = (Episode.objects.get(attachments__item=items[m]) for m in (1, n))
        curation.merge_episodes(curator, first, other)
    away = [item for n, item in items.items() if n != stays]
    curation.split_episode(curator, Episode.objects.get(attachments__item=items[1]), away)
    assert Change.objects.latest("id").told == [["entries", "6 of one episode", "4 and 2 of two"]]
    (together,) = Episode.objects.filter(attachments__item__in=away).distinct()
    assert not together.attachments.filter(item=items[stays])


def test_what_stays_after_a_split_stays_together(curator: User, talks: Podcast) -> None:
    items = [Item.objects.get(key=f"guid:small-{n}") for n in (3, 2, 1)]
    for item in items[1:]:
        first, other = (Episode.objects.get(attachments__item=joined) for joined in (items[0], item))
        curation.merge_episodes(curator, first, other)
    merged, decisions = export(), set(Decision.objects.in_force("match"))
    # Both merges are matches with this entry, the first of its feed.
    curation.split_episode(curator, Episode.objects.get(attachments__item=items[0]), items[:1])
    change = Change.objects.latest("id")
    assert change.told == [["entries", "6 of one episode", "5 and 1 of two"]]
    (together,) = Episode.objects.filter(attachments__item__in=items[1:]).distinct()
    assert together.attachments.count() == 5
    curation.undo_change(curator, change)
    assert (export(), set(Decision.objects.in_force("match"))) == (merged, decisions)


def test_edit_while_merged_survives_split(curator: User, talks: Podcast) -> None:
    curation.override_fields(curator, episode(1), {"title": "Ladders 1"})
    curation.merge_episodes(curator, episode(1), episode(2))
    change = Change.objects.get(verb="merge")
    assert change.subject == "Ladders 1 + All about mirrors 2"
    curation.override_fields(curator, Episode.objects.get(title="Ladders 1"), {"title": "Both"})
    curation.undo_change(curator, change)
    assert {"Both", "Ladders 1"} <= set(Episode.objects.values_list("title", flat=True))


@pytest.mark.on_both
def test_nothing_is_merged_over_what_another_did_meanwhile(client: Client, administrator: User) -> None:
    one = episode(1)
    data = seen(client, one, episode(2))
    curation.override_fields(administrator, episode(2), {"number": "7"})
    assert "Somebody changed “All about" in said(client.post(at(one, "merge"), data, follow=True))
    item = Item.objects.filter(attachment__episode=one).earliest("pk").pk
    page = client.get(at(one, "split"), {"items": item})
    curation.override_fields(administrator, episode(1), {"number": "8"})
    sent = {"items": item, "seen": page.context["token"]}
    assert "Somebody changed “All about" in said(client.post(at(one, "split"), sent, follow=True))
    assert not Decision.objects.filter(kind="match").exists()


@pytest.mark.parametrize("changed", [1, 2])
@pytest.mark.parametrize("name, values", [("rerun", {"kind": "repeats"}), ("split", {"items": "first entry"})])
def test_form_about_two_episodes_is_refused_if_old(
    client: Client, administrator: User, name: str, values: dict[str, str], changed: int
) -> None:
    one, other = episode(1), episode(2)
    if name == "split":
        values = {"items": str(Item.objects.filter(attachment__episode=one).earliest("pk").pk)}
    page = client.get(at(one, name), {"other": other.slug, **values})
    sent = {"other": other.slug, "seen": page.context["token"], **values}
    curation.override_fields(administrator, episode(changed), {"number": "7"})
    assert f"Somebody changed “{episode(changed).heading}”" in said(client.post(at(one, name), sent))
    assert not Decision.objects.filter(kind="match").exists()
    sent["seen"] = client.post(at(one, name), sent | {"_preview": "1"}).context["token"]
    client.post(at(one, name), sent)
    assert Decision.objects.filter(kind="match").exists()


def test_both_episodes_have_rerun_in_history(client: Client, curator: User) -> None:
    curation.decide_rerun(curator, episode(2), episode(1), "repeats")
    assert curation.episode_changes(episode(2)).get().verb == "judge repeats"
    assert curation.episode_changes(episode(1)).get().verb == "judge repeats"


def test_preview_may_be_of_another_choice(client: Client) -> None:
    one = episode(1)
    sent = seen(client, one, episode(2)) | {"other": episode(3).slug}
    assert "you chose it since" in said(client.post(at(one, "merge"), sent))
    page = client.post(at(one, "merge"), sent | {"_preview": "1"})
    assert "Somebody changed" not in said(page)
    assert page.context["choices"]


LIST = "/admin/episodes/withdrawnepisode/"


def test_effects_are_previewed_before_withdrawal(client: Client) -> None:
    before = export()
    page = said(client.get(at(episode(0), "take_out"), {"kind": "hidden"}))
    for words in ("shows it", "“This page was removed” (410)", "<td>5</td>", "<td>4</td>", "Page of Household"):
        assert words in page
    assert export() == before
    assert not Change.objects.exists()


def test_withdrawn_episode_is_listed_and_restored(client: Client) -> None:
    before, gone = export(), episode(2)
    seen = client.get(at(gone, "take_out")).context["token"]
    answer = client.post(at(gone, "take_out"), {"kind": "no-episode", "seen": seen, "reason": "an advert"}, follow=True)
    assert "was taken out: not an episode" in said(answer)
    assert "Undo this" in said(answer)
    listed = said(client.get(LIST))
    for words in (gone.title, "Not an episode", "carla", "an advert"):
        assert words in listed
    page = f"{LIST}{gone.slug}/change/?next={at(gone)}"
    for name in ("change", "history"):
        assert client.get(at(gone, name), follow=True).redirect_chain == [(page, 302)]
    answer = client.post(page, {"next": at(gone)}, follow=True)
    assert "Undone: took out" in said(answer)
    assert answer.redirect_chain[-1][0] == at(gone)
    assert export() == before
    assert client.get(page, follow=True).redirect_chain == [(at(gone), 302)]


def test_edit_of_withdrawn_episode_is_refused(client: Client, curator: User) -> None:
    here = at(episode(2))
    data = form_of(client, here) | {"title": "Mirrors"}
    curation.withdraw_episode(curator, episode(2), "hidden")
    assert "taken out since you opened the form. Nothing was saved." in said(client.post(here, data, follow=True))
    assert "Nothing was saved" not in said(client.get(here, follow=True))


def test_joined_withdrawn_episodes_return_together(client: Client, curator: User) -> None:
    one, other, before = episode(2), episode(3), Episode.objects.count()
    item = other.attachments.all()[0].item
    for gone in (one, other):
        curation.withdraw_episode(curator, gone, "hidden")
    assert Episode.objects.count() == before - 2
    curation.decide_match(curator, item, "same", WithdrawnEpisode.objects.get(slug=one.slug))
    page = f"{LIST}{WithdrawnEpisode.objects.get().slug}/change/"
    assert "Undo all 2 changes" in said(client.get(page))
    client.post(page, {"all": "1"})
    assert Episode.objects.count() == before - 1
    assert not WithdrawnEpisode.objects.exists()


def test_replacement_is_found_by_any_name(client: Client) -> None:
    gone, other = episode(2), episode(3)
    address = at(gone, "take_out")
    assert "Name the other episode." in said(client.get(address, {"kind": "replaced"}))
    page = client.get(address, {"kind": "replaced", "other": "needles"})
    assert f"redirects to {other.get_absolute_url()}" in said(page)
    assert "Nothing matches" in said(client.post(address, {"kind": "replaced", "other": "nowhere"}))
    client.post(address, {"kind": "replaced", "other": other.slug, "seen": page.context["token"]})
    assert WithdrawnEpisode.objects.get().replaced_by == other
    assert f"replaced by {other.title}" in said(client.get(LIST))


def test_review_marks_withdrawn_candidate(doubtful: Podcast, curator: User) -> None:
    client, item = logged_in(curator), Item.objects.get(key="guid:odd-1")
    curation.decide_match(curator, item, "new")
    curation.merge_episodes(curator, episode(1), Episode.objects.get(attachments__item=item))
    assert not Decision.objects.filter(kind="match", value="new", ended_at=None).exists()
    curation.withdraw_episode(curator, episode(2), "hidden")
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    address = "/admin/inbox/held/"
    page = client.get(address, {"row": held.pk})
    assert "taken out, and so will the entry be" in said(page)
    sent = {"kind": "held", "row": held.pk, "token": page.context["row"].token}
    client.post(address, {**sent, "with": "all-about-mirrors-2", "act": "same"})
    assert held.item.withdrawn.episode == WithdrawnEpisode.objects.get()


def test_selected_entries_move_in_one_form(client: Client) -> None:
    before = export()
    item = Item.objects.get(attachment__episode=episode(1), document__source__slug="other")
    target = episode(2)
    unclear = client.get(at(episode(1), "split"), {"items": str(item.pk), "other": "all about"})
    assert "could be several" in said(unclear)
    page = client.get(at(episode(1), "split"), {"items": str(item.pk), "other": "mirrors"})
    assert ("What moves: Title", target.title) in {(name, after) for name, _, _, after in page.context["rows"]}
    assert export() == before
    data = {"items": item.pk, "other": target.slug, "seen": page.context["token"]}
    answer = client.post(at(episode(1), "split"), data, follow=True)
    assert f'Moved 1 entry to <a href="{at(target)}">{target.title}</a>.' in said(answer)
    assert item.attachment.episode.slug == target.slug
    client.post(f"/admin/episodes/change/{Change.objects.get().pk}/change/")
    assert export() == before


def test_conflict_is_closed_and_reopened(client: Client, curator: User) -> None:
    take("other", feed(range(4), cut=True).replace(b"02 May 2021", b"22 May 2021"))
    page = client.get(at(episode(1)))
    (conflict,) = page.context["conflicts"]
    sent = form_of(client, at(episode(1)))
    answer = client.post(do(episode(1), "remove", kind="conflict", key=conflict["key"]), sent, follow=True)
    assert "Closed conflicts" in said(answer)
    assert "Conflicts between sources" not in said(client.get("/admin/"))
    sent["seen"] = answer.context["token"]
    client.post(do(episode(1), "bring_back", kind="conflict", key=conflict["key"]), sent)
    assert len(episode(1).conflicts) == 1
    curation.override_fields(curator, episode(2), {"number": "7"})
    answer = client.post(at(episode(1)), form_of(client, at(episode(1))) | {"number": "7"}, follow=True)
    assert "is also the number of “All about mirrors 2”" in said(answer)
    assert episode(1).number == 7
