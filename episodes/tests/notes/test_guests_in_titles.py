"""A show's titles name its guests where its notes say so."""

import pytest

from episodes.notes.people import people
from episodes.notes.people_named import names_in_title
from episodes.records import Decisions, EntryData, Show, SourceEntry
from episodes.resolve.catalog import resolve
from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth

SHOW = Show("s", "Talks of the Mill")


def guests_of(episodes, author="", authors=()):
    """The guests of each episode, given as title and notes, by the catalog of their show."""
    authors = [*authors, *[author] * len(episodes)]
    entries = [
        SourceEntry(
            "feed", "d", f"k{place}", place, EntryData(title=title, text=text, author=authors[place]), rank=1, url="u"
        )
        for place, (title, text) in enumerate(episodes)
    ]
    found = {episode.merged.title: episode.people for episode in resolve(entries, Decisions(), SHOW, []).episodes}
    return [sorted(f"{credit.role} {credit.full_name}" for credit in found[title]) for title, _ in episodes]


TALKS = [
    ("Talk 1: Ana Roe - Looms", "An interview with Ana Roe about weaving."),
    ("Talk 2: Bo Ek – Springs", "Our guest is Bo Ek, who makes clocks."),
    ("Talk 3: Cy Lund And Di Voss - Tiles", "We talk to Cy Lund and Di Voss."),
    ("Talk 4: Ed Rask - Felt", "Ed Rask has felted hats since he was nine."),
    ("Talk 5: Stone Bridges - Part 2", "How stone bridges are built, and who built them."),
    ("Talk 6: Fay Ost - Glue", "What holds a chair together."),
    ("Talk 7: Iron Works - Rails", "Iron is forged in iron works, and rolled."),
    ("Talk 8: Gus Hald - Rope", "Gus Hald joins us with a rope."),
]


def test_the_place_where_titles_name_the_guests_of_the_notes_is_the_guests():
    assert guests_of(TALKS) == [
        ["guest Ana Roe"], ["guest Bo Ek"], ["guest Cy Lund", "guest Di Voss"], ["guest Ed Rask"], [], ["guest Fay Ost"], [], ["guest Gus Hald"],
    ]  # fmt: skip


def told(count, start=0, text="A mill of {}."):
    """Titles and notes with a name in one place, of whom nothing says that they are heard."""
    names = [f"{first} {last}" for first in FIRST for last in LAST][start : start + count]
    return [(f"Life: {name} – Looms", text.format(name)) for name in names]


FIRST = ("Ida", "Jan", "Kai", "Liv", "Moa")
LAST = ("Falk", "Holm", "Birk", "Dahl")
LONG = "On wool and felt. " * 9  # 162 letters, so that what follows does not open the notes
BARE = [(f"Clay {place}", f"On clay and glaze, number {place}.") for place in range(30)]
GUEST = ("Life: Bo Ek – Looms", "Guest: Bo Ek")


def test_titles_name_no_guests_where_the_notes_of_few_agree():
    lives = told(len(LIVES))
    assert guests_of(lives) == [[]] * len(LIVES)
    same = [(title.replace("Life:", "Talk 9:"), text) for title, text in told(5)]
    assert guests_of([*same[:3], *TALKS[:2], *BARE])[:3] == [[]] * 3
    assert guests_of([*same, *TALKS[:3], *BARE])[:5] == [[]] * 5  # four names of nine
    assert guests_of([*same[:4], *TALKS[:3], *BARE])[:4] == [[f"guest Ida {last}"] for last in LAST]


@pytest.mark.parametrize(
    "count, others, heard",
    [
        (3, 9, True), (3, 10, False), (4, 12, True), (4, 13, False), (8, 24, True), (8, 25, False),  # OFTEN, of all with the one that has a guest
        (2, 0, False), (2, 4, False), (3, 0, True),  # HABIT
    ],
)  # fmt: skip
def test_a_place_where_a_quarter_of_titles_name_people_is_the_guests_of_a_show_that_has_some(count, others, heard):
    named = told(count - 1)  # beside the guest
    found = guests_of([*named, GUEST, *BARE[:others]])
    assert found[count - 1] == ["guest Bo Ek"]
    assert found[: count - 1] == [[f"guest {title[6:-8]}"] if heard else [] for title, _ in named]
    assert guests_of([*named, *BARE[: others + 1]])[: count - 1] == [[]] * (count - 1)  # a place without guests


def test_a_known_first_name_is_enough_in_the_place_of_guests():
    assert guests_of([*told(3, text="A mill."), GUEST])[:3] == [[f"guest Ida {last}"] for last in LAST[:3]]
    nobody = [(title.replace("Ida", "Zyggax"), text) for title, text in told(3, text="A mill.")]
    assert guests_of([*nobody, GUEST])[:3] == [[]] * 3


