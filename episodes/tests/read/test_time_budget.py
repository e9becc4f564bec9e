"""The timeline, and the list for the time there is."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from episodes.models import Episode, Podcast
from episodes.views.time_budget import EpisodeLength, choose_playlist
from episodes.views.timeline import build_show_rows_and_year_axis

from ..tables import cases
from .pages import Seen, asked, first, see
from .rows import complete

CASES = cases("read_time_budget")

ADDRESS = "/time/"


pytestmark = pytest.mark.usefixtures("catalog")


def test_list_fits_and_is_always_the_same(client: Client) -> None:
    page = see(client, ADDRESS, minutes=45)
    found = Episode.objects.filter(slug__in=[a.split("/")[2] for a in page.entries])
    seconds = sum(e.duration_seconds or 0 for e in found)
    assert 44 * 60 + 30 <= seconds <= 45 * 60
    assert page.entries == see(client, ADDRESS, minutes=45).entries
    untimed = Episode.objects.filter(duration_seconds=None).count()
    for words in ("2 episodes, 45 min", "exact fit", f"{untimed} episodes without a known length were skipped"):
        assert words in page.text
    assert "The shortest is 10 min" in see(client, ADDRESS, minutes=3).text
    assert see(client, ADDRESS).entries == see(client, ADDRESS, minutes=3).entries == []


def test_a_topic_narrows_the_choice(client: Client) -> None:
    page = see(client, ADDRESS, minutes=60, topic="pt2")
    about = Episode.objects.filter(topics__slug="pt2")
    assert page.entries
    assert set(page.entries) <= {episode.get_absolute_url() for episode in about}


@pytest.mark.parametrize("query, note", CASES["unreadable_filter_is_left_out_and_noted"])
def test_unreadable_filter_is_left_out_and_noted(client: Client, query: dict[str, str], note: str) -> None:
    page = see(client, ADDRESS, **query)
    assert page.status == 200
    assert note in page.notes


def test_the_address_to_share_gives_the_same_list(client: Client) -> None:
    page = see(client, ADDRESS, minutes=45, topic="autograd", utm_source="mail")
    address = page.one("[data-copy=address]").attributes["href"] or ""
    assert asked(address) == {"minutes": ["45"], "topic": ["autograd"]}
    assert see(client, address).entries == page.entries


@pytest.mark.parametrize("minutes, skip, ids, has_next", CASES["playlist_fills_the_time_best"])
def test_playlist_fills_the_time_best(minutes: int, skip: int, ids: list[int], has_next: bool) -> None:
    lengths = [EpisodeLength(1, 7, 17 * 60), EpisodeLength(2, 7, 16 * 60), EpisodeLength(3, 7, 28 * 60)]
    playlist = choose_playlist(lengths, minutes * 60, skip)
    assert [length.episode_id for length in playlist.lengths] == ids
    assert playlist.has_next == has_next


def test_playlist_alternates_between_shows() -> None:
    lengths = [EpisodeLength(1, 7, 1200), EpisodeLength(2, 7, 1200), EpisodeLength(3, 8, 1200)]
    assert choose_playlist(lengths, 2400, 0).lengths == [lengths[0], lengths[2]]


def test_another_playlist_has_an_address(client: Client) -> None:
    page = see(client, ADDRESS, minutes=45)
    address = page.one(".actions a").attributes["href"] or ""
    assert address == "/time/?minutes=45&skip=1"
    other = see(client, address)
    assert other.entries != page.entries
    assert "exact fit" in other.text
    assert other.entries == see(client, address).entries
    last = see(client, ADDRESS, minutes=11, skip=20)
    assert "There is no other playlist. Back to the first playlist" in last.text


def test_playlist_has_one_language_and_no_trailers(client: Client) -> None:
    german = Podcast.objects.create(slug="uhr", title="Die Uhr", language="de-AT")
    for number in range(3):
        kind = "trailer" if number == 2 else ""
        Episode.objects.create(
            podcast=german, slug=f"uhr-{number}", order=number, duration_seconds=60, listed=True, episode_type=kind
        )
    complete()
    assert not [address for address in see(client, ADDRESS, minutes=45).entries if "uhr" in address]
    page = see(client, ADDRESS, minutes=45, language="de")
    assert sorted(page.entries) == ["/episodes/uhr-0/", "/episodes/uhr-1/"]
    assert "all in German" in page.text
    assert "/episodes/uhr-0/" in see(client, ADDRESS, minutes=1440, language="any").entries
    # The shortest one in English is 9 min 40 s long.
    assert "No episode in English is that short. The shortest is 10 min." in see(client, ADDRESS, minutes=9).text
    Episode.objects.filter(podcast=german).update(duration_seconds=61)
    assert "No episode is that short. The shortest is 2 min." in see(client, ADDRESS, minutes=1, language="any").text


def marks(page: Seen) -> list[str]:
    return [a.attributes["href"] or "" for a in page.tree.css(".year li li a")]


def share(page: Seen, slug: str) -> int:
    """The length of an episode's bar in tenths of the longest."""
    bar = page.one(f'.year li li a[href="/episodes/{slug}/"] .bar')
    return int((bar.attributes["class"] or "").removeprefix("bar s"))


