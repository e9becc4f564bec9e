"""Entries that no title names are found by signs that are true of one episode together: a day, a number, a length to the
second, words of its title or its notes."""

from collections import defaultdict
from dataclasses import replace
from math import log2

import pytest

from episodes.listings import PageDocument
from episodes.listings.any_site import parse
from episodes.listings.any_site.episode_index import BY_SIGNS, DOUBTFUL, TELLING, EpisodeIndex
from episodes.listings.any_site.page_rows import page_rows
from episodes.listings.any_site.records import Element
from episodes.listings.any_site.signs import Fit, SignIndex, _kind_of, _said, _Told
from episodes.records import EntryData, FetchedDocument, Show

LOOM = Show("loom-hour", "Loom Hour")


def known(number, title, day, minutes=30):
    return EntryData(
        title=title, number=number, published=f"{day}T06:00:00Z", seconds_low=minutes * 60, seconds_high=minutes * 60
    )


def timed(number, title, day, seconds, notes=""):
    return EntryData(
        title=title, number=number, published=f"{day}T06:00:00Z", seconds_low=seconds, seconds_high=seconds, text=notes
    )


EPISODES = [
    known(1, "Carding wool by hand", "2024-01-08"),
    known(2, "The shuttle of Lyon", "2024-01-15", 41),
    known(3, "Why indigo stinks", "2024-01-22", 52),
    known(4, "A sheep called Dolores", "2024-01-29", 63),
]


def read(body: str, facts: list[EntryData] = EPISODES, *, given: bool = True) -> list[EntryData]:
    page = FetchedDocument(f"<html><body>{body}</body></html>".encode(), "https://pages.example/loom")
    return list(parse(page, LOOM, facts, given=given).entries)


def listed(
    lines: list[str], heading: str = "Loom Hour", facts: list[EntryData] = EPISODES, *, given: bool = True
) -> list[str]:
    """The titles of the entries of a list."""
    body = f"<h1>{heading}</h1><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
    return [entry.title for entry in read(body, facts, given=given)]


TITLES = [one.title for one in EPISODES]


@pytest.mark.parametrize(
    "lines",
    [
        # A date and a number.
        ["#1 Combs (8 January 2024)", "#2 Silk (15 January 2024)", "#3 Blue (22 January 2024)", "#4 Ewe (29 January 2024)"],
        # In another time zone a day beside it.
        ["#1 Combs (9 January 2024)", "#2 Silk (14 January 2024)", "#3 Blue (21 January 2024)", "#4 Ewe (28 January 2024)"],
        # A date and a word that few titles have.
        ["8 January 2024: wool!", "15 January 2024: in Lyon", "22 January 2024: indigo blues", "29 January 2024: Dolores, a life"],
        # The same without a year, and below a month.
        ["8.1. – wool!", "15.1. – in Lyon", "22.1. – indigo blues", "29.1. – Dolores, a life"],
        ["January 2024", "8 wool!", "15 in Lyon", "22 indigo blues", "29 Dolores, a life"],
        ["Jan 8 wool!", "Jan 15 in Lyon", "Jan 22 indigo blues", "Jan 29 Dolores, a life"],
        # A length is enough in a list of which most say more.
        ["8 January 2024: wool!", "15 January 2024: in Lyon", "22 January 2024: indigo blues", "29 January 2024: an ewe, 63 min"],
        # A date and a length in minutes.
        ["8 January 2024, 30 min", "15 January 2024, 41 min", "22 January 2024, 52 min", "29 January 2024, 63 min"],
        # Digits alone are a date in names of files.
        ["20240108_wool.mp3", "20240115_lyon.mp3", "20240122060000_indigo.mp3", "20240129_dolores.mp3"],
        # Either way round.
        ["8/1 wool!", "15/1 in Lyon", "22/1 indigo blues", "29/1 Dolores, a life"],
        ["1/8 wool!", "1/15 in Lyon", "1/22 indigo blues", "1/29 Dolores, a life"],
    ],
)  # fmt: skip
def test_a_date_and_another_sign_name_an_episode(lines):
    assert listed(lines) == TITLES


