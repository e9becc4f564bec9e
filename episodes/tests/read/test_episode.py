"""The page of an episode: where to listen, its links, the way before and after it, and what it says of itself."""

import re

import pytest
from django.test import Client

from episodes.models import Document, Episode, EpisodeLink, Link, Podcast
from episodes.text.link_labels import LINK_KIND_NAMES
from episodes.views.episode_links import LinkMention, notes_without_lists_and_remaining_links

from ..tables import cases
from .pages import Seen, see

CASES = cases("read_episode")

pytestmark = pytest.mark.usefixtures("catalog")

AUDIO = "https://audio.example.org/a.mp3"


def listen(page: Seen) -> dict[str, str | None]:
    return {a.text().strip(): a.attributes["href"] for a in page.tree.css(".listen a")}


def test_own_page_comes_first_without_audio(client: Client) -> None:
    page = see(client, "/episodes/vmap/?t=12:34")
    assert listen(page) == {"Listen on Simplecast": Episode.objects.get(slug="vmap").url}
    assert "then skip to 12:34" in page.text
    Episode.objects.filter(slug="vmap").update(url="https://www.radio.example.org/34")
    assert "Listen on radio.example.org" in listen(see(client, "/episodes/vmap/"))


def test_unknown_page_offers_site_and_searches(client: Client) -> None:
    found = listen(see(client, "/episodes/strides/"))
    assert found == {
        "Find it on Simplecast": "https://pytorch-dev-podcast.simplecast.com",
        "Apple Podcasts": "https://podcasts.apple.com/search?term=PyTorch%20Developer%20Podcast%20Strides",
        "Spotify": "https://open.spotify.com/search/PyTorch%20Developer%20Podcast%20Strides",
    }
    Podcast.objects.update(site_url="")
    assert list(listen(see(client, "/episodes/strides/"))) == ["Apple Podcasts", "Spotify"]


def test_directory_of_episode_is_offered_by_name(client: Client) -> None:
    episode = Episode.objects.get(slug="vmap")
    row = episode.attachments.exclude(item__document__source__own=True)[0]
    revision = row.item.revisions.latest("pk")
    revision.payload = {**revision.payload, "url": "https://player.fm/series/pytorch/vmap"}
    revision.save()
    assert listen(see(client, "/episodes/vmap/"))["Player FM"] == "https://player.fm/series/pytorch/vmap"
    own = episode.attachments.filter(item__document__source__own=True)[0].item.revisions.latest("pk")
    own.payload = {**own.payload, "url": "https://www.radio.example.org/34"}
    own.save()
    assert set(listen(see(client, "/episodes/vmap/"))) == {"Listen on Simplecast", "Player FM"}, "nor are its own"
    # A place is offered once: as the show's site, and not as a directory too.
    Episode.objects.filter(slug="vmap").update(url="")
    Podcast.objects.update(site_url="https://player.fm/series/pytorch")
    assert [name for name in listen(see(client, "/episodes/vmap/")) if "Player" in name] == ["Find it on Player FM"]


def test_show_page_does_not_replace_episode_page(client: Client) -> None:
    episode = Episode.objects.get(slug="vmap")
    first, second = episode.attachments.exclude(item__document__source__own=True).order_by(
        "item__document__source__rank", "item__document__source__slug"
    )[:2]
    for row, page in ((first, "https://player.fm/series/pytorch/vmap"), (second, "")):
        revision = row.item.revisions.latest("pk")
        revision.payload = {**revision.payload, "url": page}
        revision.save()
    Document.objects.filter(pk=second.item.document_id).update(address="https://player.fm/series/pytorch")
    assert listen(see(client, "/episodes/vmap/"))["Player FM"] == "https://player.fm/series/pytorch/vmap"


