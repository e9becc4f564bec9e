"""Titles of known episodes are found in the shorter ways in which sites print them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from episodes.identity import MatchKeys
from episodes.listings.any_site import parse
from episodes.listings.any_site.episode_index import CUT_LETTERS, EpisodeIndex
from episodes.listings.any_site.page_rows import CALLED, NUMBER, key_of
from episodes.listings.any_site.records import FEW
from episodes.listings.script_data import ITEMS, as_html, script_data
from episodes.records import EntryData, FetchedDocument, Show

from ..growth import assert_even_growth

SHOW = Show(slug="rope-walk", title="Rope Walk")
TITLES = (
    "Loom #12: The lighthouse keeper (with Ada Roe)",
    "Loom #11: Tar and hemp",
    "Bonus: A letter from the quay",
    "Loom #10: Knots, part 2 (with Bo Lund)",
    "Loom #9: Knots, part 1 (with Bo Lund)",
    "Loom #8: 1911",
)
DAYS = [f"2026-03-{day:02}" for day in (30, 23, 20, 16, 9, 2)]
KNOWN = [EntryData(title=title, published=day) for title, day in zip(TITLES, DAYS, strict=True)]


def titles(page: str, known: list[EntryData] | None = None) -> list[str]:
    body = FetchedDocument(page.encode(), "https://list.example/rope-walk")
    return [entry.title for entry in parse(body, SHOW, known or KNOWN, given=True).entries]


@pytest.mark.parametrize(
    "printed, found",
    [
        ("The lighthouse keeper (with Ada Roe)", 0),  # without what counts
        ("The lighthouse keeper", 0),  # without the guest
        ("Loom #12: The lighthouse keeper", 0),
        ("THE LIGHTHOUSE KEEPER", 0),
        ("The lighthouse k…", 0),
        ("Loom #12: The lighth...", 0),
        ("A letter from the quay", 2),  # without its kind
        ("Knots, part 1", 4),
        ("The lighthouse", None),  # not cut: another title
        ("Knots, par…", None),  # two begin so
        ("The light…", None),  # too short
        ("1911", None),  # a number is no title
        ("with Ada Roe", None),
    ],
)
def test_a_printed_title_names_an_episode(printed: str, found: int | None):
    rows = [*zip(TITLES[1:2] + TITLES[3:5], [DAYS[1], DAYS[3], DAYS[4]], strict=True)]
    rows = [row for row in rows if found is None or row[0] != TITLES[found]]
    items = "".join(f"<li><a href='#'>{title}</a> <time>{day}</time></li>" for title, day in rows)
    page = f"<html><h1>Rope Walk</h1><ul><li><a href='#'>{printed}</a></li>{items}</ul></html>"
    assert titles(page)[: len(titles(page)) - len(rows)] == ([TITLES[found]] if found is not None else [])


def test_a_cut_title_is_looked_up_from_its_least_length_on():
    index = EpisodeIndex(KNOWN, SHOW)
    key = key_of(TITLES[2].partition(": ")[2])
    assert [one.title for one in index.begun(key[:CUT_LETTERS])] == [TITLES[2]]
    assert index.begun(key[: CUT_LETTERS - 1]) == []
    assert index.begun(key_of("A letter to the quay")) == []


@pytest.mark.parametrize("beside", ["#12", "S01E12", "No. 12", "Season 2", ""])
def test_the_number_beside_a_title_is_its_own(beside: str):
    page = f"<ul><li>{beside} The lighthouse keeper <time>{DAYS[0]}</time></li></ul>"
    assert titles(f"<html><h1>Rope Walk</h1>{page}</html>") == [TITLES[0]]


def test_the_link_of_a_title_of_which_a_part_alone_is_one_is_the_entrys():
    page = f"<ul><li>The lighthouse <a href='/12'>keeper</a> <time>{DAYS[0]}</time></li></ul>"
    body = FetchedDocument(f"<html><h1>Rope Walk</h1>{page}</html>".encode(), "https://list.example/rope-walk")
    assert [entry.url for entry in parse(body, SHOW, KNOWN, given=True).entries] == ["https://list.example/12"]


def test_the_one_link_beside_a_title_is_the_entrys():
    rows = zip(TITLES[1:3], DAYS[1:3], strict=True)
    items = [f"<li>{title} <time>{day}</time> <a href='/{day}'>Listen</a></li>" for title, day in rows]
    body = f"<html><h1>Rope Walk</h1><ul>{''.join(items)}</ul></html>".encode()
    entries = parse(FetchedDocument(body, "https://list.example/rope-walk"), SHOW, KNOWN, given=True).entries
    assert [entry.url for entry in entries] == [f"https://list.example/{day}" for day in DAYS[1:3]]


@pytest.mark.parametrize("wrong, is_believed", [(2, True), (3, False)])
def test_dates_are_believed_where_more_are_right_than_wrong(wrong: int, is_believed: bool):
    days = [*DAYS[: 5 - wrong], *["2019-07-14", "2019-08-15", "2019-09-16"][:wrong]]
    items = "".join(f"<li>{title} <time>{day}</time></li>" for title, day in zip(TITLES, days, strict=False))
    page = FetchedDocument(
        f"<html><h1>Rope Walk</h1><ul>{items}</ul></html>".encode(), "https://list.example/rope-walk"
    )
    dates = {entry.published[:10] for entry in parse(page, SHOW, KNOWN, given=True).entries}
    assert dates == (set(days) if is_believed else {""})


def test_titles_of_a_row_are_entries_in_its_order():
    page = f"<html><h1>Rope Walk</h1><ul><li>{TITLES[1]} / {TITLES[0]}</li></ul></html>"
    assert titles(page) == [TITLES[1], TITLES[0]]


def test_a_title_may_be_one_sign():
    known = [EntryData(title=title, published=day) for title, day in zip("茶布木", DAYS, strict=False)]
    items = "".join(f"<li>{one.title} <time>{one.published}</time></li>" for one in known)
    assert titles(f"<html><h1>Rope Walk</h1><ul>{items}</ul></html>", known) == ["茶", "布", "木"]


def test_another_number_beside_a_title_is_another_episode():
    page = f"<html><h1>Rope Walk</h1><ul><li>#11 The lighthouse keeper <time>{DAYS[0]}</time></li></ul></html>"
    assert TITLES[0] not in titles(page)


def test_entries_whose_number_alone_agrees_are_listed():
    dated = [{"name": "Tar and hemp", "datePublished": DAYS[1]}, {"name": "Knots, part 2", "datePublished": DAYS[3]}]
    numbered = [
        {"item": {"name": "The lighthouse keeper", "episodeNumber": 12}},
        {"item": {"name": "Knots, part 1", "episodeNumber": 9}},
    ]
    scripts = (f'<script type="application/ld+json">{json.dumps(data)}</script>' for data in (dated, numbered))
    page = f"<html><h1>Rope Walk</h1>{''.join(scripts)}</html>"
    assert titles(page) == [TITLES[1], TITLES[3], TITLES[0], TITLES[4]]


@pytest.mark.parametrize(
    "around, listed",
    [("<span class='meta'>{}</span>", True), ("{}", False), ("<a class='more' href='/more'>{}</a>", False)],
)
def test_words_in_elements_that_a_site_names_do_not_make_a_sentence_of_a_row(around: str, listed: bool):
    more = around.format("many long replies by people who said a lot last week in the forum")
    page = f"<ul><li><a href='/t'>Tar and hemp</a> {more} <time>{DAYS[1]}</time></li></ul>"
    assert (titles(f"<html><h1>Rope Walk</h1>{page}</html>") == [TITLES[1]]) == listed


GUESTS = [
    EntryData(title=title, published=day, seconds_low=1860, seconds_high=1860)
    for title, day in zip(
        (
            "Salt, tar & rope", "Fire and ice, with Ada Roe", "Jute ft. Bo Lund", "Bonus – A rope of sand",
            "綱の話（ゲスト：ロウ）", "Knots, books 5–8 (Ada Roe)", "Dining with Emma", "9 minutes of silence",
        ),
        (f"2026-04-{day:02}" for day in range(1, 30, 4)),
        strict=True,
    )
]  # fmt: skip


@pytest.mark.parametrize(
    "printed, found",
    [
        ("Salt, Tar und Rope", 0), ("Salt – tar – rope", None), ("Fire & Ice (m. Ada Roe)", 1), ("FIRE AND ICE W/ SOMEBODY", 1),
        ("Fire & ice, avec Ada Roe", 1), ("Jute", 2), ("Jute, with Bo", 2), ("A rope of sand", 3), ("綱の話", 4),
        ("8. Knots, books 5–8", 5), ("Dining", None), ("Fire with Ada Roe", None), ("9 minu… silence", 7),
        ("9 m…f silence", None), ("9 minutes…loud", None),
    ],
)  # fmt: skip
def test_guests_ands_kinds_and_cuts_do_not_hide_a_title(printed: str, found: int | None):
    others = [one for n, one in enumerate(GUESTS) if n in (0, 2, 6) and n != found]
    items = "".join(f"<li><b>{one.title}</b> <time>{one.published}</time></li>" for one in others)
    page = f"<html><h1>Rope Walk</h1><ul><li><b>{printed}</b></li>{items}</ul></html>"
    wanted = [] if found is None else [GUESTS[found].title]
    assert [title for title in titles(page, GUESTS) if title not in [one.title for one in others]] == wanted


@pytest.mark.parametrize("count", [FEW - 1, FEW])
def test_titles_at_one_place_of_many_rows_are_what_these_are_about(count: int):
    more = "[sound recording] / told by many people whom nobody in this library has ever heard of at all"
    records = [f"{n}. Title: {one.title} {more}\n   Shelf: {n}" for n, one in enumerate(GUESTS[:count])]
    assert len(titles("\n\n".join(["Records", *records]), GUESTS)) == count * (count == FEW)


def test_two_titles_of_a_row_are_two_entries_and_do_not_make_a_sentence_of_each_other():
    row = "<li>Hear “9 minutes of silence” and “A rope of sand”, both of them fine.</li>"
    assert titles(f"<html><h1>Rope Walk</h1><ul>{row}<li>Jute</li></ul></html>", GUESTS) == [
        GUESTS[7].title,
        GUESTS[3].title,
        GUESTS[2].title,
    ]


@pytest.mark.parametrize("count, found", [(7, 7), (8, 0)])
def test_up_to_seven_titles_of_a_row_make_no_sentence_of_each_other(count: int, found: int):
    named = ("Anchors", "Bilges", "Capstans", "Davits", "Ensigns", "Fenders", "Gangways", "Halyards")
    known = [
        EntryData(title=f"{word} of the old harbour", published=f"2026-01-{n + 1:02}") for n, word in enumerate(named)
    ]
    row = ", ".join(f"“{one.title}”" for one in known[:count])
    page = f"<html><h1>Rope Walk</h1><ul><li>Hear {row}.</li><li>Nothing else</li></ul></html>"
    assert len(titles(page, known)) == found


# -- names of the show -----------------------------------------------------------------------------


def sure(page: str) -> list[str]:
    """Titles of the entries that an equal title is enough for."""
    body = FetchedDocument(page.encode(), "https://list.example/rope-walk")
    return [one.title for one in parse(body, SHOW, GUESTS, given=True).entries if one.names_show]


CARDS = [one.title for one in GUESTS[5:]]
LISTED = [one.title for one in GUESTS[4:]]
DATED = "<b>{}</b><i>Rope Walk</i><time>2019-01-01</time>"


@pytest.mark.parametrize(
    "page, count",
    [
        ("<html>" + "".join(f"<div><b>{title}</b><p>Rope Walk</p></div>" for title in CARDS), 3),  # on each card
        ("<html><ul>" + "".join(f"<li>{title} (Rope Walk)</li>" for title in CARDS[:1]), 1),  # in the title's row
        ("\n".join([*CARDS, "Rope Walk — soon"]), 0),  # of the next one
        ("<html>" + "".join(f"<div>{DATED.format(title)}</div>" for title in CARDS), 0),  # another day
        (f"<html><h1>Rope Walk</h1><ul><li>{'<li>'.join(LISTED)}", 4),  # the page, in a list of its titles
        (f"<html><h1>Rope Walk</h1><ul><li>{'<li>'.join([*LISTED, 'Sea'])}", 4),
        (f"<html><h1>Rope Walk</h1><ul><li>{'<li>'.join([*LISTED, 'Sea', 'Sky'])}", 0),  # among other words
        (f"<html><h1>Rope Walk</h1><ul><li>{'<li>'.join(LISTED[1:])}", 0),  # too few
        (f"<html><h1>Ropes</h1><ul><li>{'<li>'.join(CARDS)}", 0),
        (f"<html><h2>Sails</h2><p>None<h2>Rope Walk</h2><ul><li>{'<li>'.join(CARDS)}", 3),  # a part
        (f"<html><h2>Rope Walk</h2><p>None<h2>Sails</h2><ul><li>{'<li>'.join(CARDS)}", 0),
        ("\n".join(["News", "SAILS", "-----", "None", "NEW: ROPE WALK", "--------", *CARDS]), 3),
        ("\n".join(["News", "ROPE WALK", "-----", "None", "SAILS AND MORE", "----", *CARDS]), 0),  # no line
        ("\n".join(["News", "ROPE WALK", "-----", "None", "SAILS", "-----", *CARDS]), 0),
    ],
)
def test_the_name_of_the_show_makes_an_equal_title_enough(page: str, count: int):
    assert len(sure(page)) == count


LOFTS = [*zip(CARDS, ("Sails", "Rope Walk", "Rope Walk"), strict=True)]


@pytest.mark.parametrize(
    "pair",
    [
        "<h3>{show}</h3><p>{title}</p>", "<h3>{show}</h3><ul><li>{title}</li></ul>", "<li>{show}<ul><li>{title}</li></ul></li>",
        "<h3>{title}</h3><p>{show}</p>", "<dl><dt>{title}</dt><dd>{show}</dd></dl>", "{show}\n{title}\n\n", "{title}\n{show}\n\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "<h3>About us</h3><p>Write to us.</p>"])
def test_names_above_and_below_titles_are_those_of_their_own(pair: str, end: str):
    page = "".join(pair.format(title=title, show=name) for title, name in LOFTS)
    assert sure(f"<html><main>{page}{end}</main>" if "<" in pair else page) == CARDS[1:]


@pytest.mark.parametrize(
    "pair",
    ["{show}\n{title}\n", "{show}\n\n{title}\n\n", "<b>{show}</b><br>{title}<br>", "<p class=a>{show}</p><p>{title}</p>",
     "<dt>{show}</dt><dd>{title}</dd>"],
)  # fmt: skip
def test_a_name_of_the_next_title_makes_no_title_enough(pair: str):
    names = ("Sails", "Rope Walk", "Nets", "Rope Walk")
    lofts = zip([*CARDS, GUESTS[0].title], names, strict=True)
    page = "".join(pair.format(title=title, show=name) for title, name in lofts)
    assert sure(f"<html><main>{page}" if "<" in pair else page) == []


@pytest.mark.parametrize(
    "number, count",
    [("#12", 1), ("Ep. 12 -", 1), ("#1:", 0), ("Episode 1:", 0), ("S1E1", 0), ("1.", 1), ("1 -", 1), ("(1)", 1)],
)
def test_a_number_that_is_anothers_needs_more_than_a_title(number: str, count: int):
    page = f"<html><ul><li>{number} {CARDS[0]} (Rope Walk)</li><li>Jute</li></ul>"
    body = FetchedDocument(page.encode(), "https://list.example/rope-walk")
    known = [replace(one, number=place) for place, one in enumerate(GUESTS, 7)]
    for entries, sure_ones in ((known, count), (GUESTS, 1)):  # no number of these is known
        read = parse(body, SHOW, entries, given=True).entries
        assert sum(one.names_show for one in read) == sure_ones


def test_links_of_a_wiki_stand_for_their_words():
    text = "Rope Walk\n\n* ''A [[Ropes (sand)|rope of]] sand''\n* [[Jute]]\n* Salt, tar & rope"
    assert titles(text, GUESTS) == [GUESTS[n].title for n in (3, 2, 0)]


# -- tables of values ------------------------------------------------------------------------------


def test_a_table_of_values_is_read():
    lines = [f"{n};{title};{day}" for n, title, day in ((11, "Tar and hemp", DAYS[1]), (9, "Knots, part 1", DAYS[4]))]
    assert titles("\n".join(["nr;what;when", *lines])) == [TITLES[1], TITLES[4]]


def test_a_value_a_line_is_read() -> None:
    lines = [
        {"num": 11, "what": "Tar and hemp"},
        {"num": 9, "what": "Knots, part 1"},
        {"num": 10, "what": "Knots, part 2"},
    ]
    text = "\n".join(map(json.dumps, lines))
    assert titles(text) == [TITLES[1], TITLES[4], TITLES[3]]
    assert list(script_data(text, None)) == [lines]
    assert list(script_data(f"{text}\n{{broken", None)) == [lines]


# -- data whose objects hold the places of their values --------------------------------------------


def test_very_many_values_are_bounded() -> None:
    (values,) = script_data("{}\n" * 200_000, None)
    assert values == [{}] * ITEMS


def test_work_for_very_many_values_grows_evenly() -> None:
    assert_even_growth(lambda count: list(script_data("{}\n" * count, None)), size=5_000)


@pytest.mark.parametrize(
    "key, number",
    [("episodeNumber", "7"), ("number", "7"), ("episode_number", "7"), ("numberOfItems", ""), ("likes", "")],
)
def test_the_number_of_an_episode_is_printed(key: str, number: str):
    html = as_html([[{"title": "Knots", key: 7}, {"title": "Tar", key: 7}]])
    assert (">7<" in html) == bool(number)


@pytest.mark.parametrize(
    "key, value, day",
    [
        ("release_ts", 1741165200, "2025-03-05"),
        ("datePublished", 1741165200.5, "2025-03-05"),
        ("pub_date_ms", 1741165200000, "2025-03-05"),  # thousandths
        ("created_at", 1741165200, "2025-03-05"),
        ("ts", 1000000001, "2001-09-09"),
        ("ts", 1000000000, ""),
        ("ts", 3999999999, "2096-10-02"),
        ("ts", 10**15, ""),
        ("id", 1741165200, ""),  # no date
        ("creator_id", 1741165200, ""),
        ("release_ids", 1741165200, ""),
        ("parts", 1741165200, ""),
    ],
)
def test_seconds_since_1970_are_printed_as_a_day(key: str, value: float, day: str) -> None:
    html = as_html([[{"title": "Knots", key: value}, {"title": "Tar"}]])
    assert html.count("<p") == 2 + bool(day)
    assert day in html


def test_a_day_in_seconds_is_no_length() -> None:
    html = as_html([[{"title": "Knots", "publishedAt": {"_seconds": 1741165200}}, {"title": "Tar"}]])
    assert ">2025-03-05<" in html


@pytest.mark.parametrize("key, is_length", [("len_sec", True), ("secs", False), ("run_secs", True), ("second", False)])
def test_seconds_below_a_key_that_says_so_are_a_length(key: str, is_length: bool) -> None:
    assert ("38:28" in as_html([[{"title": "Knots", key: 2308}, {"title": "Tar"}]])) == is_length


@pytest.mark.parametrize("day", ["Oct {}", "2026-10-0{}", "0{}.10.2026"])
def test_a_season_and_number_behind_a_day_lead_a_title(day: str) -> None:
    counted = [*enumerate(GUESTS[4:8], 1)]
    lines = "\n".join(f"{day.format(place)} 1x0{place} {one.title.lower()}" for place, one in counted)
    known = [replace(one, title=f"S1 E{place}: {one.title}") for place, one in counted]
    body = FetchedDocument(f"Rope Walk, one a night\n\n{lines}".encode())
    assert len(parse(body, SHOW, known, given=True).entries) == 4


COUNTED = [replace(one, title=f"{place}x0{place}. {one.title}") for place, one in enumerate(GUESTS[4:], 1)]


@pytest.mark.parametrize(
    "printed, count",
    [
        ("{place}) {title}", 4), ("*{title}*", 4), ("0{place}-{title}.mp3", 4), ("title = {{{title}}},", 4), ("｜{title}｜", 4),
        ("{title} #{place}", 4), ("{title} #9{place}", 0),
    ],
)  # fmt: skip
def test_titles_are_found_in_files_lists_and_records(printed: str, count: int):
    lines = (printed.format(title=one.title, place=place) for place, one in enumerate(GUESTS[4:], 1))
    assert len(titles("\n".join(["Rope Walk", "", *lines]), COUNTED)) == count


@pytest.mark.parametrize("printed, number", [("{}", None), ("1x01. {}", 1)])
def test_a_number_that_is_not_printed_is_no_sign(printed: str, number: int | None):
    """The entry is given the whole title of its episode, so that a number in it proves nothing."""
    body = FetchedDocument(f"Rope Walk\n\n{printed.format(GUESTS[4].title)}\n".encode(), "https://list.example/x")
    (entry,) = parse(body, SHOW, COUNTED, given=True).entries
    assert (entry.title, entry.number) == (COUNTED[0].title, number)
    assert (MatchKeys(entry, SHOW, has_own_title=False).numbers != set()) == (number == 1)
    assert MatchKeys(entry, SHOW).numbers == {(1, 1)}


@pytest.mark.parametrize("declared, number", [(7, 7), (8, None)])
def test_a_printed_number_counts_where_it_is_known_to_be_the_episodes(declared: int, number: int | None):
    known = [replace(GUESTS[6], title="#7: Dining with Emma", number=declared)]
    body = FetchedDocument(b"Rope Walk\n\n#7: Dining with Emma\n", "https://list.example/x")
    assert [entry.number for entry in parse(body, SHOW, known, given=True).entries] == [number]


def test_a_name_with_the_shows_in_it_is_another_shows():
    cards = ["from Rope Walk · A. Roe", "from In Rope Walk – tar and more · Radio", "from Rope Walk · A. Roe"]
    page = "".join(f"<div><b>{title}</b><p>{name}</p></div>" for title, name in zip(CARDS, cards, strict=True))
    assert titles(f"<html>{page}", GUESTS) == [CARDS[0], CARDS[2]]


def test_a_length_within_a_title_is_none_of_the_entry():
    page = "".join(f"<li>{one.title} <time>{one.published}</time></li>" for one in GUESTS)
    body = FetchedDocument(f"<html><h1>Rope Walk</h1><ul>{page}".encode())
    assert not any(one.length_raw for one in parse(body, SHOW, GUESTS, given=True).entries)


@pytest.mark.parametrize("cut, is_found", [("藍染の糸", True), ("藍染の", False), ("ab cd", False)])
def test_a_cut_title_needs_fewer_signs_where_each_is_a_syllable(cut, is_found):
    titles = ("藍染の糸を巻く朝", "窯の火", "ab cd and ef")
    index = EpisodeIndex([EntryData(title=title) for title in titles], Show("loom-hour", "Loom Hour"))
    assert bool(index.begun(key_of(cut))) == is_found


@pytest.mark.parametrize(
    "text, number",
    [
        ("#12", "12"), ("Ep. 9", "9"), ("S2 Afl 14: x", "14"), ("S2E05", "05"), ("T2 · E05", "05"), ("Series 3, Episode 4", "4"),
        ("Season 2", None), ("Seizoen 2", None), ("S2", None), ("1x02", "02"), ("10x02", "02"), ("16x16", None), ("1x16", "16"), ("1x2", None), ("1x023", None), ("Temporada 1", None),
    ],
)  # fmt: skip
def test_the_number_of_a_season_is_none_of_an_episodes(text: str, number: str | None) -> None:
    for pattern in (NUMBER, CALLED):
        assert [found["number"] for found in pattern.finditer(text) if found["number"]] == [number] * bool(number)