@pytest.mark.parametrize(
    "lines",
    [
        ["8 January 2024: combs", "15 January 2024: silk", "22 January 2024: blue"],  # dates alone
        ["8 January 2024: combs, 33 min", "15 January 2024: silk, 44 min", "22 January 2024: blue, 55 min"],  # other lengths
        ["#1 wool!", "#2 in Lyon", "#3 indigo blues"],  # no dates
        ["10 January 2024: wool!", "17 January 2024: in Lyon", "24 January 2024: indigo blues"],  # other days
        ["#2 Combs (8 January 2024)", "#3 Silk (15 January 2024)", "#4 Blue (22 January 2024)"],  # other numbers
        ["8 January 2024: wool!", "15 January 2024: in Lyon"],  # too few to be a list of the show's
        # Half of the list is another show's.
        ["8 January 2024: wool!", "15 January 2024: in Lyon", "22 January 2024: indigo blues",
         "9 January 2024: rain", "16 January 2024: hail", "23 January 2024: snow"],
        # One episode is named twice, and which is it?
        ["8 January 2024: wool!", "8 January 2024: the wool", "15 January 2024: in Lyon", "22 January 2024: blue"],
        ["20241308_wool.mp3", "20241315_lyon.mp3", "20241322_indigo.mp3"],  # no dates
        ["Replay: wool! 8 January 2024", "Replay: Lyon, 15 January 2024", "Replay: indigo, 22 January 2024"],
    ],
)  # fmt: skip
def test_fewer_signs_name_none(lines):
    assert not set(listed(lines)) & set(TITLES)


WOOL = ["8 January 2024: wool!", "15 January 2024: in Lyon", "22 January 2024: indigo blues"]


def test_a_page_needs_the_name_of_the_show_or_titles_of_it():
    """Another show may come out on the same days, with the same numbers, and titles like these."""
    assert listed(WOOL, given=False) == TITLES[:3]
    for given in (True, False):
        assert listed(WOOL, "Yarn Hour", given=given) == []
    titled = [*WOOL[:2], "22 January 2024: Why indigo stinks"]
    assert listed(titled, "Yarn Hour") == TITLES[:3]
    assert listed(titled, "Yarn Hour", given=False) == []
    others = ["29 January 2024: Dolores, a life"]
    assert listed([*titled, *others], "Yarn Hour") == TITLES[2:3]  # one of four


def test_a_sentence_that_mentions_the_show_makes_no_page_of_it():
    greeting = "12 February 2024: we send our best wishes to everybody at Loom Hour"
    assert listed([*WOOL, "Loom Hour"], "Yarn Hour") == TITLES[:3]
    assert listed(WOOL, "Ten weeks that my cousin has to hear, all of them of Loom Hour") == TITLES[:3]
    assert listed([*WOOL, greeting], "Yarn Hour") == []


def test_where_most_entries_name_the_show_those_that_signs_tell_do_so_too():
    talks = ["carding by hand", "the shuttle", "indigo", "a sheep, Dolores"]
    names = [*["Loom Hour"] * 3, "Yarn Hour"]
    for show, count in ((names, 3), (["Loom Hour"] * 4, 4)):
        lines = "\n".join(
            f"- {name} – {talk}, {one.published[:10]}" for name, talk, one in zip(show, talks, EPISODES, strict=True)
        )
        page = FetchedDocument(f"# What we heard\n\n{lines}\n".encode(), "https://pages.example/loom")
        assert [entry.title for entry in parse(page, LOOM, EPISODES, given=True).entries] == TITLES[:count]


def test_the_line_above_a_list_in_saved_text_is_none_of_its_items():
    facts = [*EPISODES, timed(5, "The history of the corn hall", "2024-02-05", 1800)]
    items = ["wool, carded by hand, 8 January 2024", "the shuttle of Lyon, 15 January 2024",
             "indigo stinks, 22 January 2024", "Dolores the sheep, 29 January 2024"]  # fmt: skip
    for sign, first in (("- ", []), ("", [facts[4].title])):
        lines = "\n".join(["Loom Hour (the corn hall series, 5 February 2024)", *(f"{sign}{item}" for item in items)])
        page = FetchedDocument(f"{lines}\n".encode(), "https://pages.example/loom")
        found = [entry.title for entry in parse(page, LOOM, facts, given=True).entries]
        assert found == [*first, *TITLES]


def test_what_the_elements_of_an_entry_say_is_said_together():
    rows = [("8.1.2024", "Wool"), ("15.1.2024", "Lyon"), ("22.1.2024", "Indigo"), ("29.1.2024", "Ewes (#4)")]
    table = "".join(f"<tr><td>{day}</td><td>{words}</td></tr>" for day, words in rows)
    assert [entry.title for entry in read(f"<h1>Loom Hour</h1><table>{table}</table>")] == TITLES


