"""The general reader finds the entries of known episodes on pages of any site, and attaches nothing that is another's."""

import json
import random
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from episodes.dates import Calendar, marks
from episodes.gather.sources import readers
from episodes.listings.any_site import parse as read
from episodes.listings.script_data import as_html
from episodes.records import DocumentRejected, EntryData, FetchedDocument, Show

from ..growth import assert_even_growth
from .pages import saved
from .report import FOLDER, OURS, SHIPPED, known, matched, outcome, page_of, pairs, shipped

PAGES = pairs()
RESULTS = json.loads((FOLDER / "results.json").read_text("utf-8"))  # `python -m episodes.tests.listings.report --write`
NAME = OURS.title


def names(found: list[Path]) -> list[str]:
    return [path.name for path in found]


def taken(text: str, address: str = "", facts: tuple[EntryData, ...] | None = None) -> tuple[EntryData, ...]:
    try:
        return read(
            FetchedDocument(text.encode("utf-8", "replace"), address), OURS, known() if facts is None else facts
        ).entries
    except DocumentRejected:
        return ()


def attached(text: str, address: str = "") -> list[str]:
    """Titles of the entries of a page that end up with an episode of the feed."""
    try:
        reading = read(FetchedDocument(text.encode(), address), OURS, known())
    except DocumentRejected:
        return []
    groups = matched(reading).groups
    return [e.said.title or e.said.text[:20] for group in groups for e in group if e.source not in SHIPPED]


@pytest.mark.parametrize("folder", PAGES, ids=names(PAGES))
def test_a_page_is_read_as_its_key_says_to_the_entry(folder: Path):
    result = outcome(folder)
    assert not result.wrong
    assert result.figures() == RESULTS[folder.name]


def test_nearly_all_entries_of_all_pages_are_attached():
    assert sum(figures["attached"] for figures in RESULTS.values()) >= 0.96 * sum(f["due"] for f in RESULTS.values())


def test_the_shipped_listings_are_read_as_their_own_readers_read_them():
    for entries, by_own, by_general, other in shipped().values():
        assert not other
        assert by_general >= 0.95 * by_own
        assert by_own <= entries


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_what_is_known_changes_nothing(seed: int):
    mixed = [*known(), *readers()["numbered-list"].read(saved("numbered-list"), OURS).entries]
    page = page_of(next(path for path in PAGES if path.name == "ep-prefix"), {"url": "https://a.example/"})
    before = read(page, OURS, mixed)
    random.Random(seed).shuffle(mixed)
    assert read(page, OURS, mixed) == before


def test_nothing_known_gives_nothing():
    for folder in PAGES:
        page = page_of(folder, {})
        if b"ld+json" not in page.body:  # which tells of episodes by itself
            with suppress(DocumentRejected):
                assert not read(page, OURS, ()).entries


ROWS = [
    ("Strides", "30 May 2022"),
    ("AOTAutograd", "9 May 2022"),
    ("Half precision", "10 September 2021"),
    ("Batching", "18 August 2021"),
]


def list_of(heading: str, label: str = "", days: bool = True) -> str:
    items = "".join(
        f"<article>{f'<p>{label}</p>' if label else ''}<h3><a href='/e/{n}'>{title}</a></h3>"
        f"{f'<p>{day}</p>' if days else ''}</article>"
        for n, (title, day) in enumerate(ROWS)
    )
    return f"<!doctype html><html><head><title>{heading}</title></head><body><h1>{heading}</h1>{items}</body></html>"


def test_a_list_that_names_the_show_is_attached():
    assert len(attached(list_of(NAME))) == len(ROWS)
    assert len(attached(list_of("Latest episodes", NAME))) == len(ROWS)


@pytest.mark.parametrize(
    "heading",
    ["JAX Talks", f"{NAME}: Reloaded", f"Not the {NAME}", "PyTorch Developers' Hour", f"Search results for {NAME}"],
)
def test_the_same_list_of_another_show_is_left_alone(heading: str):
    assert attached(list_of(heading)) == []


@pytest.mark.parametrize("label", ["JAX Talks", f"{NAME}: Reloaded"])
def test_entries_that_name_another_show_are_left_alone(label: str):
    assert attached(list_of("Latest episodes", label)) == []


