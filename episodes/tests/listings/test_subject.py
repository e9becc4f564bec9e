"""The show that is named over a list decides whose its entries are; titles are read whole or not at all."""

import pytest

from episodes.listings.any_site import parse as read
from episodes.records import EntryData, FetchedDocument, Show

from .report import OURS, known
from .test_any_site import NAME, ROWS, attached, list_of, taken

LISTED = "\n\n".join(f"{title}\n{day}" for title, day in ROWS)
# A show that has episodes like some of ours, on the same days, among others of its own.
ANOTHER = "\n\n".join([LISTED, *(f"Corner talk {n}\n{n} March 2022" for n in range(1, 6))])


@pytest.mark.parametrize(
    "top",
    [
        f"Radio\nShows\n{NAME}\nJAX Talks\nSign in\n\nKERNEL CORNER\nEvery week",
        f"{NAME}\nKernel Corner\nJAX Talks\n\nKernel Corner",
        f"{NAME} | JAX Talks | Kernel Corner\n\nKernel Corner",
        f"Shows: {NAME}, JAX Talks\n\nKernel Corner",
        f"Home > {NAME} > Kernel Corner\n\nKernel Corner",
        f"Kernel Corner\nHome\n{NAME}\nJAX Talks\nSign in",
        f"Kernel Corner\nInspired by {NAME}",
        f"{NAME}: Reloaded",
        f"Radio\n\n{NAME}\n\nJAX Talks\n\nKernel Corner",
        f"Radio\n{NAME}\nKernel Corner\nJAX Talks\nKernel Corner",
    ],
)
def test_a_name_in_a_menu_makes_no_page_of_a_list_of_which_most_is_unknown(top: str):
    assert attached(f"{top}\n\n{ANOTHER}") == []


@pytest.mark.parametrize(
    "top",
    [
        NAME, f"Podhub\nSearch\n{NAME}\nAll episodes",
        f"Podhub\nSearch\nLog in\n\n{NAME}\nTechnology\nFollow\n\nEpisodes",
        f"Podhub\n\n{NAME}\n\nEdward Yang\n\nTechnology\n\nAll Episodes", f"Home > Technology > {NAME}",
        f"~kit / links / {NAME}",
    ],
)  # fmt: skip
def test_a_name_over_the_list_is_one(top: str):
    assert sorted(attached(f"{top}\n\n{LISTED}")) == sorted(title for title, _ in ROWS)


@pytest.mark.parametrize(
    "title, top",
    [
        ("Kernel Corner", f"<ul><li>{NAME}</li><li>JAX Talks</li></ul>"),
        ("Kernel Corner – Radio", ""),
        ("Radio", f"<nav><a href='/1'>{NAME}</a> <a href='/2'>JAX Talks</a></nav><h1>Kernel Corner</h1>"),
        ("Radio", f"<aside><h2>{NAME}</h2><p>New!</p></aside><h1>Kernel Corner</h1>"),
        ("Radio", f"<header><img alt='Kernel Corner' src='/l.png'></header><ul><li>JAX Talks</li><li>{NAME}</li></ul>"),
        ("Radio", f"<div><a href='/1'>{NAME}</a> <a href='/2'>JAX Talks</a> <a href='/3'>Kernel Corner</a></div>"),
    ],
)
def test_a_page_of_another_show_with_our_titles_and_days_is_left_alone(title: str, top: str):
    page = list_of("Latest episodes").replace("<title>Latest episodes", f"<title>{title}")
    assert attached(page.replace("<h1>Latest episodes</h1>", top)) == []


@pytest.mark.parametrize(
    "form", ["{title}\nKernel Corner\n{day}", "{title}\n{day}\nA guest tells of it with a {n} in hand."]
)
def test_bylines_and_texts_of_others_speak_against_a_page_that_names_nothing(form: str):
    listed = "\n\n".join(form.format(title=title, day=day, n=n) for n, (title, day) in enumerate(ROWS))
    assert attached(f"Nice talks\n\n{listed}") == []


def test_a_page_that_names_no_show_at_all_is_read_for_the_one_that_a_person_names():
    page = FetchedDocument(f"Nice talks\n\n{LISTED}".encode())
    assert [(said.title, said.show) for said in read(page, OURS, known(), given=True).entries] == [
        (title, "") for title, _ in ROWS
    ]
    assert attached(f"Nice talks\n\n{LISTED}") == []


def test_one_text_under_several_titles_is_no_text():
    page = list_of(NAME).replace(
        "</article>", "<p>Every week a new conversation about all that matters to you.</p></article>"
    )
    assert [said.text for said in taken(page)] == [""] * len(ROWS)