def test_an_address_has_words_and_numbers_too():
    links = [("2024-01-08", "carding"), ("2024-01-15", "shuttle"), ("2024-01-22", "indigo")]
    page = "".join(f'<li><a href="/{word}">Listen</a> {day}</li>' for day, word in links)
    assert [entry.title for entry in read(f"<h1>Loom Hour</h1><ul>{page}</ul>")] == TITLES[:3]


def test_an_entry_that_fits_an_episode_better_than_another_is_it():
    lines = ["8 January 2024: wool!", "8 January 2024: wool again", *WOOL[1:]]
    assert [title for title in listed(lines) if title in TITLES] == TITLES[:3]
    assert listed(lines)[1] == "wool again"


@pytest.mark.parametrize("others, is_found", [(5, True), (19, False)])
def test_a_day_of_many_episodes_tells_less(others, is_found):
    rest = [
        known(None, f"Yarn {chr(97 + n)}", day)
        for n in range(others)
        for day in ("2024-01-08", "2024-01-15", "2024-01-22")
    ]
    page = f"<h1>Loom Hour</h1><ul>{''.join(f'<li>{line}</li>' for line in WOOL)}</ul>"
    assert ([entry.title for entry in read(page, EPISODES + rest)] == TITLES[:3]) == is_found


def test_the_date_of_a_title_is_no_number():
    dated = [
        known(None, f"Loom Hour {day}/01/2024: {word}", f"2024-01-{day}")
        for day, word in [(12, "Wool"), (19, "Silk"), (26, "Hemp")]
    ]
    page = "\n".join(f"{day} January 2024 {word}" for day, word in [(12, "Wool"), (19, "Silk"), (26, "Hemp")])
    reading = parse(FetchedDocument(page.encode(), "https://pages.example/"), LOOM, dated, given=True)
    assert [entry.number for entry in reading.entries] == [None] * 3


# -- what signs tell --------------------------------------------------------------------------------


def fit(line: str, facts: list[EntryData] = EPISODES):
    """The episode that a line tells best."""
    document = PageDocument.of(FetchedDocument(f"<ul><li>{line}</li></ul>".encode(), "https://pages.example/loom"))
    (row,) = page_rows(document.rows, LOOM)
    return SignIndex(EpisodeIndex(facts, LOOM)).fit(_said(row))


# Bits beyond the two that any of four episodes takes: a show has 50 episodes and 2,000 words at least.
DAY = log2(50)
TITLE_WORD = log2(0.5 + 0.5 / 4 / (0.5 / 2000))


@pytest.mark.parametrize(
    "line, own, signs",
    [
        ("8 January 2024", 0, DAY),
        ("7 January 2024", 0, DAY - 1.5), ("9 January 2024", 0, DAY - 1.5),
        ("8.1.", 0, DAY), ("#2", 0, DAY),
        ("wool", TITLE_WORD, 0), ("carding wool", 2 * TITLE_WORD, 0),
        ("wool spindles", TITLE_WORD - 1, 0), ("WOOL, fog", TITLE_WORD, 0),
        # One of two numbers is the episode's.
        ("2 or 9 times", -1, DAY - 1),
        # As little as other words, however many.
        ("8 January 2024 rain", -1, DAY), ("8 January 2024 rain, hail", -2, DAY), ("8 January 2024 rain, hail, snow", -2, DAY),
        # To the second, with two more or less, to the minute, and another length.
        ("8 January 2024 30:02", 10, DAY), ("8 January 2024 29:57", DAY, DAY), ("8 January 2024 31 min", DAY, DAY),
        ("8 January 2024 30 min", DAY, DAY), ("8 January 2024 33 min", -6, DAY),
        # Within the first sixty characters.
        (f"{'x' * 57} #2", -1, DAY),
    ],
)  # fmt: skip
def test_a_sign_tells_the_more_the_fewer_have_it(line, own, signs):
    found = fit(line)
    assert (found.own, found.signs) == (pytest.approx(own), pytest.approx(signs))
    assert found.bits == pytest.approx(own + signs - log2(4))


