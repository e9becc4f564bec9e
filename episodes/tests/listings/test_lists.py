"""Lists as sites and people keep them: in parts, with other words than the feed's, of several shows, in files."""

from collections.abc import Sequence
from urllib.parse import quote

import pytest

from episodes.dates import printed_length
from episodes.listings.any_site import parse
from episodes.records import EntryData, FetchedDocument, Show

SHOW = Show("harbour-notes", "Harbour Notes")
TITLES = (
    "Tides and Timetables", "The Paper Boat", "Salt on the Rails", "Seven Bells", "Lamps along the Quay",
    "Nets and Needles", "Fog Signals", "The Dredger's Daughter",
)  # fmt: skip
DAYS = ("2023-03-02", "2023-03-16", "2023-04-06", "2023-04-20", "2023-05-04", "2023-05-18", "2023-06-01", "2023-06-15")
FEED = tuple(
    EntryData(title=title, published=f"{day}T06:00:00Z", number=number, seconds_low=2400 + number, seconds_high=2400 + number)
    for number, (title, day) in enumerate(zip(TITLES, DAYS, strict=True), 21)
)  # fmt: skip


def entries(body: str, known: Sequence[EntryData] = FEED, *, given: bool = False) -> tuple[EntryData, ...]:
    return parse(FetchedDocument(body.encode(), "https://harbour.example/notes"), SHOW, known, given=given).entries


def titles(body: str, known: Sequence[EntryData] = FEED, *, given: bool = False) -> list[str]:
    return [said.title for said in entries(body, known, given=given)]


def html(body: str, title: str = SHOW.title) -> str:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"


ACCENTED = tuple(
    EntryData(title=title, published=f"{day}T06:00:00Z")
    for title, day in zip(("Cuscús, tajín y la frontera", "Ёлки у причала", "Žluťoučký přístav"), DAYS, strict=False)
)


def test_a_title_is_known_without_its_accents() -> None:
    lines = ["cuscus, tajin y la frontera", "Елки у причала", "Zlutoucky pristav"]
    rows = "\n".join(f"- {line}" for line in lines)
    assert titles(f"# Harbour Notes\n\n{rows}\n", ACCENTED) == [one.title for one in ACCENTED]


def test_the_words_of_an_address_are_read_in_every_script() -> None:
    shown = ("Туман над причалом", "Бумажный кораблик", "Соль на рельсах", "Семь склянок")
    known = [
        EntryData(title=f"Выпуск {n}: {title}", published=f"{day}T06:00:00Z")
        for n, (title, day) in enumerate(zip(shown, DAYS, strict=False))
    ]
    urls = "".join(
        f"<url><loc>https://harbour.example/{quote(title.lower().replace(' ', '-'))}</loc><lastmod>{day}</lastmod></url>"
        for title, day in zip(shown, DAYS, strict=False)
    )
    assert titles(f"<?xml version='1.0'?><urlset>{urls}</urlset>", known, given=True) == [one.title for one in known]


@pytest.mark.parametrize("size", ["49M", "128M"])
def test_a_size_is_no_length(size: str) -> None:
    assert printed_length(size) is None


@pytest.mark.parametrize("length", ["49m", "1H 49M", "49M 12S", "PT49M", "49 MIN"])
def test_minutes_in_capitals_are_a_length(length: str) -> None:
    assert printed_length(length)


def test_the_name_of_the_show_may_be_cut_behind_a_title() -> None:
    """A search cuts what it prints at a width: "Seven Bells - Harbour N…"."""
    shown = [f"{title} - Harbour Notes" for title in TITLES]
    items = "".join(f"<div class=g><h3>{one if len(one) < 34 else one[:31] + '…'}</h3><p>{day}</p></div>" for one, day in zip(shown, DAYS, strict=True))  # fmt: skip
    assert titles(html(items, "Harbour Notes - Search")) == list(TITLES)


def test_the_name_of_another_show_that_is_cut_is_none_of_ours() -> None:
    shown = [f"{title} - {'Harbour Notes' if n % 4 else 'Harbour Lights of…'}" for n, title in enumerate(TITLES)]
    items = "".join(f"<div class=g><h3>{one}</h3><p>{day}</p></div>" for one, day in zip(shown, DAYS, strict=True))
    assert titles(html(items, "Search")) == [title for n, title in enumerate(TITLES) if n % 4]


@pytest.mark.parametrize("cut", ["Harbo…", "H…"])
def test_less_than_half_of_a_name_lets_no_entries_in(cut: str) -> None:
    known = [(title, "Harbour Notes", day) for title, day in zip(TITLES[:6], DAYS, strict=False)]
    rows = [*known, (TITLES[6], cut, "2019-01-01"), ("Green Lights", cut, "2018-01-01")]
    items = "".join(f"<div><h3>{title}</h3><i>{show}</i><p>{day}</p></div>" for title, show, day in rows)
    assert titles(html(items, "Search")) == list(TITLES[:6])


@pytest.mark.parametrize("sign", [",", ";"])
def test_the_signs_between_the_cells_of_a_file_part_titles(sign: str) -> None:
    rows = [sign.join(("Episode title", "Publish date", "Duration (seconds)", "Downloads"))]
    rows += [
        sign.join((f'"{one.title}"' if n % 2 else one.title, one.published[:10], str(one.seconds_low), f"{n}07"))
        for n, one in enumerate(FEED)
    ]
    assert titles("\n".join(rows) + "\n", given=True) == list(TITLES)


def test_a_comma_in_a_line_parts_nothing_wrongly() -> None:
    lines = [f"{title}, {day}, as heard" for title, day in zip(TITLES, DAYS, strict=True)]
    text = "\n".join(["Harbour Notes", "", *lines])
    assert titles(text) == list(TITLES)


def test_another_length_is_another_entry_than_the_one_of_its_day() -> None:
    items = [f"<li>{day} {title.lower()}, as heard <i>40:{21 + n}</i></li>" for n, (title, day) in enumerate(zip(TITLES, DAYS, strict=True))]  # fmt: skip
    items[3] = f"<li>{DAYS[3]} wanted: a voice <i>9:10</i></li>"
    assert TITLES[3] not in titles(html(f"<ul>{''.join(items)}</ul>"))


def test_a_list_in_parts_is_one_list() -> None:
    """Two entries a month tell nothing by themselves: titles are cut to a word."""
    parts = "".join(
        f"<h2>Month {n}</h2><ul>"
        + "".join(f"<li>{DAYS[at]} – <a href='/{TITLES[at].lower().replace(' ', '-')}'>{TITLES[at][:5]}…</a></li>" for at in (2 * n, 2 * n + 1))
        + "</ul>"
        for n in range(4)
    )  # fmt: skip
    assert titles(html(parts)) == list(TITLES)
