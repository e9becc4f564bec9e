"""A page of any site lists the episodes of a show that it names, and no others."""

import random
import tomllib
from dataclasses import replace
from typing import Any

import pytest

from episodes.listings.any_page import parse_known_episodes
from episodes.records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow

from ..growth import assert_even_growth
from .pages import DATA

PAGES = tomllib.loads((DATA / "any_pages.toml").read_text("utf-8"))["page"]
SHOW = Show("kettle-hours", "Kettle Hours")
WHISTLE = EntryData(title="The whistle of an old kettle", published="2023-03-04", seconds_low=1260, seconds_high=1319)
EMBER = EntryData(
    title="Ember",
    published="2023-04-08",
    number=7,
    text="Before there were stoves there was a hearth, and a chain with a hook.",
)


def read(page: str, *known: EntryData, show: Show = SHOW, podcast: bool = True, address: str = "") -> ParsedPage:
    document = FetchedDocument(page.encode(), address)
    try:
        return parse_known_episodes(document, show, known, is_confirmed=podcast)
    except DocumentRejected:
        return ParsedPage()


def known_of(case: dict[str, Any]) -> list[EntryData]:
    known = []
    for title, day, minutes, text in case["known"]:
        seconds = minutes * 60
        known.append(EntryData(title=title, published=day, seconds_low=seconds, seconds_high=seconds + 59, text=text))
    return known


@pytest.mark.parametrize("case", PAGES, ids=[case["name"] for case in PAGES])
def test_page_lists_episodes(case: dict[str, Any]) -> None:
    known = known_of(case)
    show = replace(SHOW, title=case.get("show", SHOW.title))
    parsed = read(case["page"], *known, show=show, podcast=case.get("podcast", True))
    assert [entry.title for entry in parsed.entries] == case["listed"]
    random.Random(7).shuffle(known)
    assert read(case["page"], *known, show=show, podcast=case.get("podcast", True)) == parsed


def test_season_in_title_is_no_number_of_entry() -> None:
    lid = EntryData(title="S1 Ep 10: A lid that fits nothing", season=3)
    (entry,) = read("<html><body><ul><li>S1 Ep 10: A lid that fits nothing</li></ul></body></html>", lid).entries
    assert entry.number is None


def test_counter_in_title_is_no_other_number() -> None:
    page = "<html><body><ul><li>Top 10: Lids</li><li>Spouts</li></ul> 4 March 2023</body></html>"
    lids = EntryData(title="Top 10: Lids", number=47, published="2023-03-04")
    (entry,) = read(page, lids).entries
    assert entry.number is None


def test_values_of_an_entry() -> None:
    page = """<html><body><ul><li><a href="/e/1">Ember</a> <span>8 April 2023</span> <span>21:05</span>
    <p>Before there were stoves there was a hearth, and a chain…</p><audio src="/ember.mp3"></audio></li>
    <li><a href="/e/2">Spouts</a> <span>15 April 2023</span></li></ul></body></html>"""
    (entry,) = read(page, EMBER, address="https://tea.example/list").entries
    assert (entry.url, entry.audio_url) == ("https://tea.example/e/1", "https://tea.example/ember.mp3")
    assert (entry.published, entry.seconds_low, entry.seconds_high) == ("2023-04-08", 1265, 1265)
    assert (entry.text, entry.cut) == ("Before there were stoves there was a hearth, and a chain", True)


@pytest.mark.parametrize(
    "rows",
    [
        """<ul><li><a href="/other">Ember</a> 8 April 2023</li><li><a href="/ember">#7 Ember</a> 8 April 2023</li></ul>""",
        """<ul><li><a href="/other">Ember was so good!</a> 9 April 2023</li>
        <li><a href="/ember">Discussion: Ember</a> 8 April 2023</li><li><a href="/s">Spouts</a> 15 April 2023</li></ul>""",
        """<div><a href="/other">Ember</a> <a href="/lids">Lids</a></div><ul><li><a href="/ember">Ember</a> 8 April 2023</li>
        <li><a href="/whistle">The whistle of an old kettle</a> 4 March 2023</li></ul>""",
        """<ul><li><a href="/other">Ember, behind the scenes</a> 8 April 2023</li>
        <li><a href="/ember">Ember</a> 8 April 2023</li></ul>""",
    ],
    ids=["more values", "the day itself", "a longer list", "only the title"],
)
def test_best_of_several_entries_of_episode_is_kept(rows: str) -> None:
    parsed = read(f"<html><body>{rows}</body></html>", EMBER, WHISTLE, address="https://tea.example/")
    assert [entry.url for entry in parsed.entries if entry.title == "Ember"] == ["https://tea.example/ember"]