@pytest.mark.parametrize(
    "length, told",
    [
        (", 16 min", -6), (", 14 min", -20), (", 59 min", -6), (", 61 min", -20),
        # Hours and minutes, a time of day, and a length that is glued to its date.
        (" – – 0:31", -6), (" 15:00", 0), ("65:00", -20),
    ],
)  # fmt: skip
def test_half_a_length_or_double_tells_most_against_an_episode(length, told):
    assert fit(f"Carding wool, 8 January 2024{length}").own == pytest.approx(2 * TITLE_WORD + told)


def test_a_number_behind_sixty_characters_tells_nothing():
    assert fit(f"{'x' * 58} #2").signs == 0


@pytest.mark.parametrize("name, days", [("20240108_wool.mp3", 1), ("20241308_wool.mp3", 0)])
def test_digits_that_are_no_date_say_no_day(name, days):
    document = PageDocument.of(FetchedDocument(f"<ul><li>{name}</li></ul>".encode(), "https://pages.example/loom"))
    (row,) = page_rows(document.rows, LOOM)
    assert len(_said(row)["day"]) == days


@pytest.mark.parametrize("day, told", [("10 January 2024", -6), ("9 January 2024", DAY - 1.5)])
def test_another_day_tells_against_an_episode(day, told):
    assert fit(f"{day} carding wool").bits == pytest.approx(2 * TITLE_WORD + told - log2(4))


@pytest.mark.parametrize(
    "word, tells", [("begrundelse", True), ("begrundet", True), ("begrundigt", False), ("elks", True), ("elk", False)]
)
def test_words_are_compared_by_their_first_eight_letters(word, tells):
    facts = [*EPISODES, known(None, "Begrundelser for elks in elk", "2024-02-05")]
    assert (fit(word, facts).own > 0) == tells


def test_where_titles_are_numbers_the_words_of_the_notes_tell():
    facts = [timed(n, f"{n}", f"2024-01-0{n}", 1800, notes) for n, notes in enumerate(("Shears", "Reeds", "Dents"), 1)]
    assert fit("shears", facts).own > 0


@pytest.mark.parametrize("others, tells", [(11, True), (12, False)])
def test_a_word_of_a_fourth_of_the_episodes_tells_nothing(others, tells):
    rest = [known(None, f"Yarn {chr(97 + n)} of wool", f"2023-05-{n + 1:02}") for n in range(others)]
    assert (fit("8 January 2024 wool", EPISODES + rest).own != 0) == tells


def test_a_word_of_the_notes_tells_less_than_one_of_the_title():
    facts = [
        timed(1, "Wool", "2024-01-08", 1800, "Shears and " + " ".join(f"word{n:02}" for n in range(30))),
        *EPISODES[1:],
    ]
    assert 0 < fit("shears", facts).own < fit("wool", facts).own


@pytest.mark.parametrize("others, apart", [([], 8.63), ([known(9, "Wool again", "2024-05-05")], 0)])
def test_an_entry_tells_an_episode_apart_from_all_others(others, apart):
    assert fit("wool", EPISODES + others).apart == pytest.approx(
        TITLE_WORD - log2(4) + 3 if not others else 0, abs=0.01
    )


@pytest.mark.parametrize("bits, apart, tells", [(1, 4, True), (0.9, 4, False), (1, 3.9, False)])
def test_little_tells_no_episode(bits, apart, tells):
    assert Fit(bits, apart=apart).tells == tells


def told(count: int, own: float, signs: float = 0) -> list[_Told]:
    """Elements in a row each, of a list."""
    return [_Told(Element(n, n, set()), {"day": set()}, Fit(20, own, signs, n, 20)) for n in range(count)]


@pytest.mark.parametrize(
    "elements, titles, kind",
    [
        (told(4, 16), 0, TELLING), (told(4, 15.9), 0, DOUBTFUL),
        (told(5, 8, DAY), 0, TELLING), (told(5, 7.9, DAY), 0, DOUBTFUL),
        (told(4, 9, DAY), 0, TELLING), (told(4, 8.9, DAY), 0, DOUBTFUL),  # in all
        # Half of them with a day or a number are too few.
        (told(4, 15.9, DAY)[:2] + told(4, 15.9)[2:], 0, DOUBTFUL), (told(4, 15.9, DAY)[:3] + told(4, 15.9)[3:], 0, TELLING),
        (told(6, 0), 2, BY_SIGNS), (told(7, 0), 2, DOUBTFUL),
    ],
)  # fmt: skip
def test_words_and_lengths_confirm_a_list_or_titles_do(elements, titles, kind):
    titled = defaultdict(set, {n: {n} for n in range(titles)})
    assert _kind_of(elements, titled) == kind


