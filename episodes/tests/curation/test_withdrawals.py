"""Episodes that are taken out: no source brings them back, their addresses stay their own, and a curator can."""

import json
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import (
    InvalidChange,
    decide_match,
    merge_episodes,
    override_fields,
    save_row,
    undo_change,
    withdraw_episode,
)
from episodes.models import Change, Episode, Held, LearningPath, Podcast, WithdrawnEpisode

from ..admin.conftest import doubtful, talks
from ..ingest.conftest import take
from .conftest import bring_back, curator, export, feed, small

__all__ = ["curator", "doubtful", "small", "talks"]


def episode(n: int) -> Episode:
    return Episode.objects.get(title__endswith=f" {n}")


def status(address: str) -> int:
    return Client().get(address).status_code


PAGES = ("/episodes/", "/episodes.rss", "/episodes.json", "/sitemap-episodes.xml", "/changes/", "/llms.txt")


def test_what_is_taken_out_is_on_no_page(talks: Podcast, curator: User) -> None:
    gone = episode(2)
    for words in ("as it was", "in other words"):
        take("feed", feed(range(5), text=lambda n, words=words: f"Of mirrors 2, {words}. {n}" * 20), "--accept")
    client = Client()
    searches = [f"/episodes/?q={gone.title}", f"/search/suggest?q={gone.title}"]

    def naming(pages: Sequence[str], *words: str) -> list[str]:
        texts = {page: client.get(page).content.decode() for page in pages}
        return [page for page, text in texts.items() if any(word in text for word in words)]

    assert naming(PAGES, gone.slug, gone.title) == list(PAGES)
    assert naming(searches, gone.slug) == searches
    withdraw_episode(curator, gone, "no-episode")
    assert naming(PAGES, gone.slug, gone.title) == naming(searches, gone.slug) == []
    assert not any(e["slug"] == gone.slug for e in json.loads(export())["episodes"])
    assert {"podcast": "small-talks", "slug": gone.slug, "replaced_by": None} in json.loads(export())["gone"]


def test_its_addresses_are_gone_and_back_with_it(talks: Podcast, curator: User) -> None:
    former, before = episode(2).slug, export()
    override_fields(curator, episode(2), {"title": "Mirrors"})
    withdraw_episode(curator, Episode.objects.get(slug="mirrors"), "hidden", reason="asked by the host")
    for address in (f"/episodes/{former}/", "/episodes/mirrors/", "/episodes/mirrors.md"):
        assert status(address) == 410
    assert "removed" in Client().get("/episodes/mirrors/").content.decode()
    bring_back(curator, WithdrawnEpisode.objects.get())
    assert status("/episodes/mirrors/") == 200
    assert status(f"/episodes/{former}/") == 301
    undo_change(curator, Change.objects.get(verb="edit"))
    assert export() == before


FILES = (".md", "/card.png", "/chapters.json", "/transcript.vtt")


def test_every_address_of_withdrawn_episode_is_gone(talks: Podcast, curator: User) -> None:
    override_fields(curator, episode(2), {"number": "40"})
    slug = episode(2).slug
    withdraw_episode(curator, episode(2), "hidden")
    for address in ("/40", "/episodes/40/", *(f"/episodes/{name}{file}" for name in (slug, "40") for file in FILES)):
        assert status(address) == 410, address
    assert {status(f"/episodes/never-there{file}") for file in FILES} == {404}


def test_addresses_of_replaced_episode_redirect(talks: Podcast, curator: User) -> None:
    former = episode(2).slug
    override_fields(curator, episode(2), {"number": "40", "title": "Mirrors"})
    for file in FILES:
        assert Client().get(f"/episodes/{former}{file}").headers["Location"] == f"/episodes/mirrors{file}"
    there = f"/episodes/{episode(3).slug}"
    withdraw_episode(curator, Episode.objects.get(slug="mirrors"), "replaced", episode(3))
    for file in ("/", *FILES):
        answer = Client().get(f"/episodes/mirrors{file}")
        assert (answer.status_code, answer.headers["Location"]) == (301, there + file)
        assert Client().get(f"/episodes/40{file}").headers["Location"] == there + file
    assert Client().get("/40").headers["Location"] == f"{there}/"
    assert Client().get("/episodes/mirrors/chapters.json").headers["Access-Control-Allow-Origin"] == "*"