def test_reasons_and_lines_left_out() -> None:
    page = """<html><body><ul><li><h3>The whistle of an old kettle</h3></li><li><h3>Spouts</h3></li>
    <li><h3>Ember</h3></li></ul></body></html>"""
    parsed = read(page, WHISTLE, EMBER)
    assert parsed.reasons == ("its whole title, which no other episode has",)
    assert parsed.left_out == (
        ("Spouts", "no known episode has its title"),
        ("Ember", "its title is short, cut or shared, and nothing else agrees"),
    )
    assert parsed.foreign == 2


def test_cut_title_of_several_episodes_is_explained() -> None:
    known = [EntryData(title=title) for title in ("Knots for sailors", "Knots for weavers", "Knots for weavers, again")]
    page = """<html><ul><li><b>Knots for sailors</b></li><li><b>Knots for wea…</b> <i>3 May 2023</i></li>
    <li><b>Knots for pot…</b></li></ul></html>"""
    assert read(page, *known).left_out == (
        ("Knots for wea… 3 May 2023", "its title is cut and fits several known episodes"),
        ("Knots for pot…", "no known episode has its title"),
    )


@pytest.mark.parametrize(
    "address",
    ["https://kettlehours.example/", "https://pods.example/shows/kettle-hours/", "https://x.example/kettle_hours.html"],
)
def test_address_names_show(address: str) -> None:
    page = "<html><body><p>The whistle of an old kettle</p></body></html>"
    assert len(read(page, WHISTLE, podcast=False, address=address).entries) == 1
    assert not read(page, WHISTLE, podcast=False, address="https://pods.example/shows/kettle/").entries


def test_comments_part_no_element() -> None:
    # React writes a comment between the parts of a text.
    page = "<p>Last year <!-- -->The whistle of an old kettle<!-- --> was heard</p>"
    assert not read(page, WHISTLE).entries
    assert len(read(page.replace("<!-- -->", "<br>"), WHISTLE).entries) == 1


def test_long_title_of_one_episode_names_show() -> None:
    title = " ".join(f"kettle {number}" for number in range(60))
    (entry,) = read(f"<p>{EMBER.text}</p>", replace(EMBER, title=title)).entries
    assert entry.names_show


def test_page_of_another_show_is_refused() -> None:
    page = '<html><script type="application/ld+json">{"@type": "PodcastSeries", "name": "Steam"}</script></html>'
    with pytest.raises(WrongShow, match="about another show: Steam, not Kettle Hours"):
        parse_known_episodes(FetchedDocument(page.encode()), SHOW, [WHISTLE])


def test_work_for_many_known_episodes_grows_evenly() -> None:
    def read_list(count: int) -> None:
        known = [EntryData(title=f"Kettle number {n} of the shelf") for n in range(count)]
        rows = "".join(f"<li><a href=/{n}>Kettle number {n} of the shelf</a></li>" for n in range(count))
        assert len(read(f"<html><ul>{rows}</ul></html>", *known).entries) == count

    assert_even_growth(read_list, size=200)


def test_number_within_a_title_is_an_entrys() -> None:
    known = [EntryData(title=f"Episode {n}: Ada Roe and Bo Ek") for n in ("060", "062")]
    parsed = read("<ul><li>Episode 060: Ada Roe and Bo Ek</li></ul>", *known)
    assert [(entry.title, entry.number) for entry in parsed.entries] == [("Episode 060: Ada Roe and Bo Ek", 60)]