def test_player_says_start_and_fallback(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(audio_url=AUDIO)
    page = see(client, "/episodes/vmap/?t=12m34s")
    assert page.one(".player [role=status]").text() == "Starts at 12:34"
    assert page.one("audio").attributes["src"] == f"{AUDIO}#t=754"
    failed = page.one(".failed")
    assert "hidden" in failed.attributes
    assert [a.attributes["href"] for a in failed.css("a")] == [AUDIO, Episode.objects.get(slug="vmap").url]
    assert "Starts at" not in see(client, "/episodes/vmap/").text


@pytest.mark.parametrize("time, words", CASES["unusable_time_is_reported"])
def test_unusable_time_is_reported(client: Client, time: str, words: str) -> None:
    page = see(client, "/episodes/vmap/", t=time)
    assert (words in page.notes, bool(page.notes)) == (True, bool(words))
    assert not words or "?t=" not in page.one(".cite").text()


def test_episode_shows_each_link_once(client: Client) -> None:
    for episode in Episode.objects.prefetch_related("mentions__link")[::9]:
        page = see(client, episode.get_absolute_url())
        assert page.tree.css_first("audio, .go") is not None, episode
        shown = [a.attributes["href"] for a in page.tree.css(".notes a:not(small a), .nearby .sides a, .nearby > ul a")]
        assert len(shown) == len(set(shown)), episode
        for mention in episode.mentions.all():
            key = mention.link.key
            here = f"/episodes/{key.removeprefix('episode:')}/" if key.startswith("episode:") else mention.url
            assert here in shown, (episode, here)


def test_links_come_by_kind(client: Client) -> None:
    vmap = Episode.objects.get(slug="vmap")
    for number in range(4):
        link = Link.objects.create(key=f"https://blog.example.org/post-{number}", kind="blog", title=f"Post {number}")
        EpisodeLink.objects.create(episode=vmap, link=link, position=50 + number, url=link.key)
    kinds = [small.text().split(" · ")[0].strip() for small in see(client, "/episodes/vmap/").tree.css(".links small")]
    assert kinds[0] == "Issue"
    assert kinds == sorted(kinds, key=[*LINK_KIND_NAMES.values()].index)


def mention(address: str, kind: str = "docs", key: str = "", text: str = "") -> LinkMention:
    return LinkMention(Link(key=key or address, kind=kind, episode_count=1), address, text)


def titles(html: str, *mentions: LinkMention) -> tuple[str, list[str]]:
    notes, links = notes_without_lists_and_remaining_links(html, mentions, ())
    return notes, [link.title for link in links]


A, B = "https://a.example.org/guide", "https://b.example.org/y"
REMARK = f'<a href="{A}">One</a> is not a title but a remark.'
TWO = f'<ul><li>{{}}<a href="{A}">{A}</a></li><li><a href="{B}">The other</a></li></ul>'


@pytest.mark.parametrize(
    "html, notes, found",
    [
        (f"<p>Prose.</p>{TWO.format('Tracking issue: ')}", "<p>Prose.</p>", ["Tracking issue", "The other"]),
        (f"<p>Prose. Further reading.</p>{TWO.format('')}", "<p>Prose.</p>", ["guide", "The other"]),
        (f"<p>Prose.</p><p><b>Links:</b></p>{TWO.format('')}", "<p>Prose.</p>", ["guide", "The other"]),
        (f"<p>Prose.</p><h3>Links from this episode</h3>{TWO.format('')}", "<p>Prose.</p>", ["guide", "The other"]),
        (f"<h3>References</h3>{TWO.format('')}", "", ["guide", "The other"]),
        (f"<p>Sponsors:</p>{TWO.format('')}", None, []),
        (f"<h3>Sponsors</h3>{TWO.format('')}", None, []),
        (f"<p>The guests</p>{TWO.format('')}", None, []),
        (f"<p>We look at the links.</p>{TWO.format('')}", "<p>We look at the links.</p>", ["guide", "The other"]),
        (TWO.format("12:34 The dispatcher "), None, []),
        (f"<ul><li>{REMARK}</li></ul><p>See {B}</p>", None, ["The other"]),
        (f'<p>See <a href="{A}">this</a>.</p>', None, ["The other"]),
        (f'<ul><li><a href="{A}">One</a></li><li><a href="https://unknown.example">Two</a></li></ul>', None, ["The other"]),
        (f"<ul><li>{REMARK}</li></ul>{TWO.format('')}", f"<ul><li>{REMARK}</li></ul>", ["The other"]),
        ("", "", ["guide", "The other"]),
    ],
)  # fmt: skip
def test_link_lists_leave_notes(html, notes, found) -> None:
    assert titles(html, mention(A), mention(B, text="The other")) == (html if notes is None else notes, found)


@pytest.mark.parametrize(
    "address, kind, key, title", CASES["a_link_without_a_title_is_named_by_the_words_of_its_address"]
)
def test_untitled_link_is_named_by_address(address, kind, key, title) -> None:
    assert titles("", mention(address, kind, key or address)) == ("", [title])


def test_many_lists_are_read_quickly() -> None:
    item = f'<li><a href="{A}">x</a></li>'
    heaps = ["<ul>" * 20_000, f"<ul>{item}</ul>" * 5_000, "<p>" * 20_000 + f"<ul>{item}</ul>"]
    for heap in (*heaps, f"<ul>{item * 9_000}</ul>"):
        notes_without_lists_and_remaining_links(heap, [mention(A)], ())


def test_shared_page_names_number_title_show(client: Client) -> None:
    page = see(client, "/episodes/vmap/")
    title = "34. vmap – PyTorch Developer Podcast"
    assert page.one("title").text() == title
    assert page.one(f"meta[property='og:title'][content='{title}']")
    assert (page.one("meta[name=description]").attributes["content"] or "").startswith("What is vmap?")
    unknown = see(client, "/episodes/episode-59/")
    assert unknown.one("title").text() == "Episode 59 – PyTorch Developer Podcast"
    Episode.objects.filter(slug="vmap").update(title="#34 - vmap")
    assert see(client, "/episodes/vmap/").one("title").text().startswith("#34 - vmap –")
    without = see(client, "/episodes/tensoriterator/").one("meta[name=description]").attributes["content"] or ""
    assert "TensorIterator" in without


def test_sources_are_one_line_that_opens(client: Client) -> None:
    cut, summarised = Episode.objects.filter(description_truncated=True)[:2]
    summarised.provenance["description_text"]["editorial"] = True
    summarised.save()
    assert "Notes are cut off." in see(client, cut.get_absolute_url()).text
    told = [see(client, episode.get_absolute_url()).html for episode in (cut, summarised)]
    assert ["Our summary, not the show’s." in html for html in told] == [False, True]
    summary = see(client, "/episodes/vmap/").one(".provenance summary")
    words = " ".join(summary.text().split())
    assert re.fullmatch(r"Sources: Feed \(archived copy\), pod\.casts\.io \(checked \d+ \w{3} \d{4}\)", words)


def test_mistake_can_be_reported_to_tracker(client: Client, settings) -> None:
    assert "Report a mistake" not in see(client, "/episodes/vmap/").text
    settings.ISSUES_URL = "https://tracker.example/new?title=Episode+{slug}"
    link = see(client, "/episodes/vmap/").one(".records > p:last-child a")
    assert link.attributes["href"] == "https://tracker.example/new?title=Episode+vmap"