@pytest.mark.parametrize("others, is_found", [(3, True), (4, False)])
def test_seven_of_ten_elements_are_the_shows(others, is_found):
    lines = [f"{one.published[:10]} {one.title.split()[-1]}" for one in SEVEN]
    page = [*lines, *(f"2024-06-0{n} rain" for n in range(1, others + 1))]
    found = listed(page, facts=SEVEN)
    assert ({one.title for one in SEVEN} <= set(found)) == is_found


SEVEN = [
    known(n, f"On {word}", f"2024-03-0{n}")
    for n, word in enumerate("flax hemp jute silk mohair cotton ramie".split(), 1)
]


def test_an_element_is_what_it_tells_whatever_title_stands_in_it():
    """The day, the length and all other words are those of the episode that was not called off."""
    off = known(8, "Called off: Ramie", "2024-05-05", 1)
    notes = {
        one.title: replace(one, text=f"A talk about {one.title[3:]} with {n} weavers from Ghent")
        for n, one in enumerate(SEVEN)
    }
    facts = [*notes.values(), off]
    items = "".join(
        f"<article><h3>{'Ramie' if one.number == 7 else one.title}</h3><p>{one.published[:10]}, 30 min</p><p>{notes[one.title].text}</p></article>"
        for one in SEVEN
    )
    entries = read(f"<h1>Loom Hour</h1>{items}", facts)
    assert len(entries) == len(SEVEN)
    assert off.title not in [entry.title for entry in entries]


def test_the_kind_of_an_entry_is_that_of_its_episode():
    facts = [*EPISODES, known(5, "Trailer: the second year of shuttles", "2024-02-05")]
    lines = [*WOOL, "5 February 2024: shuttles, second year"]
    assert listed(lines, facts=facts)[:3] == TITLES[:3]
    assert facts[-1].title not in listed(lines, facts=facts)
    assert facts[-1].title in listed([*WOOL, "5 February 2024: trailer (shuttles)"], facts=facts)


def test_a_menu_tells_nothing():
    items = "".join(f"<li>{line}</li>" for line in WOOL)
    assert [entry.title for entry in read(f"<h1>Loom Hour</h1><nav><ul>{items}</ul></nav>")] == []


def test_lines_that_a_page_keeps_are_rows():
    lines = "\n".join(f'<a href="/{line[-4:]}.txt">{line}</a>   55K' for line in WOOL)
    assert [entry.title for entry in read(f"<h1>Loom Hour</h1><pre>{lines}</pre>")] == TITLES[:3]


@pytest.mark.parametrize(
    "heading, is_found", [("My list of Loom Hour", True), ("Loom: my list", True), ("Looms: my list", False)]
)
def test_signs_need_the_name_of_the_show_or_what_stands_in_it_before_a_sign(heading, is_found):
    page = f"<h1>{heading}</h1><ul>{''.join(f'<li>{line}</li>' for line in WOOL)}</ul>"
    show = Show("loom", "Loom: the hour" if heading.startswith("Loom:") or not is_found else "Loom Hour")
    entries = parse(FetchedDocument(page.encode(), "https://pages.example/loom"), show, EPISODES, given=True).entries
    assert bool(entries) == is_found


# -- without dates ---------------------------------------------------------------------------------


KILN = [
    timed(31, "The ash that became glass", "2024-03-01", 1811, "Guests: Maud Ferrier, who digs clay."),
    timed(32, "Salt, and who paid for it", "2024-03-08", 2422, "A letter from Orsolya about chimneys."),
    timed(33, "Seven bowls for Hortense", "2024-03-15", 3033, "With the potter Yngve Sandal, in his barn."),
    timed(34, "Cracks: a confession", "2024-03-22", 2644, "Nothing but shards, and a talk with Bruna."),
    timed(35, "Glazing in the dark", "2024-03-29", 1255, "Recorded by candlelight in Ostrava."),
]
KILN_TITLES = [one.title for one in KILN]
NUMBERED = ["31 glass from ash", "32 on salt", "33 bowls", "34 about cracks"]