def test_a_title_that_is_a_name_alone_may_be_that_of_a_film():
    films = [(f"Film {place}: {name}", "We watch it again.") for place, name in enumerate(LIVES)]
    assert guests_of([*films, FELT])[: len(films)] == [[]] * len(films)
    assert guests_of([*((f"{title} talks", text) for title, text in films), FELT])[0] == ["guest Ida Falk"]


def test_an_episode_about_that_of_another_show_has_not_its_guest():
    about = ("The Loom Hour – Ana Roe", "The hour with Ana Roe is the most heard one of all.")
    assert guests_of([about, GUEST, *BARE])[0] == []


def test_one_person_in_the_titles_of_many_episodes_is_their_subject():
    parts = [(f"Finding Ida Falk: {word}", "A mill.") for word in LAST]
    assert guests_of([*parts, FELT])[:4] == [[]] * 4


def test_nobody_of_whom_the_title_of_a_show_speaks_is_its_guest():
    assert {one.name for one in people("Guest: Di Mill", "", (), SHOW)} == {"Di Mill"}
    show = Show("s", "The Di Mill Hour")
    assert people("Guest: Di Mill", "", (), show) == ()


@pytest.mark.parametrize("word, heard", [("ile", ["guest Ana Roe"]), ("kanssa", ["guest Ana Roe"]), ("ilex", [])])
def test_with_may_stand_behind_a_name(word, heard):
    assert guests_of([(f"Ana Roe {word} Mäki Tyyni", "Ana Roe."), ("Felt", "")])[0] == heard


def test_titles_of_another_place_are_not_of_it():
    assert guests_of([*told(3, text="A mill of {}’s."), GUEST])[0] == ["guest Ida Falk"]
    ways = zip(("Wool", "Felt", "Tar"), told(3, text=f"{LONG}A mill of {{}}."), strict=True)
    others = [(title.replace("Life", way), text) for way, (title, text) in ways]
    assert guests_of([*others, GUEST])[:3] == [[]] * 3


LIVES = ("Ida Falk", "Jan Holm", "Kai Birk", "Liv Dahl", "Moa Eng", "Nils Berg", "Olga Strand")


def test_the_order_of_a_shows_episodes_has_no_part_in_it():
    assert guests_of(TALKS[::-1]) == guests_of(TALKS)[::-1]


def test_names_that_stand_elsewhere_in_the_titles_are_left_alone():
    titles = ["Ana Roe: Looms", "Bo Ek: Springs", "Cy Lund: Tiles", "Felt: Ed Rask"]
    texts = [f"{name} joins us." for name in ("Ana Roe", "Bo Ek", "Cy Lund")] + [f"{LONG} Ed Rask."]
    assert guests_of([*zip(titles, texts, strict=True)])[-1] == []