@pytest.mark.parametrize(
    "form", ["S03E07 – Ember", "S3 E7: Ember", "3x07 Ember", "Ember (S03E07)", "Season 3, Episode 7: Ember"]
)
def test_number_behind_season_is_the_episodes(form: str) -> None:
    (entry,) = read(f"<ul><li>{form}</li><li>S03E08 – Spouts</li></ul>", EMBER).entries
    assert entry.number == 7


def test_season_beside_title_is_no_episode_number() -> None:
    assert not read("<ul><li>S07E03 – Ember</li></ul>", EMBER).entries


def test_season_and_number_in_cell_of_its_own() -> None:
    page = "<html><table><tr><td>S3 E7</td><td>Ember</td></tr><tr><td>S3 E8</td><td>Spouts</td></tr></table>"
    assert [entry.number for entry in read(page, EMBER).entries] == [7]


def test_day_before_title_is_no_episode_number() -> None:
    page = "<ul><li>Jan 31 » 8: The whistle of an old kettle</li><li>Feb 7 » 9: Spouts</li></ul>"
    assert len(read(page, replace(WHISTLE, number=8)).entries) == 1
    assert not read(page.replace("Jan", "Folge"), replace(WHISTLE, number=8)).entries


@pytest.mark.parametrize("line", ["#7: Ember", "Episode 7: Ember", "Folge 7: Ember", "Jan 9 » 7: Ember"])
def test_counter_in_title_is_a_number_that_agrees(line: str) -> None:
    known = EntryData(title="#7: Ember", number=7)
    assert len(read(f"<ul><li>{line}</li></ul>", known).entries) == 1
    assert not read(f"<ul><li>{line.replace('7', '8')}</li><li>Ember</li></ul>", known).entries


def test_cut_title_begins_with_another_title() -> None:
    known = [
        EntryData(title="The slow", published="2023-05-03"),
        EntryData(title="The slow leak", published="2023-05-17"),
    ]
    page = "<html><table><tr><td>The slow le…</td><td>17 May 2023</td></tr><tr><td>The slow</td><td>3 May 2023</td></tr></table>"
    assert [entry.title for entry in read(page, *known).entries] == ["The slow leak", "The slow"]


def test_date_decides_between_equal_cut_titles() -> None:
    known = [
        EntryData(title="Knots for sailors", published="2023-05-03"),
        EntryData(title="Knots", published="2023-05-10"),
        EntryData(title="Knots for weavers", published="2023-05-17"),
    ]
    page = "<ul><li><h3>Knots for…</h3><i>17 May 2023</i></li><li><h3>Knots for...</h3><i>24 May 2023</i></li></ul>"
    assert [entry.title for entry in read(page, *known).entries] == ["Knots for weavers"]


def test_cut_title_of_eight_words() -> None:
    leak = EntryData(title="The slow leak that nobody in the house wanted to hear", published="2023-05-17")
    page = "<div><div><p>The slow leak that nobody in the house wanted…</p><p>17 May 2023</p></div></div>"
    assert len(read(page, leak).entries) == 1


def test_cut_beginning_of_two_whole_titles_lists_none() -> None:
    known = [EntryData(title="Questions of our listeners"), EntryData(title="Questions of our listeners, again")]
    assert not read("<ul><li>Questions of our listeners…</li></ul>", *known).entries


def test_category_beside_texts_lists_no_episode() -> None:
    greeting = "Welcome to another hour with the people who collect kettles, mend them and talk to them. "
    known = [
        EntryData(title="Podcast day on the quay", text=greeting + "We sat on a crate."),
        EntryData(title="Lids", text=greeting + "A box of lids came by post."),
    ]
    page = f"""<html><body><article><h2>Lids</h2><p>{greeting}A box of lids came by post.</p><p>4 May 2023</p>
    <p><a href="/c/podcast">Podcast</a></p></article><article><h2>Rust</h2><p>{greeting}</p><h4><a href="/c/p">Podcast day on</a></h4>
    <h4>Lids</h4></article></body></html>"""
    assert [entry.title for entry in read(page, *known).entries] == ["Lids"]