def test_timeline_marks_have_dates_labels_and_bars(client: Client) -> None:
    page = see(client, "/timeline/")
    dated = Episode.objects.filter(published_at__isnull=False).order_by("published_at")
    assert marks(page) == [e.get_absolute_url() for e in dated]
    labels = [" ".join(label.text().split()) for label in page.tree.css(".year .label")]
    assert "34 vmap 21 June 2021 · 17 min · functorch and vmap" in labels
    assert any("length unknown" in words for words in labels)
    assert share(page, "torchdynamo") > share(page, "vmap") > share(page, "th") > 0
    assert share(page, "strides") == 0
    rows = page.tree.css(".as-table tbody tr")
    links = [first(row, "a").attributes["href"] for row in rows]
    assert links == [e.get_absolute_url() for e in Episode.objects.order_by("order")], "every one, the oldest first"
    assert "not known" in rows[0].text()


def test_undated_episodes_are_listed_below_and_nowhere_else(client: Client) -> None:
    undated = [e.get_absolute_url() for e in Episode.objects.filter(published_at=None).order_by("order")]
    page = see(client, "/timeline/")
    assert [a.attributes["href"] for a in page.tree.css(".undated li a")] == undated
    assert not set(undated) & set(marks(page))
    assert "22 undated episodes, not shown above; numbers give their order." in page.text
    date = {"published_at": datetime(2021, 1, 1, tzinfo=UTC), "published_precision": "day"}
    Episode.objects.exclude(slug="strides").update(**date)
    Episode.objects.filter(slug="strides").update(published_at=None, published_precision="")
    assert "1 undated episode, not shown above; numbers give its order." in see(client, "/timeline/").text


def test_time_left_over_is_told(client: Client) -> None:
    Episode.objects.exclude(slug__in=("vmap", "strides", "th")).delete()
    Episode.objects.update(duration_seconds=60 * 104)
    for minutes, count, left in ((310, 2, "about 102 min left over"), (312, 3, "exact fit"), (322, 3, "about 10 min")):
        page = see(client, ADDRESS, minutes=minutes)
        assert (len(page.entries), left in page.text) == (count, True)


def test_of_several_shows_one_chooses_one(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Another show")
    empty = Podcast.objects.create(slug="empty", title="Empty show")
    for number, day in enumerate((datetime(2019, 3, 1, tzinfo=UTC), datetime(2019, 4, 1, tzinfo=UTC), None), 1):
        Episode.objects.create(
            podcast=other, slug=f"o-{number}", order=number, title=f"Bees {number}", published_at=day,
            published_precision="day" if day else "",
        )  # fmt: skip
    complete()
    page = see(client, "/timeline/")
    rows = page.tree.css(".overview li")
    assert [" ".join(first(row, "div").text().split()) for row in rows] == [
        "Another show 2019", "Empty show Undated", "PyTorch Developer Podcast 2021 to 2024",
    ]  # fmt: skip
    # One bar of all its height in the first of six years, which all rows name.
    assert [first(row, "path").attributes["d"] for row in rows[:2]] == ["M0.0 28h24v-28.0H0.0z", ""]
    years = ["2019", "2020", "2021", "2022", "2023", "2024"]
    assert [[label.text() for label in row.css("text")] for row in rows] == [years, years, years]
    assert first(rows[0], "a").attributes["href"] == "/timeline/?podcast=other"
    (row,), axis = build_show_rows_and_year_axis([empty])
    assert (row.years, row.bars, axis.labelled_years_with_positions()) == ("Undated", [], [])
    page = see(client, "/timeline/?podcast=other")
    assert [n.text() for n in page.tree.css(".band > h2")] == ["Another show"]
    assert marks(page) == ["/episodes/o-1/", "/episodes/o-2/"]
    assert page.one("option[selected]").attributes["value"] == "other"
    assert "No episodes yet." in see(client, f"/timeline/?podcast={empty.slug}").text
    page = see(client, "/timeline/?podcast=nope")
    assert "unknown show “nope”" in page.text
    assert len(page.tree.css(".overview li")) == 3