@pytest.mark.parametrize(
    "title, text, guests",
    [
        ("Maps with Ana Roe and Bo de Wit", "Ana Roe and Bo de Wit draw maps.", ["Ana Roe", "Bo de Wit"]),
        ("Clouds with Bo Ek of Nimbus (#7)", "By Bo Ek.", ["Bo Ek"]),
        ("Clouds with Bo Ek", "About clouds.", []),
        ("Working with Visual Scripts", "Visual Scripts are new.", []),
        ("Working with Ana Roe", "Ana Roe weaves.", []),
        ("Everything with Ana Roe", "Ana Roe weaves.", ["Ana Roe"]),
        ("An evening with Ana Roe", "Ana Roe weaves.", ["Ana Roe"]),
        ("Morning with Ana Roe", "Ana Roe weaves.", ["Ana Roe"]),
        ("With Bo", "Bo is here.", []),
        ("Cloud Days: Ana Roe", "Ana explains how clouds are made.", ["Ana Roe"]),
        ("Ana Roe", "In her session, Ana will talk about clouds.", ["Ana Roe"]),
        ("Ana Roe & Bo Ek", "Ana and Bo talk about clouds.", ["Ana Roe", "Bo Ek"]),
        ("Ana Roe & Bo Ek", "Ana talks, and then Bo explains.", ["Ana Roe", "Bo Ek"]),
        ("Wolken - Ana Roe", "Ana Roe erzählt von Wolken.", ["Ana Roe"]),
        ("Nubes – Ana Roe", "Ana nos cuenta cómo nacen las nubes.", ["Ana Roe"]),
        ("Ana Roe and the Sea", "A life of Ana Roe, who talked to nobody.", []),
        ("Loom Hour with Bo Ek: Clouds", "Bo Ek, who weaves.", []),
        ("Loom Hour with Bo Ek – Clouds", "Bo Ek, who weaves.", []),
        ("Loom Hour with Bo Ek – Episode 4", "Bo Ek, who weaves.", ["Bo Ek"]),
        ("Loom Hour with Bo Ek (Part 2)", "Bo Ek, who weaves.", ["Bo Ek"]),
        ("Loom Magic With Bo Ek", "Bo Ek, the maker of Loom, joins us.", ["Bo Ek"]),
        ("Looms with Rope Walk", "Rope Walk is old. We were at a rope walk.", []),
        ("Book 7: The Ana Roe", "Ana Roe explains.", []),
        ("Book 7: Ana Roe", "Ana Roe explains.", ["Ana Roe"]),
        ("Book 7: Zyggax Roe", "Zyggax Roe explains.", []),  # no first name
        ("The looms of Ana Roe", "Ana Roe explains.", []),
        ("Loom 7: Bo Ek's Iron Arms", "Bo builds Iron Arms.", []),  # no "s", which is "with" in Czech
        ("Loom 7: Bo Ek s Iron Arms", "Bo builds Iron Arms.", ["Iron Arms"]),
        ("Cloud Days: Ana Roe-Lund", "Roe-Lund, a weaver of wool, explains how.", ["Ana Roe-Lund"]),
        ("Looms with 王小明", "王小明 weaves.", ["王小明"]),
        ("Quiet Rooms with Ana Roe, Bo Ek", "Ana Roe and Bo Ek build them.", ["Ana Roe", "Bo Ek"]),
        ("Telai, insieme a Ana Roe", "Ana Roe tesse.", ["Ana Roe"]),
        ("Quiet Rooms (with J. B. Roe)", "J. B. Roe builds them.", ["J. B. Roe"]),
        ("Quiet Rooms, with Prof. Ana Roe", "Ana Roe builds them.", ["Ana Roe"]),
        ("Лёд с Марией Соколовой", "Марк Соколов бурит лёд.", []),
        ("Лёд с Никой Соколовой", "Ника Соколова бурит лёд.", ["Ника Соколова"]),
        ("Лёд с Марией Соколовой", "Марией Соколовой пробурён лёд.", ["Марией Соколовой"]),
        ("Rozmowa z Tomaszem Rekiem", "Tomasz Rek tka.", ["Tomasz Rek"]),
        ("Rozmowa z Tomaszem Rekiem", "Tomasz Reks tka.", []),
        ("Rozmowy z Adą Roe: Mgła", "Roe opowiada o mgle.", ["Adą Roe"]),
        ("Rozmowa o Tomaszu Reku", "Tomasz Rek tka.", []),  # about him
    ],
)
def test_whom_the_notes_let_speak_is_heard(title, text, guests):
    assert [name.name for (name, *_), field in names_in_title(title, text) if field == "title"] == guests


def test_things_behind_with_are_no_guests_where_people_stand_there():
    talks = [(f"Looms with {name}", f"We talk to {name}.") for name in LIVES[:3]]
    things = ["Getting Started with Cast Iron", "Cooking with Cast Iron", "Dealing with Cast Iron"]
    notes = "All about Cast Iron. And Cast Iron is everywhere."
    assert guests_of([*talks, *((title, notes) for title in things)])[3:] == [[]] * 3


def test_a_feed_that_lists_the_guests_has_named_them_all():
    listed = [("Ada Pask", "guest", "")]
    assert [c.name for c in people("Lester is here.", "", listed, SHOW)] == ["Ada Pask"]


def test_the_authors_of_recommended_shows_are_nobody():
    recommended = ["Mill Diaries", "The Mill Show", "Radio Mill", "In Our Mill"]
    titles = [(f"{name} – Looms", f"We recommend {place}.") for place, name in enumerate(recommended)]
    assert guests_of(titles, authors=recommended) == [[]] * 4