@pytest.mark.parametrize("form", ["{label}\n{title}\n{day}", "{title}\n{day}\n{label}", "{title}\n{label} · {day}"])
def test_on_a_mixed_page_only_what_names_the_show_is_attached(form: str):
    labels = ["JAX Talks", NAME, "Kernel Corner", NAME]
    listed = [form.format(label=label, title=title, day=day) for label, (title, day) in zip(labels, ROWS, strict=True)]
    assert sorted(attached("Machine learning\n\n" + "\n\n".join(listed))) == ["AOTAutograd", "Batching"]


@pytest.mark.parametrize(
    "form", ["{day}\n{title}", "{title}\n{day}", "{title}\nPlay\n{day}\nShare", "{day} · 14 min\n{title}"]
)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_saved_text_is_parted_with_and_without_blank_lines(form: str, between: str):
    listed = between.join(form.format(title=title, day=day) for title, day in ROWS)
    days = ["2022-05-30", "2022-05-09", "2021-09-10", "2021-08-18"]
    assert [said.published for said in taken(f"{NAME}\n\nEpisodes\n{listed}\nImprint")] == days


def test_the_part_of_a_page_below_another_show_is_left_alone():
    page = list_of("My shows").replace("<h1>My shows</h1>", f"<h1>My shows</h1><h2>{NAME}</h2>")
    both = page.replace("</body>", "<h2>JAX Talks</h2><article><h3>vmap</h3><p>June 21, 2021</p></article></body>")
    assert sorted(attached(both)) == sorted(title for title, _ in ROWS)


def test_series_in_the_data_for_machines_decides():
    data = '<script type="application/ld+json">{"@type": "PodcastSeries", "name": "JAX Talks"}</script>'
    with pytest.raises(DocumentRejected, match="JAX Talks"):
        read(FetchedDocument(list_of("Podster").replace("<body>", f"<body>{data}").encode()), OURS, known())


def test_a_menu_of_all_titles_is_no_list():
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href='/x/{n}'>{said.title}</a></li>" for n, said in enumerate(known()))
        + "</ul></nav>"
    )
    page = list_of(NAME).replace("<body>", f"<body>{menu}")
    assert sorted(attached(page)) == sorted(title for title, _ in ROWS)
    assert all("/e/" in said.url for said in taken(page, "https://a.example/"))


def test_a_word_in_a_tag_cloud_takes_no_date():
    tags = "<ul class='tags'><li><a href='/t/xla'>XLA</a></li><li><a href='/t/th'>TH</a></li></ul><p>16 June 2021</p>"
    found = taken(list_of(NAME).replace("</article>", f"{tags}</article>"))
    assert {said.title for said in found} == {title for title, _ in ROWS}


def test_a_rank_is_no_number_and_a_declared_one_is():
    ranked = "\n".join([NAME, *(f"#{n} {title}\n{day}" for n, (title, day) in enumerate(ROWS, 1))])
    assert [said.number for said in taken(ranked)] == [None] * len(ROWS)
    numbers = {said.title: said.number for said in known()}
    declared = "\n".join([NAME, *(f"Ep. {numbers[title]}: {title}\n{day}" for title, day in ROWS)])
    assert [said.number for said in taken(declared)] == [numbers[title] for title, _ in ROWS]
    counting = "\n".join([NAME, *(f"Episode {n}: {title}\n{day}" for n, (title, day) in enumerate(ROWS, 1))])
    assert [said.number for said in taken(counting)] == [None] * len(ROWS)


VERSES = ("The Lost Coin", "8-10"), ("The Elder Brother", "25-32"), ("Rich Man, Poor Man", "19-31"), ("Salt", "1-13")


@pytest.mark.parametrize("form, counts", [("{} | Luke 15:{}", False), ("#{1} {0}", True)])
def test_words_that_a_site_leaves_out_count_only_where_they_are_a_number(form, counts):
    """A page of titles and verses: the verses are no numbers of the episodes."""
    numbers = [verses.partition("-")[0] for _, verses in VERSES]
    named = zip(VERSES, numbers, strict=True)
    titles = [form.format(title, number if counts else verses) for (title, verses), number in named]
    days = [f"2025-09-{day:02}" for day in (7, 14, 21, 28)]
    facts = tuple(EntryData(title=title, published=day) for title, day in zip(titles, days, strict=True))
    rows = zip(VERSES, numbers, days, strict=True)
    page = [NAME, *(f"{title}\nLuke 15:{verses}\n{number}\n{day}" for (title, verses), number, day in rows)]
    found = taken("\n".join(page), facts=facts)
    assert [said.title for said in found] == titles
    assert [said.number for said in found] == [int(number) if counts else None for number in numbers]