COOKING = tuple(
    EntryData(title=title, published=day, number=int(title[1:3]))
    for title, day in (
        ("#12 The long winter", "2022-01-05"), ("#13 March on the capital, Part 1", "2022-01-12"),
        ("#14 March on the capital, Part 2", "2022-01-19"), ("#16 90 minutes in Vienna", "2022-05-10"),
        ("#18 The world we live in", "2022-05-24"), ("#19 December 7, 1941", "2022-06-01"),
    )
)  # fmt: skip


def test_titles_in_everyday_words_are_read_whole():
    show = Show("salt", "Salt and Bread", author="Ines Okoye")
    rows = [(said.title[4:], said.published) for said in COOKING]
    news = [("The bread that changed 1790", "2022-07-01"), ("A goose to believe in", "2022-07-08")]
    text = "Salt and Bread\n\n" + "\n\n".join(f"{title}\n{day}" for title, day in [*rows, *news])
    wanted = [*((said.title, said.published) for said in COOKING), *news]
    assert [(s.title, s.published) for s in read(FetchedDocument(text.encode()), show, COOKING).entries] == wanted
    items = "".join(
        f"<li><a href='/{n}'>{t}</a><p>{day} · 31 min</p></li>" for n, (t, day) in enumerate([*rows, *news])
    )
    page = f"<!doctype html><html><head><title>Salt and Bread</title></head><body><ul>{items}</ul></body></html>"
    assert [(s.title, s.published) for s in read(FetchedDocument(page.encode()), show, COOKING).entries] == wanted


def cards(eyebrows: list[str]) -> str:
    """A page of a broadcaster with a card for each entry, under one of these lines."""
    shown = "".join(
        f"<div class='card'><a href='/{n}'><div class='eyebrow'>{line}</div><h3>{title}</h3><p>{day}</p></a></div>"
        for n, (line, (title, day)) in enumerate(zip(eyebrows, ROWS, strict=True))
    )
    return f"<!doctype html><html><head><title>Radio</title></head><body><h1>{NAME}</h1>{shown}</body></html>"


def test_another_name_in_the_place_of_the_shows_is_another_shows():
    rest = [title for title, _ in ROWS[2:]]
    found = attached(cards(["Studio Talks", "Studio Notes", *[NAME] * len(rest)]))
    assert sorted(found) == sorted(rest)


def test_the_number_of_an_article_among_its_classes_makes_no_other_kind_of_row():
    rows = [*ROWS[:1], ("We have moved to another studio", "12 May 2022"), *ROWS[1:]]
    shown = "".join(
        f"<article class='post post-{n}'><header><h2><a href='/{n}'>{title}</a></h2></header><div>{day} by "
        f"<a href='/ann'>Ann</a></div><footer>Filed under <a href='/talks'>Talks</a></footer></article>"
        for n, (title, day) in enumerate(rows, 70)
    )
    page = f"<!doctype html><html><head><title>{NAME}</title></head><body><h1>{NAME}</h1>{shown}</body></html>"
    assert set(attached(page)) >= {title for title, _ in ROWS}


def test_names_of_shows_below_the_list_in_elements_of_their_own_are_no_entries():
    shown = "".join(
        f"<article class='row episode'><div><h3><a href='/{n}'>{title}</a></h3><p>{day}</p></div></article>"
        for n, (title, day) in enumerate(ROWS[1:])
    )
    for kind, count in (("row series", 0), ("row episode", 1)):
        series = f"<article class='{kind}'><div><h3><a href='/s'>{ROWS[0][0]}</a></h3></div></article>"
        page = f"<!doctype html><title>{NAME}</title><body><h1>{NAME}</h1><section>{shown}{series}</section></body>"
        assert attached(page).count(ROWS[0][0]) == count


@pytest.mark.parametrize("others, count", [(12, 4), (13, 0)])
def test_a_list_that_names_no_show_is_ours_where_one_title_in_four_is(others: int, count: int):
    rows = [*ROWS, *((f"Corner talk {n}", "3 March 2022") for n in range(others))]
    items = "".join(
        f"<article><h3><a href='/{n}'>{title}</a></h3><p>{day}</p></article>" for n, (title, day) in enumerate(rows)
    )

    def ours(page: str) -> int:
        found = read(FetchedDocument(page.encode()), OURS, known(), given=True).entries
        return sum(said.title in dict(ROWS) for said in found)

    page = f"<!doctype html><html><head><title>Nice talks</title></head><body>{items}</body></html>"
    assert ours(page) == count
    # With its name over the list it is the show's, and lines of text are all of one kind.
    assert ours(page.replace("<body>", f"<body><h1>{NAME}</h1>")) == len(ROWS)
    assert ours("Nice talks\n\n" + "\n\n".join(f"{title}\n{day}" for title, day in rows)) == len(ROWS)