@pytest.mark.parametrize(
    "lines",
    [
        [*NUMBERED, "35 glazing"],
        # A number and a length to the second.
        ["31 Maud 30:11", "32 Orsi 40:22", "33 Yngve 50:33", "34 shards 44:04", "35 night 20:55"],
        # A word and such a length, two seconds more or less.
        ["glass! 30:11", "salt 40:20", "bowls 50:35", "cracks 44:04", "glazing 20:55"],
        # A word of the notes, or a length in minutes, in a list of which most say more.
        [*NUMBERED, "35 Ostrava"],
        # A length of a title, as it may be, weighs a word down to that.
        [*NUMBERED, "35 glazing for 300 minutes"],
        [*NUMBERED, "35 night, 20 min"],
        # A number and a length in minutes.
        ["31 a pot, 30 min", "32 a jug, 40 min", "33 a mug, 50 min", "34 a cup, 44 min", "35 a bowl, 20 min"],
        # A word of the notes.
        ["31 Maud", "32 Orsolya", "33 Yngve", "34 Bruna", "35 Ostrava"],
        # Two words of the notes, with a number or without.
        ["Maud Ferrier", "Orsolya, chimneys", "Yngve, the potter", "shards, Bruna", "candlelight, Ostrava"],
        ["31 Maud Ferrier", "32 Orsolya, chimneys", "33 Yngve, the potter", "34 shards, Bruna", "35 candlelight, Ostrava"],
    ],
)  # fmt: skip
def test_two_signs_name_an_episode_without_a_date(lines):
    assert listed(["Shards", *lines], facts=KILN) == KILN_TITLES


@pytest.mark.parametrize(
    "lines",
    [
        NUMBERED[:3],  # too few: every show has a first and a second episode
        ["31 a pot", "32 a jug", "33 a mug", "34 a cup"],  # numbers alone
        ["a pot 30:11", "a jug 40:22", "a mug 50:33", "a cup 44:04"],  # lengths alone
        ["a pot, 30 min", "a jug, 40 min", "a mug, 50 min", "a cup, 44 min"],  # lengths in minutes
        [f"{line}, {minutes} min" for line, minutes in zip(NUMBERED, (41, 51, 61, 71), strict=True)],  # other lengths
        [*NUMBERED, "36 rain", "37 hail", "38 snow", "39 mist"],  # half of the list is another show's
    ],
)  # fmt: skip
def test_fewer_signs_name_none_without_a_date(lines):
    assert not set(listed(lines, facts=KILN)) & set(KILN_TITLES)


@pytest.mark.parametrize("others, count", [(2, 5), (3, 0)])
def test_without_days_two_thirds_of_a_list_are_told_by_words_alone_or_none(others: int, count: int) -> None:
    lines = ["Maud Ferrier", "Orsolya, chimneys", "Yngve, the potter", "shards, Bruna", "candlelight, Ostrava"]
    found = listed([*lines, *["Rain in May", "Hail in June", "Snow in July"][:others]], facts=KILN)
    assert len(set(found) & set(KILN_TITLES)) == count


DAYS = ["1 March 2024", "8 March 2024", "15 March 2024", "22 March 2024"]


@pytest.mark.parametrize(
    "lengths, is_found",
    [(("30:11", "40:22", "50:33", "44:04"), True), (("30:13", "40:20", "50:33", "44:04"), True),
     (("30:14", "40:19", "50:36", "44:01"), False),
     (("30 min", "40 min", "50 min", "44 min"), False), (("31:11", "41:22", "51:33", "45:04"), False)],
)  # fmt: skip
def test_days_and_lengths_to_the_second_need_no_name_of_the_show(lengths, is_found):
    """No other show has these: they name its episodes, whatever the page calls them."""
    heading = "Clay Hour"
    lines = [f"{day} {length} pot" for day, length in zip(DAYS, lengths, strict=True)]
    found = listed(lines, heading, facts=KILN)
    assert (found[:4:2] == KILN_TITLES[:4:2]) == is_found
    saved = FetchedDocument("\n".join([heading, "", *lines]).encode(), "https://pages.example/heard")
    read_as_text = [entry.title for entry in parse(saved, LOOM, KILN, given=True).entries]
    assert (read_as_text[:4:2] == KILN_TITLES[:4:2]) == is_found