def test_an_ambiguous_date_stays_unknown():
    days = ["2021-05-04", "2021-02-03", "2021-05-13", "2021-07-06"]
    facts = tuple(EntryData(title=title, published=day) for (title, _), day in zip(ROWS, days, strict=True))
    page = "\n".join(
        [NAME, "Strides\nPublished: 04/05/21", "Batching\nPublished: 06/07/21", "AOTAutograd\nPublished: 03/02/21"]
    )
    assert [(said.published, said.date_raw) for said in taken(page, facts=facts)] == [
        ("", "04/05/21"),
        ("", "06/07/21"),
        ("", "03/02/21"),
    ]
    told = taken(page + "\nHalf precision\nPublished: 13/05/21", facts=facts)
    assert [said.published for said in told] == ["2021-05-04", "2021-07-06", "2021-02-03", "2021-05-13"]
    # What agrees because it was chosen to agree says nothing.
    dated = (EntryData(title="Strides", published="2021-04-05"), *facts[1:])
    assert [said.published for said in taken(page, facts=dated)] == ["", "", ""]


@pytest.mark.parametrize(
    "text, day",
    [
        ("4 août 2024", "2024-08-04"), ("4. August 2024", "2024-08-04"), ("Sonntag, 4. Aug. 2024", "2024-08-04"), ("4 de agosto de 2024", "2024-08-04"),
        ("4 sierpnia 2024", "2024-08-04"), ("4 августа 2024 г.", "2024-08-04"), ("2024年8月4日(日)", "2024-08-04"), ("2024년 8월 4일", "2024-08-04"),
        ("2024. augusztus 4.", "2024-08-04"), ("٤ أغسطس ٢٠٢٤", "2024-08-04"), ("4 Αυγούστου 2024", "2024-08-04"), ("Aug 4th, 2024", "2024-08-04"),
        ("4 Ağustos 2024 Pazar", "2024-08-04"), ("04-Aug-24", "2024-08-04"), ("2024-08-04T10:00:00Z", "2024-08-04"), ("2024/08/04", "2024-08-04"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "{}Batching", "Batching {} 16 min"])
def test_dates_are_read_in_many_languages_and_glued(text: str, day: str, around: str):
    found = [mark for mark in marks(around.format(text)) if mark.kind == "date"]
    assert [Calendar([]).placed(mark).days for mark in found] == [[date.fromisoformat(day)]]


@pytest.mark.parametrize(
    "text, span",
    [
        ("16 min", (960, 1019)), ("16 Min.", (960, 1019)), ("13分", (780, 839)), ("1 h 2 min", (3720, 3779)), ("1 Std. 2 Min.", (3720, 3779)),
        ("1 hour, 2 minutes and 3 seconds", (3723, 3723)), ("16 minPlay", (960, 1019)), ("Aug 4, 202416 min", (960, 1019)),
    ],
)  # fmt: skip
def test_lengths_are_read_in_many_languages(text: str, span: tuple[int, int]):
    found = [mark.span for mark in marks(text) if mark.kind == "length"]
    assert len(found) == 1
    assert found[0] is not None
    assert found[0][0] == span[0]


@pytest.mark.parametrize(
    "text",
    [
        "3 minutes ago", "3y · new", "Sun, Aug 4", "S1E78 Min-cut", "16 min left", "5 min read", "il y a 3 minutes",
        "vor 16 Minuten", "30 seconds", "$20 m", "30 MB", "90 MHz",
    ],
)  # fmt: skip
def test_what_is_no_length_is_left_out(text: str):
    assert [mark for mark in marks(text) if mark.kind in ("length", "date")] == []


def test_work_for_many_known_episodes_grows_evenly() -> None:
    def read_page_of(count: int) -> None:
        known = tuple(
            EntryData(title=f"Episode {n} about topic {n % 7}", text=f"In number {n} we talk about this and that. " * 5)
            for n in range(2 * count)
        )
        page = "<html><h1>A Show</h1>" + "".join(
            f"<article><h3><a href='/{n}'>Episode {n} about topic {n % 7}</a></h3><p>May {n % 28 + 1}, 2021</p></article>"
            for n in range(count)
        )
        assert len(read(FetchedDocument(page.encode()), Show("a-show", "A Show"), known).entries) == count

    assert_even_growth(read_page_of, size=60)


def test_a_word_of_the_menu_hides_nothing_below_it() -> None:
    titles = ["vmap", "Batching", "Strides"]
    rows = "".join(f"<li><a href=/{n}>{title}</a></li>" for n, title in enumerate(titles))
    page = f"<html><ul><li><a href=/r>Reviews</a></li><li>Comments</li></ul><h1>{NAME}</h1><ul>{rows}</ul></html>"
    assert [said.title for said in taken(page, "https://nice.example/")] == titles


def fact(title: str, day: str, minutes: int, text: str = "") -> EntryData:
    return EntryData(title=title, published=day, seconds_low=minutes * 60, seconds_high=minutes * 60, text=text)


FACTS = (
    fact("The Long Weld", "2021-03-02", 31), fact("Cold Solder", "2021-04-06", 42), fact("A Drawer of Fuses", "2021-05-04", 27),
    fact("Letters", "2021-03-09", 24, "You wrote to us about lathes and about the smell of old radios."),
    fact("Letters", "2021-04-13", 25, "Questions on glue, on second-hand drills, and one on marriage."),
    fact("The Bridge, Part One: Rivets", "2021-06-01", 43), fact("The Bridge, Part Two: Cables", "2021-06-08", 43),
)  # fmt: skip


def shelf(*rows: str) -> tuple[EntryData, ...]:
    """Entries of a page that names the show, of rows "title | date | length" below three plain episodes."""
    plain = (
        "The Long Weld | 2 March 2021 | 31 min",
        "Cold Solder | 6 April 2021 | 42 min",
        "A Drawer of Fuses | 4 May 2021 | 27 min",
    )
    cells = [[f"<span>{cell.strip()}</span>" for cell in row.split("|")] for row in (*plain, *rows)]
    items = "".join(f"<li><h3>{title}</h3>{''.join(others)}</li>" for title, *others in cells)
    return taken(f"<html><title>{NAME}</title><h1>{NAME}</h1><ul>{items}</ul></html>", facts=FACTS)[len(plain) :]


def test_a_date_that_contradicts_in_a_column_that_is_right_is_kept() -> None:
    rows = "".join(
        f"<li><h3>{said.title}</h3><i>{day}</i><b>{(said.seconds_low or 0) // 60} min</b></li>"
        for said, day in zip(FACTS, ("2021-03-02", "2021-04-06", "2018-05-09"), strict=False)
    )
    found = taken(f"<html><title>{NAME}</title><h1>{NAME}</h1><ul>{rows}</ul></html>", facts=FACTS)
    assert [said.published for said in found] == ["2021-03-02", "2021-04-06", "2018-05-09"]


def test_every_episode_of_one_title_keeps_its_entry() -> None:
    found = shelf("Letters | 9 March 2021 | 24 min", "Letters | 13 April 2021 | 25 min")
    assert [said.published for said in found] == ["2021-03-09", "2021-04-13"]


@pytest.mark.parametrize("marker", ["Replay: ", "Wiederholung – ", "【再放送】", "Bonus: ", "Tráiler | "])
def test_a_word_beside_a_title_that_makes_it_a_rerun_a_trailer_or_a_bonus_makes_it_no_known_episode(
    marker: str,
) -> None:
    found = shelf(f"{marker.replace('|', '/')}The Bridge, Part One: Rivets | 1 June 2021 | 43 min")
    assert "The Bridge, Part One: Rivets" not in [said.title for said in found]


@pytest.mark.parametrize("off, count", [(0, 5), (40, 0)])
def test_a_page_whose_entries_have_the_days_and_lengths_of_a_show_is_its_page_however_it_is_named(
    off: int, count: int
) -> None:
    facts = tuple(
        fact(f"The {word} Lathe", f"2021-0{n}-02", 20 + n)
        for n, word in enumerate(("Old", "Loud", "Lost", "Blue", "Last"), 1)
    )
    rows = "".join(
        f"<li><h3>{said.title}</h3><i>{said.published}</i><b>{(said.seconds_low or 0) // 60 + off} min</b></li>"
        for said in facts
    )
    page = f"<html><title>Episode list | Lathe Wiki</title><h1>Episode list</h1><ul>{rows}</ul></html>"
    assert len(taken(page, facts=facts)) == count


def test_when_data_was_last_worked_on_is_no_date_of_an_episode():
    items = [{"name": name, "datePublished": "2023-01-26", "dateModified": "2025-02-03"} for name in ("Rope", "Flour")]
    html = as_html([{"items": items}])
    assert html.count("2023-01-26") == 2
    assert "2025-02-03" not in html
