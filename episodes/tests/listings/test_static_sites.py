"""Plain sites that a program wrote: titles in other forms than the feed's, one known entry among many, rows beside rows."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from episodes.listings.any_site import parse as read
from episodes.records import EntryData, FetchedDocument, Show
from episodes.text.normalize import fold

SHOW = Show("harbour-notes", "Harbour Notes")
TITLES = ["Tides and Timetables", "The Paper Boat", "Salt on the Rails", "Seven Bells", "Lamps along the Quay"]
GUESTS = ["Nora Quist", "Emil Brandt", "Aiko Sato", "Rosa Milan", "Jonas Weber"]
DAYS = [f"2023-03-{day:02}" for day in (2, 9, 16, 23, 30)]


def feed(form: str) -> tuple[EntryData, ...]:
    """The known episodes, each titled in a form; {n} is its number."""
    return tuple(
        EntryData(title=form.format(n=number, title=title, guest=guest), published=f"{day}T06:00:00Z")
        for number, (title, guest, day) in enumerate(zip(TITLES, GUESTS, DAYS, strict=True), 1)
    )


def page(items: Sequence[str], around: str = "<ul>{}</ul>") -> str:
    return f"<html><head><title>{SHOW.title}</title></head><h1>{SHOW.title}</h1>{around.format(''.join(items))}</html>"


def listed(form: str = "{title}", days: Sequence[str] = DAYS) -> str:
    """A list in which each entry has a link and a day."""
    titles = (
        form.format(n=n, title=title, guest=guest)
        for n, (title, guest) in enumerate(zip(TITLES, GUESTS, strict=True), 1)
    )
    return page(
        [f"<li><a href='/n/{n}'>{t}</a> <i>{d}</i></li>" for n, (t, d) in enumerate(zip(titles, days, strict=True))]
    )


def taken(body: str, known: Sequence[EntryData]) -> list[EntryData]:
    return list(read(FetchedDocument(body.encode(), "https://harbour.example/notes"), SHOW, known).entries)


def titles(body: str, known: Sequence[EntryData]) -> list[str]:
    return [said.title for said in taken(body, known)]


@pytest.mark.parametrize(
    "form",
    [
        "{title} | Harbour Notes - Episode {n}", "{title} (#{n})", "{title} - Harbour Notes Ep. {n}", "[{n:02}] {title}", "({n}) {title}",
        "HN{n:03} {title}", "{n:03}a- {title}", "Vol.{n} {title}", "第{n}回 {title}", "第{n}回{title}", "#{n}「{title}」", "{n}화. {title}",
        "March {n}, 2023 - {title}", "Выпуск {n}. {title}", "Slow Boats #{n} - {title}", "S2 E{n} | {title} | Harbour Notes",
        "Harbour Notes {n}: {title} [HN-{n}]", "🎙️ {title}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("shown", ["{title}", "РВ-{n} · {title}", "{title} 🎧 Listen"])
def test_a_title_is_known_without_what_counts_it_in_the_feed(form: str, shown: str) -> None:
    assert [said.published for said in taken(listed(shown), feed(form))] == DAYS


def test_what_counts_few_titles_of_a_show_is_left_out_too() -> None:
    known = (*feed("Slow Boats #{n} - {title}")[:3], *feed("Ballast: {title}, on board")[3:])
    found = titles(listed(), known)
    assert found[:3] == [said.title for said in known[:3]]


def test_another_number_beside_the_title_is_another_part() -> None:
    known = tuple(EntryData(title=f"{title} (Part {n})") for n, title in enumerate(TITLES[:3], 2))
    rows = [f"<li><a href=/{n}>{title} (Part 1)</a></li>" for n, title in enumerate(TITLES[:3])]
    assert titles(page(rows), known) == []


def test_one_known_entry_takes_nothing_from_its_neighbours() -> None:
    rows = [
        f"<li><h3><a href='/n/{n}'>{title}</a></h3><p class='date'>{day}</p><p>{20 + n} min</p></li>"
        for n, (title, day) in enumerate(zip(TITLES, DAYS, strict=True))
    ]
    (said,) = taken(page(rows), [EntryData(title=TITLES[3], published=DAYS[3])])
    assert (said.title, said.length_raw, said.published, said.url) == (
        TITLES[3],
        "23 min",
        DAYS[3],
        "https://harbour.example/n/3",
    )


def table(*headings: str) -> str:
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in headings)}</tr>{{}}</table>"


UNKNOWN = [EntryData(title=title) for title in TITLES]
LINK = "<a href='/n/{n}'>{title}</a>"
CELLS = "<tr><td>{n}</td><td>{title}</td><td>{day}</td></tr>"


@pytest.mark.parametrize(
    "around, item",
    [
        (table("", "Title", "Published"), CELLS),
        ("<table>{}</table>", CELLS),
        (table("", "Updated", "Title", "Published"), CELLS.replace("<td>", "<td>2024-01-0{n}</td><td>", 1)),
        (table("", "Title", "Published", "Updated"), CELLS.replace("</tr>", "<td>2024-01-0{n}</td></tr>")),
        ("<dl>{}</dl>", "<dt>{title}</dt><dd>Published {day}</dd><dd>Talk</dd>"),
        ("<ul>{}</ul>", f"<li>{LINK}<p>2024-01-0{{n}} 20 min Published {{day}}</p></li>"),
        ("<ul>{}</ul>", f"<li>{LINK}<p><time datetime='{{day}}'>then</time></p></li>"),
        ("<ul>{}</ul>", f"<li>{LINK}<meta itemprop=datePublished content='{{day}}'></li>"),
    ],
)
def test_a_date_is_that_of_publication_where_known_ones_agree(around: str, item: str) -> None:
    rows = [item.format(n=n, title=title, day=day) for n, (title, day) in enumerate(zip(TITLES, DAYS, strict=True), 1)]
    body = page(rows, around)
    assert [entry.published for entry in taken(body, UNKNOWN)] == [""] * len(DAYS)
    assert [entry.published for entry in taken(body, [*feed("{title}")[:1], *UNKNOWN[1:]])] == DAYS
    wrong = [replace(UNKNOWN[0], published="2022-01-01"), *UNKNOWN[1:]]
    assert [entry.published for entry in taken(body, wrong)] == [""] * len(DAYS)


@pytest.mark.parametrize("around, alone", [(table("", "Title", "Downloads"), False), ("<ul>{}</ul>", True)])
def test_a_length_below_a_heading_is_one_where_known_ones_agree(around: str, alone: bool) -> None:
    rows = [
        CELLS.format(n=n, title=title, day=f"{30 + n} M") if "<th>" in around else f"<li>{title}<p>{30 + n} M</p></li>"
        for n, title in enumerate(TITLES)
    ]
    body = page(rows, around)
    assert [bool(entry.seconds_low) for entry in taken(body, UNKNOWN)] == [alone] * len(TITLES)
    known = [replace(UNKNOWN[0], seconds_low=1800, seconds_high=1859), *UNKNOWN[1:]]
    assert [entry.seconds_low for entry in taken(body, known)] == [(30 + n) * 60 for n in range(len(TITLES))]


@pytest.mark.parametrize(
    "label, others, kept",
    [
        ("Bread Notes", ["Looms", "The Bread Notes"], TITLES[1:2]),
        (f"Bread  notes · {DAYS[0]}", ["Bread Notes"], TITLES[1:2]),
        ("Bread Notes: Crumbs", ["Bread Notes"], TITLES[:2]),
        ("By the makers of Bread Notes", ["Bread Notes"], TITLES[:2]),
        ("Bread Notes", [], TITLES[:2]),
        ("Bread Notes", ["Bread"], TITLES[:2]),
        (f"{SHOW.title} · Bread Notes", ["Bread Notes"], TITLES[:1]),  # the other names no show there
    ],
)
def test_an_entry_that_names_another_show_is_that_shows_whoever_gave_the_page(
    label: str, others: list[str], kept: list[str]
) -> None:
    rows = [
        f"<li><h3>{title}</h3><p>{name}</p><p>{day}</p></li>"
        for title, name, day in zip(TITLES[:2], (label, "Talk"), DAYS, strict=False)
    ]
    body = f"<html><h1>My week</h1><ul>{''.join(rows)}</ul></html>".encode()
    reading = read(FetchedDocument(body), SHOW, feed("{title}"), given=True, others=others)
    assert [said.title for said in reading.entries] == kept


def test_rows_that_lead_elsewhere_do_not_hide_the_titles_beside_them() -> None:
    rows = [
        f"<li><a href='/n/{n}'>{t}</a> <i>{d}</i></li><li><a href='/t/{n}'>Transcript: {t}</a></li><li><a href='/v/{n}'>Watch: {t}</a></li>"
        for n, (t, d) in enumerate(zip(TITLES, DAYS, strict=True))
    ]
    found = taken(page(rows), feed("{title}"))
    assert [(said.title, said.published[:10]) for said in found] == list(zip(TITLES, DAYS, strict=True))


@pytest.mark.parametrize("mark", ["…", "...", " …"])
def test_a_title_that_nobody_knows_and_that_is_cut_is_no_title(mark: str) -> None:
    known = feed("{title}")[:3]
    body = listed("{title}" + mark)
    assert titles(body, known) == TITLES[:3]
    assert titles(listed("{title} |"), known) == TITLES


HERO = f"<article><h2><a href=/n/5>{TITLES[4]}</a></h2><p>{DAYS[4]}</p></article>"


def plain(titles: Sequence[str]) -> str:
    return "".join(f"<li><a href='/x/{n}'>{title}</a></li>" for n, title in enumerate(titles))


def test_a_list_that_names_the_newest_entry_again_is_a_menu() -> None:
    assert titles(page([HERO, plain(TITLES[::-1])], "{}"), feed("{title}")) == TITLES[4:]
    assert titles(page([HERO, f"<nav>{plain(TITLES[3::-1])}</nav>"], "{}"), feed("{title}")) == TITLES[4:]


def test_some_titles_in_no_order_are_no_list() -> None:
    more = tuple(
        EntryData(title=f"Dock Talk {word}", published="2022-01-01") for word in "North East South West".split()
    )
    some = [TITLES[1], TITLES[3], TITLES[0]]
    assert titles(page([HERO, plain(some)], "{}"), (*feed("{title}"), *more)) == TITLES[4:]


def test_a_part_of_one_title_above_the_list_hides_nobodys_name() -> None:
    known = feed("{title}: what {guest} saw at sea")
    body = "\n".join(f"{said.title}\n{day}\n" for said, day in zip(known, DAYS, strict=True))
    page = f"Podbox\n{GUESTS[2]}\n\n{SHOW.title}\nJane Doe\n\nEpisodes\n\n{body}"
    assert [said.show for said in taken(page, known)] == [SHOW.title] * len(TITLES)


NEW, NEW_DAY = "Oars that bend and the three workshops that carve them", "2023-04-06"
ROWS = [*zip(TITLES, DAYS, strict=True), (NEW, NEW_DAY)]
PLAIN = f"# {SHOW.title}\n\n"
SERIES = {"@type": "PodcastSeries", "name": SHOW.title}
PLACES = [
    {"@type": "ListItem", "item": {"@type": "PodcastEpisode", "name": title, "datePublished": day}}
    for title, day in ROWS
]

JSON_ROWS = json.dumps([{"name": title, "day": day} for title, day in ROWS])


def script(body: str) -> str:
    return page([f"<script>{body}</script>"], "{}")


def nuxt(days: Sequence[object], first: str = "ShallowReactive") -> str:
    """A page of Nuxt 3: its script is a list of values, whose lists and objects give the places of others."""
    places = range(3, 3 + 3 * len(ROWS), 3)
    values: list[object] = [[first, 1], {"episodes": 2, "none": -1, "shown": 0}, list(places)]
    for place, (title, _), day in zip(places, ROWS, days, strict=True):
        values += [{"title": place + 1, "date": place + 2}, title, day]
    return script(json.dumps(values))


NO_JSON = 'x = [{ "a": 1, b: 2}]; '
XML = '<?xml version="1.0" encoding="utf-8"?>'
OUTLINES = "".join(f'<outline type="audio" text="{title}" created="{day}"/>' for title, day in ROWS)
ITEMS = "".join(f"<x:item><x:name>{title}</x:name><x:day>{day}</x:day></x:item>" for title, day in ROWS)


@pytest.mark.parametrize(
    "body",
    [
        PLAIN + "".join(f"## {title}\n\n*{day}*\n\nWe went there in the rain.\n\n" for title, day in ROWS),
        PLAIN + "".join(f"* {day} [{title}](https://x.example/{day})\n" for title, day in ROWS),
        PLAIN + "|Day|Title|\n|---|---|\n" + "".join(f"| {day} | {title} |\n" for title, day in ROWS),
        json.dumps([{"title": title, "date": day, "url": f"https://x.example/{day}"} for title, day in ROWS], indent=1),
        json.dumps({"show": SHOW.title, "items": [{"name": title, "published": day} for title, day in ROWS]}),
        page([f'<script type="application/ld+json">{json.dumps({"@type": "ItemList", "itemListElement": PLACES})}</script>'], '{}'),
        page([f'<script type="application/ld+json">{json.dumps(SERIES | {"episode": PLACES})}</script>'], '{}'),
        nuxt([day for _, day in ROWS]), nuxt([["Date", day] for _, day in ROWS], "Reactive"),
        script(f"window.__NUXT__={{layout:'default',data:[{{episodes: {JSON_ROWS}}}]}}"),
        script(f"load(7); show({JSON_ROWS}, [ ])"),
        script(NO_JSON * 59 + JSON_ROWS),
        f"{XML}<opml><head><title>Heard</title></head><body><outline text='{SHOW.title}'>{OUTLINES}</outline></body></opml>",
        f"{XML}\n<!-- all --><x:list xmlns:x='urn:x'>{ITEMS}</x:list>",
    ],
    ids=["headings", "lines", "table", "JSON", "JSON in a line", "ItemList", "PodcastSeries", "Nuxt 3", "Nuxt 3 with dates",
        "object of a script", "call of a script", "last of 60 tries", "OPML", "XML"],
)  # fmt: skip
def test_what_a_list_holds_beside_known_episodes_is_kept_in_every_form(body: str) -> None:
    found = read(FetchedDocument(body.encode(), "https://harbour.example/notes"), SHOW, feed("{title}"), given=True)
    assert [(said.title, said.published) for said in found.entries] == ROWS


@pytest.mark.parametrize(
    "prices, sold",
    [
        (["£9", "$ 9", "9 €", "9 zł", "249 kr"], True),
        (["£9", "£9", "£9", "", ""], True),
        (["£9", "£9", "", "", ""], False),  # titles have prices, too
        (["£", "99 krill", "9 seals", "zł 9", "eur"], False),
    ],
)
def test_what_has_a_price_is_no_episode(prices: Sequence[str], sold: bool) -> None:
    books = [f"<li>{title} <b>{price}</b></li>" for title, price in zip(TITLES, prices, strict=True)]
    assert titles(page(books), feed("{title}")) == ([] if sold else TITLES)


def test_the_addresses_of_a_sitemap_tell_episodes() -> None:
    def found(days: Sequence[str]) -> list[str]:
        urls = "".join(
            f"<url><loc>https://harbour.example/{fold(said.title).replace(' ', '-')}/</loc><lastmod>{day}</lastmod></url>"
            for said, day in zip(feed("{title}"), days, strict=True)
        )
        other = "<url><loc>https://harbour.example/imprint/</loc></url>"
        body = f"{XML}<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{other}{urls}</urlset>"
        document = FetchedDocument(body.encode(), "https://harbour.example/sitemap.xml")
        return [said.title for said in read(document, SHOW, feed("{title}"), given=True).entries]

    assert found(DAYS) == TITLES


@pytest.mark.parametrize(
    "body",
    [
        f"{XML}<!DOCTYPE x [<!ENTITY a 'Salt'>]><list>{OUTLINES}<outline text='&a;'/></list>",
        f"{XML}<list>{OUTLINES}",
        f"{XML}{'<x>' * 50_000}{'</x>' * 50_000}",
        script(json.dumps([["Reactive", 1], {"a": 0, "b": 1, "c": 2}, [2, 1, 9]])),
        script(json.dumps([["Reactive", 1], *([n] for n in range(2, 50_000))])),
        script(json.dumps([["Reactive", 1], {"a": [1], "b": 2}, [{"c": 1}, "d", None, 99]])),
        script(json.dumps([["Rows", 1], {"episodes": 2}, [3], {"title": 4}, TITLES[0]])),
        script('x = [{"a":' * 50_000),
        script(NO_JSON * 60 + JSON_ROWS),
    ],
    ids=["entities", "cut off", "deep", "circle", "chain", "no places", "another list", "endless", "tries"],
)  # fmt: skip
def test_data_that_hold_up_who_reads_them_tell_nothing(body: str) -> None:
    document = FetchedDocument(body.encode(), "https://harbour.example/list")
    assert not read(document, SHOW, feed("{title}"), given=True).entries


def test_xml_in_utf_16_defines_no_entities_either() -> None:
    body = f"<?xml version='1.0' encoding='utf-16'?><!DOCTYPE x [<!ENTITY a 'Salt'>]><list>{OUTLINES}</list>"
    for text, count in ((body, 0), (body.replace("<!DOCTYPE x [<!ENTITY a 'Salt'>]>", ""), len(ROWS))):
        document = FetchedDocument(text.encode("utf-16"), "https://harbour.example/list")
        assert len(read(document, SHOW, feed("{title}"), given=True).entries) == count