@pytest.mark.parametrize(
    "heading, count, is_ours",
    [("Loom Hour – heard in March", 3, False), ("Loom Hour – heard in March", 4, True), ("Heard in March", 4, True)],
)  # fmt: skip
def test_a_list_with_lengths_to_the_second_is_the_shows_below_its_name_or_where_it_is_long(heading, count, is_ours):
    lines = [f"{day} {length} pot" for day, length in zip(DAYS, ("30:11", "40:22", "50:33", "44:04"), strict=True)]
    page = FetchedDocument("\n".join([heading, "", *lines[:count]]).encode(), "https://pages.example/heard")
    reading = parse(page, LOOM, KILN, given=True)
    assert (reading.show == LOOM.title) == is_ours
    assert [entry.title for entry in reading.entries] == KILN_TITLES[:count]


@pytest.mark.parametrize(
    "line, is_found", [("34 cracks", True), ("pot, Bruna", False), ("22 March 2024 pot, Bruna", True)]
)
def test_words_name_nothing_without_a_date_where_others_have_one(line, is_found):
    dated = [f"{day} {line}" for day, line in zip(DAYS, ("glass", "salt", "bowls"), strict=False)]
    assert (KILN_TITLES[3] in listed([*dated, line], facts=KILN)) == is_found


OWN_WORDS = ["Carding wool", "shuttle, Lyon", "Why indigo", "sheep Dolores"]
OWN_DAYS = [one.published[:10] for one in EPISODES]