@pytest.mark.parametrize("piece", ["Ada Roe ", "Ada Roe, ", "with ", "Ada talks ", "(", "– "])
def test_work_for_a_long_title_grows_evenly(piece):
    def read(length):
        text = piece * (length // len(piece))
        list(names_in_title(text, text))

    assert_even_growth(read, SHORTEST_TEXT)


@pytest.mark.parametrize(
    "author, hosts",
    [("Les Moulins Verts", []), ("moulins verts", []), ("Moulins Bleus", ["Moulins Bleus"]), ("Verts", [])],
)
def test_a_show_that_is_its_own_author_has_no_host(author, hosts):
    entry = SourceEntry("feed", "d", "k", 1, EntryData(title="Talk"), rank=1, url="u")
    show = Show("s", "Les Moulins Verts", author=author)
    (episode,) = resolve([entry], Decisions(), show, []).episodes
    assert [credit.full_name for credit in episode.people] == hosts


def test_whom_the_notes_let_speak_by_a_pronoun_is_perhaps_long_dead():
    lives = [(f"Life {place}: {name}", f"{name} wove. She explains how.") for place, name in enumerate(LIVES)]
    assert guests_of(lives) == [[]] * len(LIVES)


def test_who_is_behind_with_where_three_others_are_guests_is_one_without_notes():
    talks = [(f"Talk with {name}", f"{name} weaves.") for name in ("Ana Roe", "Bo Ek", "Cy Lund")]
    bare = ("Tar with Di Voss", "How to boil it.")
    assert guests_of([*talks, bare])[3] == ["guest Di Voss"]
    assert guests_of([talks[1], bare, BARE[0]])[1] == []
    assert guests_of([*talks, ("Getting started with Cast Iron", "How to boil it.")])[3] == []


FELT = ("Felt", "Guest: Bo Ek")
# In whose notes somebody opens, but not first.
OPENED = [(f"Wool {name}", f"Ida Falk weaves. {name} explains how.") for name in ("Jan Holm", "Liv Dahl")]


@pytest.mark.parametrize(
    "title, text, heard",
    [
        ("Ana Roe: Looms", "Ana Roe weaves wool.", ["guest Ana Roe"]),
        ("Ana Roe: Looms", "Wool. " * 23 + "By the loom Ana Roe weaves.", []),  # the 150th letter
        ("Ana Roe: Looms", "Wool. " * 23 + "By looms Ana Roe weaves.", ["guest Ana Roe"]),
        ("Ana Roe: Looms", "A weaver of wool.", []),
        ("Zyggax Roe: Looms", "Zyggax Roe weaves wool.", []),  # no first name
        ("Ana Roe: Looms", "Wool of Ana Roe is sold.", []),  # a thing of hers
        ("Ana Roe: Looms", "Wool of Ana Roe is sold by Ana Roe.", []),
        ("Summer Looms: Wool", "Summer Looms are built in summer.", []),
        ("Ana Roe Returns: Looms", "Ana Roe weaves wool.", ["guest Ana Roe"]),
        ("Looms with Ana Roe", "Looms with Ana Roe\nA weaver of wool.", []),  # said again
        ("Wool with Ida and Ana Roe", "Ida Roe spins, and Ana Roe weaves.", ["guest Ana Roe"]),
    ],
)
def test_a_person_of_the_title_whom_the_notes_begin_with_is_heard_in_a_show_with_guests(title, text, heard):
    assert guests_of([(title, text), FELT, *OPENED])[0] == heard


@pytest.mark.parametrize("name, noted", [("Ana Roe Returns", "Ana Roe"), ("Ana Roe da Penha", "Ana Roe da Penha")])
def test_a_capital_behind_a_name_that_notes_do_without_is_none_of_it(name, noted):
    assert {told.name.name for told, _ in names_in_title(f"{name}: Looms", "Ana Roe weaves.")} == {noted}


def test_a_person_whom_the_notes_call_by_the_first_name_is_no_subject():
    def heard(text):
        talks = [(f"{n}: {name}", LONG + text.format(*name.split())) for n, name in enumerate(LIVES[:3])]
        return guests_of([*talks, FELT])[:3]

    assert heard("{0} weaves.") == [[f"guest {name}"] for name in LIVES[:3]]
    assert heard("{0} weaves. {1} sells.") == [[]] * 3  # the surname as well
    assert heard("{0}a weaves.") == [[]] * 3
    assert heard("They weave.") == [[]] * 3


def test_an_article_may_stand_between_with_and_a_guest():
    titles = [("Lã, com o Prof. Rui Teles", "Rui Teles fia."), ("Com olho Rui Teles", "A lã de Rui Teles.")]
    assert guests_of(titles) == [["guest Rui Teles"], []]


def test_the_words_that_lead_to_guests_do_so_in_titles_too():
    titles = [("Gäst: Ana Roe", "Ana Roe väver mattor."), ("A talk with biologist Cy Lund", "Biologist Cy Lund dives.")]
    assert guests_of(titles) == [["guest Ana Roe"], ["guest Cy Lund"]]
    assert guests_of([("Interview: Bo Ek", "On clocks."), ("Felt", "On felt.")]) == [[], []]


def test_names_of_another_case_that_the_notes_do_not_have_are_nobodys():
    for word, heard in (("z", []), ("с", []), ("with", ["guest Tomaszem Rekiem"]), ("med", ["guest Tomaszem Rekiem"])):
        talks = [(f"Rozmowa {word} {name}", "O tkaniu.") for name in ("Tomaszem Rekiem", "Adą Roem", "Bo Ekiem")]
        assert guests_of([*talks, GUEST])[0] == heard
