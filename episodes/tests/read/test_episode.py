"""The page of an episode: where to listen, its links, the way before and after it, and what it says of itself."""

import re
from unittest.mock import patch

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from episodes.models import Capture, Episode, EpisodeLink, Item, Link, Podcast
from episodes.models.addresses import Owner
from episodes.text.link_labels import ONE
from episodes.views.episode import load_episode
from episodes.views.episode_links import LinkMention, notes_and_links
from episodes.views.field_sources import load_entries

from ..tables import cases
from .pages import Seen, see

CASES = cases("read_episode")

pytestmark = pytest.mark.usefixtures("catalog")

AUDIO = "https://audio.example.org/a.mp3"


def listen(page: Seen) -> dict[str, str | None]:
    return {a.text().strip(): a.attributes["href"] for a in page.tree.css(".listen a")}


def test_without_audio_the_episodes_own_page_comes_first_under_the_name_of_its_place(client: Client) -> None:
    page = see(client, "/episodes/vmap/?t=12:34")
    assert listen(page) == {"Listen on Simplecast": Episode.objects.get(slug="vmap").url}
    assert "Go to 12:34 there." in page.text
    Episode.objects.filter(slug="vmap").update(url="https://www.radio.example.org/34")
    assert "Listen on radio.example.org" in listen(see(client, "/episodes/vmap/"))


def test_where_no_page_is_known_the_shows_site_and_searches_are_offered(client: Client) -> None:
    found = listen(see(client, "/episodes/strides/"))
    assert found == {
        "Find it on Simplecast": "https://pytorch-dev-podcast.simplecast.com",
        "Apple Podcasts": "https://podcasts.apple.com/search?term=PyTorch%20Developer%20Podcast%20Strides",
        "Spotify": "https://open.spotify.com/search/PyTorch%20Developer%20Podcast%20Strides",
    }
    Podcast.objects.update(site_url="")
    assert list(listen(see(client, "/episodes/strides/"))) == ["Apple Podcasts", "Spotify"]


def test_a_directory_that_lists_the_episode_is_offered_by_its_name(client: Client) -> None:
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


def test_a_page_with_a_player_says_where_it_starts_and_what_to_do_if_it_fails(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(audio_url=AUDIO)
    page = see(client, "/episodes/vmap/?t=12m34s")
    assert page.one(".player [role=status]").text() == "Starts at 12:34"
    assert page.one("audio").attributes["src"] == f"{AUDIO}#t=754"
    failed = page.one(".failed")
    assert "hidden" in failed.attributes
    assert [a.attributes["href"] for a in failed.css("a")] == [AUDIO, Episode.objects.get(slug="vmap").url]
    assert "Starts at" not in see(client, "/episodes/vmap/").text


@pytest.mark.parametrize(
    "time, words",
    [
        *((time, f"“{time}” is no time") for time in ("abc", "<b>", "99999", "18:00")),
        ("\0a", "“a” is no time"),
        *((time, "") for time in ("", " ", "0", "17:30")),
    ],
)
def test_a_time_that_cannot_be_used_is_told(client: Client, time: str, words: str) -> None:
    page = see(client, "/episodes/vmap/", t=time)
    assert (words in page.notes, bool(page.notes)) == (True, bool(words))
    assert not words or "?t=" not in page.one(".cite").text()


def test_every_episode_says_where_to_listen_and_shows_each_link_of_its_notes_once(client: Client) -> None:
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
    assert kinds == sorted(kinds, key=[*ONE.values()].index)


def mention(address: str, kind: str = "docs", key: str = "", text: str = "") -> LinkMention:
    return LinkMention(Link(key=key or address, kind=kind, episode_count=1), address, text)


def titles(html: str, *mentions: LinkMention) -> tuple[str, list[str]]:
    notes, links = notes_and_links(html, mentions, ())
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
def test_lists_of_links_leave_the_notes_and_links_in_running_text_stay(html, notes, found) -> None:
    assert titles(html, mention(A), mention(B, text="The other")) == (html if notes is None else notes, found)


@pytest.mark.parametrize(
    "address, kind, key, title", CASES["a_link_without_a_title_is_named_by_the_words_of_its_address"]
)
def test_a_link_without_a_title_is_named_by_the_words_of_its_address(address, kind, key, title) -> None:
    assert titles("", mention(address, kind, key or address)) == ("", [title])


def test_an_address_that_the_notes_spell_out_is_not_repeated_beside_it() -> None:
    html = f'<ul><li><a href="{A}">a.example.org/guide</a></li></ul>'
    (link,) = notes_and_links(html, [mention(A)], ())[1]
    assert (link.title, link.details) == ("a.example.org/guide", "Documentation")


def test_a_heap_of_lists_is_read_in_a_moment() -> None:
    item = f'<li><a href="{A}">x</a></li>'
    for heap in (
        "<ul>" * 20_000,
        f"<ul>{item}</ul>" * 5_000,
        "<p>" * 20_000 + f"<ul>{item}</ul>",
        f"<ul>{item * 9_000}</ul>",
    ):
        notes_and_links(heap, [mention(A)], ())


def test_what_is_shared_names_number_title_and_show_and_tells_what_it_is_about(client: Client) -> None:
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


def test_an_episode_and_its_topics_are_two_questions(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(2):
        found = load_episode("vmap")
        assert found
        assert [topic.name for topic in found.topics_in_order] == ["functorch and vmap"]


def test_its_sources_are_one_line_that_opens_and_cut_notes_are_marked(client: Client) -> None:
    cut, summarised = Episode.objects.filter(description_truncated=True)[:2]
    summarised.provenance["description_text"]["editorial"] = True
    summarised.save()
    assert "Notes are cut off." in see(client, cut.get_absolute_url()).text
    told = [see(client, episode.get_absolute_url()).html for episode in (cut, summarised)]
    assert ["summary written for the catalog" in html for html in told] == [False, True]
    assert ["Summary by this site" in html for html in told] == [False, True]
    summary = see(client, "/episodes/vmap/").one(".provenance summary")
    words = " ".join(summary.text().split())
    assert re.fullmatch(r"Sources: Feed \(archived copy\), pod\.casts\.io \(checked \d+ \w{3} \d{4}\)", words)


def test_an_entry_that_is_gone_was_listed_last_in_the_version_before() -> None:
    episode = Episode.objects.get(slug="vmap")
    item = load_entries(episode)[0].item
    Item.objects.filter(pk=item.pk).update(gone_version=2)
    last = Capture.objects.get(document=item.document, version=1).taken_at
    assert load_entries(episode)[0].left_at == last  # type: ignore[attr-defined]  # of the query


def test_a_mistake_can_be_reported_where_a_tracker_is_set(client: Client, settings) -> None:
    assert "Report a mistake" not in see(client, "/episodes/vmap/").text
    settings.ISSUES_URL = "https://tracker.example/new?title=Episode+{slug}"
    link = see(client, "/episodes/vmap/").one(".records > p:last-child a")
    assert link.attributes["href"] == "https://tracker.example/new?title=Episode+vmap"


def test_an_address_whose_episode_is_replaced_this_moment_is_no_fault(client: Client) -> None:
    """An import may delete the row between the question for the owner of an address and that for its page."""
    Episode.objects.filter(slug="vmap").update(slug="vmap-moved")
    assert client.get("/episodes/vmap/").status_code == 301
    gone = {"vmap": Owner(leads_to=0, withdrawn=False)}
    with patch("episodes.views.former_addresses.former_owners", return_value=gone):
        assert client.get("/episodes/vmap/").status_code == 404