@pytest.mark.parametrize(
    "line, is_found",
    [
        ("{day} {words}", True), ("{day} {words}, {minutes} min", True),
        # Parts of episodes, and what was said after them.
        ("{day} {words}, 3 min", False), ("{day} {words} 2:41", False), ("{day} Clip: {words}", False),
        ("{day} {words} (Ausschnitt)", False), ("{day} After the show: {words}", False), ("{day} 切り抜き {words}", False),
    ],
)  # fmt: skip
def test_clips_of_episodes_on_their_days_are_none(line, is_found):
    lines = [
        line.format(day=day, words=words, minutes=one.seconds_low // 60)
        for day, words, one in zip(OWN_DAYS, OWN_WORDS, EPISODES, strict=True)
    ]
    assert (listed(lines) == TITLES) == is_found


@pytest.mark.parametrize(
    "others, is_sure",
    [
        # Words of three episodes confirm the list, and so the title of the fourth.
        (["Maud Ferrier, glass from ash", "Orsolya, chimneys, on salt", "Yngve, the potter, bowls"], True),
        (KILN_TITLES[:3], False),
    ],
)
def test_a_title_in_a_list_that_words_confirm_is_sure(others, is_sure):
    page = "".join(f"<li>{line}</li>" for line in [*others, f"{KILN_TITLES[3]} | shards"])
    found = {entry.title: entry.names_show for entry in read(f"<h1>Loom Days</h1><ul>{page}</ul>", KILN)}
    assert found[KILN_TITLES[3]] == is_sure


def test_what_names_several_episodes_is_the_entry_of_none():
    lines = [f"{day} {words}" for day, words in zip(OWN_DAYS, OWN_WORDS, strict=True)]
    both = f"<li><b>{lines[3]}</b><p>{TITLES[0]}</p><p>{TITLES[1]}</p></li>"
    plain = "".join(f"<li>{line}</li>" for line in lines[:3])
    assert TITLES[3] not in [one.title for one in read(f"<h1>Loom Hour</h1><ul>{plain}{both}</ul>")]
    assert [one.title for one in read(f"<h1>Loom Hour</h1><ul>{plain}<li>{lines[3]}</li></ul>")] == TITLES


@pytest.mark.parametrize("other, days", [("29.05.2024", 1), ("02.05.2024", 2)])
def test_days_are_read_in_the_order_that_the_other_dates_of_the_page_have(other, days):
    page = FetchedDocument(f"Loom Hour\n\n01.05.2024 wool\n{other} silk".encode(), "https://pages.example/loom")
    rows = page_rows(PageDocument.of(page).rows, LOOM)
    assert len(_said(rows[1])["day"]) == days


@pytest.mark.parametrize("sign, is_found", [("―", True), ("〜", True), ("-", True), ("+", False)])
def test_the_part_of_the_name_before_a_dash_is_enough(sign, is_found):
    page = "\n".join(
        ["Loom Hour", "", *(f"{day} {one.seconds_low // 60} min" for day, one in zip(OWN_DAYS, EPISODES, strict=True))]
    )
    body = FetchedDocument(page.encode(), "https://pages.example/loom")
    show = Show("loom", f"Loom Hour {sign} ropes and threads")
    assert bool(parse(body, show, EPISODES, given=True).entries) == is_found


def test_a_text_that_is_known_is_the_shows_behind_a_heading_too():
    """However the entry is called."""
    texts = [
        f"{one.title}: what {word} said to me about all of it in a long cold night."
        for one, word in zip(EPISODES, WEAVES, strict=True)
    ]
    facts = [replace(one, text=text) for one, text in zip(EPISODES, texts, strict=True)]
    called = [*TITLES[:3], "Of ewes and other kin"]
    cards = [
        f"<article><h2>{title}</h2><time>{day}</time><p>{text}</p></article>"
        for title, day, text in zip(called, OWN_DAYS, texts, strict=True)
    ]
    page = f"<h1>Loom Hour</h1>{''.join(cards[:3])}<h2>More</h2>{cards[3]}"
    assert len(read(page, facts)) == 4


WEAVES = ["tweed", "twill", "satin", "plush"]


def test_two_syllables_are_a_word_in_korean():
    facts = [
        known(None, title, day)
        for title, day in zip(("부활 특집", "김장 이야기", "성가대 알토"), OWN_DAYS, strict=False)
    ]
    lines = [f"{day} {word}" for day, word in zip(OWN_DAYS, ("부활", "김장을", "알토가"), strict=False)]
    assert listed(lines, "게시판", facts) == []
    assert listed(lines, facts=facts) == [one.title for one in facts]


@pytest.mark.parametrize("cells", [3, 30])
@pytest.mark.parametrize("titles, is_kept", [(4, True), (1, False)])
def test_titles_in_a_table_are_few_among_those_of_their_column(cells, titles, is_kept):
    """However many columns there are, on a page that names no show."""
    shown = [one if n < titles else f"Pot {n}" for n, one in enumerate(TITLES * 3)]
    rows = "".join(f"<tr><td>{title}</td>{'<td>–</td>' * cells}</tr>" for title in shown)
    page = f"<h1>What I heard</h1><table><tr><th>Title</th></tr>{rows}</table>"
    assert bool(read(page)) == is_kept


KOGEI = [
    timed(None, "染織家の工房にて", "2024-02-07T21:00", 1800),
    timed(None, "備前焼をかじる", "2024-02-14T21:00", 1900),
    timed(None, "和紙職人とあるく", "2024-02-21T21:00", 2000),
]


@pytest.mark.parametrize(
    "lines, is_found",
    [
        # Three signs that carry meaning, and a day of the year.
        (["2月7日 染織家さん", "2月14日 備前焼とは", "2月21日 和紙職人の手"], True),
        (["2월 7일 染織家さん", "2월 14일 備前焼とは", "2월 21일 和紙職人の手"], True),
        (["2月7日 染織家の工房にて…", "2月14日 備前焼をかじる…", "2月21日 和紙職人とあるく…"], True),  # four in a row
        (["2月7日 染織とは", "2月14日 備前へ", "2月21日 和紙の手"], False),  # two signs
        (["2月7日 にてにて", "2月14日 をかじる", "2月21日 とあるく"], False),  # endings
        (["2月9日 染織家さん", "2月16日 備前焼とは", "2月23日 和紙職人の手"], False),  # other days
    ],
)
def test_three_signs_of_a_script_without_blanks_are_a_word(lines, is_found):
    facts = [replace(one, published=f"{one.published[:10]}T06:00:00Z") for one in KOGEI]
    assert (listed(lines, facts=facts) == [one.title for one in KOGEI]) == is_found


@pytest.mark.parametrize("printed", ["Thu, {day:02} Feb 2024 06:00:00 +0900", ""])
def test_the_day_of_an_episode_is_that_of_its_publishers_clock_too(printed):
    facts = [
        replace(one, published=f"{one.published[:10]}T21:00:00Z", date_raw=printed.format(day=day))
        for one, day in zip(KOGEI, (8, 15, 22), strict=True)
    ]
    later = listed(["2月8日 染織家さん", "2月15日 備前焼とは", "2月22日 和紙職人の手"], facts=facts)
    assert (later == [one.title for one in KOGEI]) == bool(printed)
    assert len(listed(["2月7日 染織家さん", "2月14日 備前焼とは", "2月21日 和紙職人の手"], facts=facts)) == 3