def test_its_address_is_given_to_no_other_episode(talks: Podcast, curator: User) -> None:
    gone = episode(2)
    withdraw_episode(curator, gone, "no-episode")
    with pytest.raises(InvalidChange, match="taken out"):
        override_fields(curator, episode(3), {"slug": gone.slug})
    older = (
        b"<item><title>All about mirrors 2</title><pubDate>01 Jan 2019 13:00:00 GMT</pubDate><guid>old</guid></item>"
    )
    take("feed", feed(range(5)).replace(b"</channel>", older + b"</channel>"), "--accept")
    namesake = Episode.objects.get(title=gone.title)
    assert namesake.slug.startswith(f"{gone.slug}-")
    assert status(gone.get_absolute_url()) == 410


def test_replacement_is_followed(talks: Podcast, curator: User) -> None:
    gone = [episode(n).get_absolute_url() for n in range(5)]
    withdraw_episode(curator, episode(0), "replaced", episode(1))
    withdraw_episode(curator, episode(1), "replaced", episode(2))
    assert Client().get(gone[0]).headers["Location"] == gone[2]
    override_fields(curator, episode(2), {"title": "Renamed"})
    assert Client().get(gone[0]).headers["Location"] == "/episodes/renamed/"
    merge_episodes(curator, episode(3), Episode.objects.get(slug="renamed"), {"title": "Both"})
    assert Client().get(gone[1]).headers["Location"] == "/episodes/both/"
    withdraw_episode(curator, Episode.objects.get(slug="both"), "hidden")
    assert [status(address) for address in gone] == [410, 410, 410, 410, 200]


def test_replacements_that_go_round_are_gone(talks: Podcast, curator: User) -> None:
    one, other = episode(0), episode(1)
    withdraw_episode(curator, one, "replaced", other)
    bring_back(curator, WithdrawnEpisode.objects.get())
    withdraw_episode(curator, episode(1), "replaced", episode(0))
    undo_change(curator, Change.objects.get(verb="undo"))
    assert Episode.objects.count() == 3
    assert [status(e.get_absolute_url()) for e in (one, other)] == [410, 410]


def test_episode_merged_into_replacement_is_shown(talks: Podcast, curator: User) -> None:
    one, other = episode(0), episode(1)
    merge_episodes(curator, one, other)
    merged = Change.objects.latest("id")
    undo_change(curator, merged)
    withdraw_episode(curator, episode(1), "replaced", episode(0))
    undo_change(curator, Change.objects.get(verb="undo"))
    assert not WithdrawnEpisode.objects.exists()
    assert {status(e.get_absolute_url()) for e in (one, other)} == {200, 301}


def test_path_follows_replacement_and_drops_hidden(talks: Podcast, curator: User) -> None:
    steps = [{"episode": episode(n).slug, "why": "Because."} for n in (0, 1)]
    save_row(curator, LearningPath(slug="way", title="Way", steps=steps))
    withdraw_episode(curator, episode(0), "replaced", episode(2))
    withdraw_episode(curator, episode(1), "hidden")
    text = Client().get("/paths/way/").content.decode()
    assert "mirrors 2" in text
    assert "ladders 1" not in text


def test_matched_entry_is_withdrawn_with_its_episode(doubtful: Podcast, curator: User) -> None:
    withdraw_episode(curator, episode(2), "hidden")
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    assert [(c["episode"], c["withdrawn"]) for c in held.candidates] == [("all-about-mirrors-2", True)]
    assert "all-about-mirrors-2" not in json.dumps(json.loads(export())["held"])
    decide_match(curator, held.item, "same", WithdrawnEpisode.objects.get())
    assert not Episode.objects.filter(title="All about mirrors 2").exists()
    assert WithdrawnEpisode.objects.get().attachments.filter(item=held.item).exists()


def test_what_makes_no_sense_takes_nothing_out(talks: Podcast, curator: User) -> None:
    for kind in ("", "nothing", "replaced"):
        with pytest.raises(InvalidChange):
            withdraw_episode(curator, episode(2), kind, episode(2))
    assert not Change.objects.exists()
