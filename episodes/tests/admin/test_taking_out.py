"""The screens that take episodes out, move entries, exchange addresses and close conflicts."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import decide_match, override_fields, withdraw_episode
from episodes.models import Change, Episode, Held, Item, Podcast, WithdrawnEpisode

from ..curation.conftest import export, feed
from ..ingest.conftest import take
from .conftest import at, do, episode, form_of, logged_in, said

LIST = "/admin/episodes/withdrawnepisode/"


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


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


def test_joined_withdrawn_episodes_return_together(client: Client, curator: User) -> None:
    one, other, before = episode(2), episode(3), Episode.objects.count()
    item = other.attachments.all()[0].item
    for gone in (one, other):
        withdraw_episode(curator, gone, "hidden")
    assert Episode.objects.count() == before - 2
    decide_match(curator, item, "same", WithdrawnEpisode.objects.get(slug=one.slug))
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
    assert "No episode matches" in said(client.post(address, {"kind": "replaced", "other": "nowhere"}))
    client.post(address, {"kind": "replaced", "other": other.slug, "seen": page.context["token"]})
    assert WithdrawnEpisode.objects.get().replaced_by == other
    assert f"replaced by {other.title}" in said(client.get(LIST))


def test_review_marks_withdrawn_candidate(doubtful: Podcast, curator: User) -> None:
    client = logged_in(curator)
    withdraw_episode(curator, episode(2), "hidden")
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    address = "/admin/inbox/held/"
    page = client.get(address, {"row": held.pk})
    assert "taken out, and so will the entry be" in said(page)
    sent = {"kind": "held", "row": held.pk, "token": page.context["row"].token}
    client.post(address, {**sent, "with": "all-about-mirrors-2", "act": "same"})
    assert held.item.withdrawn.episode == WithdrawnEpisode.objects.get()


# --- Split and move --------------------------------------------------------------------------------------------------


def test_selected_entries_move_in_one_form(client: Client) -> None:
    before = export()
    item = Item.objects.get(attachment__episode=episode(1), document__source__slug="other")
    target = episode(2)
    assert "Choose the episode that" in said(
        client.get(at(episode(1), "split"), {"items": str(item.pk), "other": "all about"})
    )
    page = client.get(at(episode(1), "split"), {"items": str(item.pk), "other": "mirrors"})
    assert ("What moves: Title", target.title) in {(name, after) for name, _, _, after in page.context["rows"]}
    assert export() == before
    data = {"items": item.pk, "other": target.slug, "seen": page.context["token"]}
    answer = client.post(at(episode(1), "split"), data, follow=True)
    assert f'Moved 1 entry to <a href="{at(target)}">{target.title}</a>.' in said(answer)
    assert item.attachment.episode.slug == target.slug
    client.post(f"/admin/episodes/change/{Change.objects.get().pk}/change/")
    assert export() == before


# --- Addresses -------------------------------------------------------------------------------------------------------


# --- Conflicts and doubts --------------------------------------------------------------------------------------------


def test_conflict_is_closed_and_reopened(client: Client) -> None:
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


def test_duplicate_number_is_saved_with_warning(client: Client, curator: User) -> None:
    override_fields(curator, episode(2), {"number": "7"})
    answer = client.post(at(episode(1)), form_of(client, at(episode(1))) | {"number": "7"}, follow=True)
    assert "is also the number of “All about mirrors 2”" in said(answer)
    assert episode(1).number == 7