def test_date_beside_long_title_is_read() -> None:
    title = "What the whistle of an old kettle wants to say"
    known = [EntryData(title=title, published="2023-03-04"), EntryData(title=title, published="2024-08-04")]
    page = f"<html><ul><li>{title} – 4 August 2024, 21:05</li></ul></html>"
    (entry,) = read(page, *known).entries
    assert (entry.date_raw, entry.length_raw) == ("4 August 2024", "21:05")
    assert not read(page.replace("2024", "2019"), *known).entries
    assert not read(page.replace("2024", "2019"), known[0]).entries


def test_title_of_eight_words_is_no_text() -> None:
    title = "What the whistle of an old kettle wants to say"
    (entry,) = read(f"<html><ul><li>{title}</li></ul></html>", EntryData(title=title)).entries
    assert entry.text == ""


@pytest.mark.parametrize("words", [0, 2, 12])
def test_text_that_begins_with_its_title(words: int) -> None:
    title = "The whistle of an old kettle" + " and what it says" * words
    text = f"{title}. We boil water for an hour, and listen to it."
    page = f"<html><ul><li><h3>{title}</h3><p>{text}</p></li><li><h3>Spouts</h3><p>4 May 2019</p></li></ul></html>"
    (entry,) = read(page, EntryData(title=title, text=text)).entries
    assert entry.text == text


def test_title_is_no_opening_of_a_text() -> None:
    known = EntryData(
        title="The whistle of an old kettle",
        text="The whistle of an old kettle. We boil water.",
        published="2023-03-04",
    )
    page = (
        "<html><ul><li><h3>The whistle of an old kettle</h3><p>4 May 2019</p></li><li><h3>Spouts</h3></li></ul></html>"
    )
    assert not read(page, known).entries


@pytest.mark.parametrize(
    "day", ["\u200f٨\u200f/٤\u200f/٢٠٢٣\u200f", "٨ أبريل، ٢٠٢٣", "\u2067٨ أبريل ٢٠٢٣\u2069 | ٢١:٠٥"]
)
def test_arabic_date_with_direction_marks(day: str) -> None:
    page = f"<html><ul><li>Ember - {day}</li><li>Spouts</li></ul></html>"
    (entry,) = read(page, EMBER).entries
    assert (entry.title, entry.published) == ("Ember", "2023-04-08")
    assert entry.date_raw.strip("\u200f").startswith("٨")


def test_list_for_browsers_without_scripts() -> None:
    episodes = "<ul><li>The whistle of an old kettle</li><li>Ember <i>8 April 2023</i></li></ul>"
    page = f"<html><body><div id=app></div><noscript><img src=/t.gif>{episodes}</noscript></body></html>"
    assert [entry.title for entry in read(page, WHISTLE, EMBER).entries] == ["The whistle of an old kettle", "Ember"]
    page = f"<html><body>{episodes}<noscript>{episodes}<p>Spouts</p></noscript></body></html>"
    parsed = read(page, WHISTLE, EMBER)
    assert (len(parsed.entries), parsed.left_out) == (2, ())


def test_link_of_a_sites_own_element() -> None:
    page = '<html><body><music-row><music-link href="/e/7">Ember</music-link></music-row></body></html>'
    (entry,) = read(page, replace(EMBER, url="https://tea.example/e/7"), address="https://tea.example/list").entries
    assert entry.url == "https://tea.example/e/7"


def test_relative_address_in_data() -> None:
    page = """<html><script>var data = {"videos": [{"title": {"text": "Ember"}, "endpoint": {"url": "/e/7"}, "text": "/e/8"},
    {"title": {"text": "Spouts"}, "endpoint": {"url": "/e/8"}}]};</script></html>"""
    (entry,) = read(page, replace(EMBER, url="https://tea.example/e/7"), address="https://tea.example/list").entries
    assert entry.url == "https://tea.example/e/7"


def test_text_behind_a_greeting_tells_episodes_apart() -> None:
    greeting = "Welcome to another hour with the people who collect kettles, mend them and talk to them. "
    known = [
        EntryData(title="Rust", text=greeting + "We sat."),
        EntryData(title="Lids", text=greeting + "A box came by post."),
    ]
    page = f"<html><body><ul><li><h3>Lids</h3><p>{greeting}A box came…</p></li><li><h3>Rust</h3><p>{greeting}</p></li></ul></body></html>"
    assert [entry.title for entry in read(page, *known).entries] == ["Lids"]


def test_row_of_links_is_no_sentence() -> None:
    address = "https://tea.example/"
    known = [WHISTLE, EntryData(title="Limescale and patience"), EntryData(title="Three cups for nobody")]
    links = " · ".join(f"<a href='/{index}'>{entry.title}</a>" for index, entry in enumerate(known))
    assert len(read(f"<html><body><p>{links}</p></body></html>", *known, address=address).entries) == 3
    page = f"<html><body><p>She told us of {links}, and of a stove that she had once.</p></body></html>"
    assert not read(page, *known, address=address).entries


@pytest.mark.parametrize("title", ["第7回 静かな駅", "第7回静かな駅", "제7회: 静かな駅"])
def test_counter_with_a_sign_behind_its_number(title: str) -> None:
    known = EntryData(title=title, number=7)
    assert len(read("<html><ul><li>#7 静かな駅</li><li>#8 海</li></ul></html>", known).entries) == 1
    assert not read("<html><ul><li>#8 静かな駅</li><li>#7 海</li></ul></html>", known).entries


def test_date_glued_to_a_cut_title() -> None:
    known = [
        EntryData(title="The slow", published="2023-05-03"),
        EntryData(title="The slow leak", published="2023-05-17"),
    ]
    page = "<html><body><div><b>The slow…</b><i>17.05.2023</i></div><div><b>The slow…</b><i>24.05.2023</i></div></body></html>"
    assert [entry.title for entry in read(page, *known).entries] == ["The slow leak"]


def test_entries_of_one_paragraph_have_their_own_dates() -> None:
    lids = EntryData(title="Lids", published="2024-08-04")
    page = "<html><body><p>Ember – 4 August 2024<br>Lids – 8 April 2023<br>{}</p></body></html>"
    assert not read(page.format("The whistle of an old kettle – 1 May 2019"), EMBER, lids, WHISTLE).entries
    listed = read(page.format("The whistle of an old kettle<br>4 March 2023, 21:05"), EMBER, lids, WHISTLE).entries
    assert [(entry.title, entry.published, entry.length_raw) for entry in listed] == [
        (WHISTLE.title, "2023-03-04", "21:05")
    ]


def test_heading_with_line_break_is_one_title() -> None:
    page = "<html><body><div><h3>The whistle<br>of an old kettle</h3></div><div><h3>Spouts<br/>and lids</h3></div></body></html>"
    parsed = read(page, WHISTLE)
    assert (len(parsed.entries), parsed.left_out[0][0]) == (1, "Spouts and lids")


@pytest.mark.parametrize(
    "tile", ["<a href='/w' aria-label='{0}'><img src='/w.png'></a>", "<a href='/w'><img alt='{0}' src='/w.png'></a>"]
)
def test_tiles_of_pictures(tile: str) -> None:
    page = f"<html><body>{tile.format(WHISTLE.title)}{tile.format('Spouts')}</body></html>"
    (entry,) = read(page, WHISTLE, address="https://tea.example/").entries
    assert entry.url == "https://tea.example/w"


def test_heading_of_a_season_is_no_episode() -> None:
    page = "<html><body><h2>Season 2</h2><ul><li>The whistle of an old kettle</li></ul></body></html>"
    (entry,) = read(page, EntryData(title="Season 2: We are back"), WHISTLE).entries
    assert entry.title == WHISTLE.title


def test_number_before_a_cut_title() -> None:
    known = [EntryData(title="#7: The slow leak", number=7), EntryData(title="#8: The slow lid", number=8)]
    page = (
        "<html><ul><li>Episode 8: The slow…</li><li>Episode 9: The slow l…</li><li>S1E7: The slow le…</li></ul></html>"
    )
    assert [entry.number for entry in read(page, *known).entries] == [8, 7]
