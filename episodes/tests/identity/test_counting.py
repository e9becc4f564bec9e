"""The numbers by which titles count: where they are believed, and what they are to declared ones."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from episodes.fields import NUMBER
from episodes.identity.counting import counted, title_counts, uncounted_in
from episodes.identity.match_keys import MatchKeys
from episodes.identity.merging import merge
from episodes.records import Merged, SourceEntry
from episodes.text.numbering import counts_in, numbers_of

from ..resolve.build import SHOW, entry

FIRST = datetime(2019, 1, 6, 8, tzinfo=UTC)
WORDS = "Glass Looms Salt Owls Bread Mist Clay Kites Moss Nets Oars Reeds".split()
Said = dict[str, Any]


def weekly(*titles: str, step: int = 7, said: dict[int, Said] | None = None, **all_say: Any) -> list[SourceEntry]:
    """An entry a week, the oldest first; `said` is what some declare, by place."""
    dates = [f"{FIRST + timedelta(days=step * place):%Y-%m-%dT%H:%M:%SZ}" for place in range(len(titles))]
    return [
        entry(title, published=date, key=str(place), **all_say, **(said or {}).get(place, {}))
        for place, (title, date) in enumerate(zip(titles, dates, strict=True))
    ]


def merged(entries: list[SourceEntry], **overrides: str) -> list[Merged]:
    counts = title_counts([[one] for one in entries])
    return [merge([counted(one, MatchKeys(one.said, SHOW), counts)], overrides) for one in entries]


def numbers(entries: list[SourceEntry]) -> list[int | None]:
    return [one.number for one in merged(entries)]


def titles(form: str, first: int, end: int) -> list[str]:
    return [form.format(n=n, word=WORDS[n % len(WORDS)]) for n in range(first, end)]


FORMS = [
    "Episode {n}",
    "Ep. {n} {word}",
    "Ep.{n}: {word}, part 2",
    "#{n} {word}",
    "{n}: {word}",
    "{n} – {word}",
    "{n}. {word}",
    "{n:03} {word}",
    "KP #{n}: {word}",
    "Folge {n}: {word}",
    "Выпуск {n}. {word}",
    "第{n}回 {word}の話",
    "{word} ({n})",
    "{word} #{n}",
    "The Tidal Show – Episode {n} – {word}",
    "{word} | Avsnitt {n}",
]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_go_up_with_the_dates_are_those_of_the_episodes(form: str) -> None:
    entries = weekly(*titles(form, 47, 52))
    assert numbers(entries) == [47, 48, 49, 50, 51]
    assert numbers(entries[:4]) == [None] * 4  # a habit takes five titles
    assert numbers([*reversed(weekly(*titles(form, 47, 52)[::-1]))]) == [None] * 5


@pytest.mark.parametrize("form", ["{}:8 {}", "{}/8 – {}", "{1} ({0} of 8)", "{1} | {0} von 8", "{1}, {0}/8"])
def test_a_title_that_says_which_of_how_many_counts(form: str) -> None:
    assert numbers(weekly(*(form.format(n, WORDS[n]) for n in range(1, 9)))) == [*range(1, 9)]


def test_a_season_before_which_of_how_many_is_that_of_the_number() -> None:
    first, second = ([form.format(n, WORDS[n]) for n in range(1, 6)] for form in ("{}:5 {}", "Sæson 2, {}:5 {}"))
    found = merged(weekly(*first, *second))
    assert [(one.season, one.number) for one in found] == [(season, n) for season in (None, 2) for n in range(1, 6)]


def test_tens_of_a_season_count_without_a_mark_where_its_first_ones_do() -> None:
    found = merged(weekly(*(f"3x{n:02} {WORDS[n % 12]}" for n in range(1, 22))))
    assert [(one.season, one.number) for one in found] == [(3, n) for n in range(1, 22)]
    assert numbers(weekly("2x12 planks", "4x10 planks", "2x16 beams", "Oak", "Elm")) == [None] * 5


@pytest.mark.parametrize("form", ["Open 24/{}: {}", "{}:30 {}", "1/{} {}", "{}/12/2019 {}"])
def test_hours_days_and_odds_are_no_parts_of_a_whole(form: str) -> None:
    assert numbers(weekly(*(form.format(n, WORDS[n]) for n in (9, 3, 7, 1, 8, 2)))) == [None] * 6


SEASONS = [f"1.{n:02} – {WORDS[n]}" for n in range(1, 9)] + [f"2.{n:02} – {WORDS[n]}" for n in range(1, 4)]


@pytest.mark.parametrize("form", ["{}", "The Tidal Show {}"])
@pytest.mark.parametrize("sign", [".", "x"])
def test_a_season_and_two_digits_count_in_it(form: str, sign: str) -> None:
    found = merged(weekly(*(form.format(title.replace(".", sign)) for title in SEASONS)))
    assert [(one.season, one.number) for one in found] == [*((1, n) for n in range(1, 9)), *((2, n) for n in (1, 2, 3))]


def test_season_and_number_take_five_titles_and_a_sign_behind() -> None:
    assert numbers(weekly(*SEASONS[:4])) == [None] * 4
    assert numbers(weekly(*(title.replace(" –", "") for title in SEASONS))) == [None] * 11


def test_a_declared_season_stays_beside_a_number_of_its_title() -> None:
    (first, *_) = merged(weekly(*SEASONS, said={0: {"season": 7, "number": 9}}))
    assert (first.season, first.number) == (7, 9)


def test_days_and_months_count_nothing() -> None:
    days = [f"{(FIRST + timedelta(days=7 * n)):%d.%m} – {word}" for n, word in enumerate(WORDS[:8])]
    assert numbers(weekly(*days)) == [None] * 8


@pytest.mark.parametrize(
    "title",
    ["8½: owls", "#490½", "# 8 bis – owls", "(8 ter)", "#1217-A", "5 tips", "24/7 news", "2.0: what is new", "100th show", "The 100th", "3D glass", "1,000 owls", "90% of it", "Mist",
     "12 owls", "11:30 in the hall", "2021-03-04"],
)  # fmt: skip
def test_other_numbers_count_nothing(title: str) -> None:
    assert not [(lead, n) for lead, _, n in counts_in(title) if lead in ("", "#", "(")]


@pytest.mark.parametrize(
    "titled, declared",
    [
        (["2023: a year", "24: the series", "Top 10 owls", "Part 2"], {}),
        (["Extra"], {0: {"episode_type": "bonus"}}),
        (["8: a bonus"], {0: {"episode_type": "bonus"}}),
        (["8: a trailer"], {0: {"episode_type": "trailer"}}),
        (["3: again", "7: again"], {}),  # a rerun
    ],
)
def test_a_title_that_does_not_fit_in_has_no_number(titled: list[str], declared: dict[int, Said]) -> None:
    every = [*titles("{n}: {word}", 1, 31), *titled, *titles("{n}: {word}", 31, 61)]
    entries = weekly(*every, said={30 + place: own for place, own in declared.items()})
    assert numbers(entries) == [*range(1, 31), *[None] * len(titled), *range(31, 61)]


def test_of_two_that_have_a_number_it_is_that_of_the_first() -> None:
    every = [*titles("Ep. {n}: {word}", 1, 9), "Ep. 8 extra: Sea", *titles("Ep. {n}: {word}", 9, 12), "Ep. 11: again"]
    assert numbers(weekly(*every)) == [*range(1, 9), None, *range(9, 12), None]


@pytest.mark.parametrize("jump, last", [(6, 66), (7, None)])
def test_the_newest_number_is_at_most_five_too_far(jump: int, last: int | None) -> None:
    every = [*titles("{n}: {word}", 1, 61), f"{60 + jump}: Sea"]
    assert numbers(weekly(*every))[-1] == last
    # Two that follow each other may come behind a gap.
    assert numbers(weekly(*every, f"{61 + jump}: Sky"))[-2:] == [60 + jump, 61 + jump]


@pytest.mark.parametrize("numbered, counts", [(6, True), (5, False)])
def test_half_of_the_titles_have_numbers(numbered: int, counts: bool) -> None:
    parts = titles("Part {n}: {word}", 1, numbered + 1)
    assert any(numbers(weekly(*parts, *WORDS[:6]))) == counts


@pytest.mark.parametrize("wrong, counts", [(3, True), (4, False)])
def test_one_and_a_tenth_may_be_other_numbers(wrong: int, counts: bool) -> None:
    every = [*titles("Ep. {n}", 1, 21), *["Ep. 2"] * wrong]
    assert any(numbers(weekly(*every))) == counts


@pytest.mark.parametrize(
    "form, first, step, counts",
    [
        ("Talks of {n}", 2013, 365, False),
        ("Talks of {n}", 2040, 365, True),
        ("January {n}", 7, 1, False),
        ("January {n}", 9, 1, True),
    ],
)
def test_years_and_days_are_dates(form: str, first: int, step: int, counts: bool) -> None:
    assert any(numbers(weekly(*titles(form, first, first + 6), step=step))) == counts


@pytest.mark.parametrize("years, counts", [(3, True), (4, False), (5, False)])
def test_numbers_count_where_fewer_than_half_are_of_their_dates(years: int, counts: bool) -> None:
    """Three of seven titles are fewer than half, four are not."""
    every = [*range(2029, 2029 + years), *range(2100, 2107 - years)]
    assert any(numbers(weekly(*(f"Talks of {n}" for n in every), step=365))) == counts


FILES = [
    "https://a.example/show/owls-{n:03}.mp3",
    "https://a.example/r.mp3/b.example/{n}.m4a?id=7",
    "https://a.example/S1-Ep{n}_final.mp3",
]


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("declared", [True, False])
def test_the_numbers_of_audio_files_count_where_five_are_known_to_be_those(form: str, declared: bool) -> None:
    def shown(known: int, first: int = 1) -> list[int | None]:
        every = [*WORDS, *(WORDS if declared else titles("Ep. {n}", 13, 25))]
        said: dict[int, Said] = {n: {"audio_url": form.format(n=n + first)} for n in range(24)}
        for n in range(12, 12 + known):
            said[n] |= {"number": n + 1} if declared else {}
        return numbers(weekly(*every, said=said))

    assert shown(5) == [*range(1, 25)]
    if declared:
        assert shown(4)[:12] == [None] * 12
    assert shown(12, first=2)[:12] == [None] * 12  # a file for each, also for the trailer


@pytest.mark.parametrize(
    "others, title, shown",
    [(WORDS, "Top 10: owls", None), (WORDS[:1], "Ep. 10: owls", 10), (titles("Ep. {n}", 1, 11), "Ep. 10: more", None)],
)
def test_a_page_repeats_the_number_of_a_title_that_does_not_count(
    others: list[str], title: str, shown: int | None
) -> None:
    entries = weekly(*others, title)
    counts = title_counts([[one] for one in entries])
    group = [entries[-1], entry(title, source="page", number=10, own=False)]
    uncounted = uncounted_in(group, counts)
    assert merge([counted(one, MatchKeys(one.said, SHOW), counts, uncounted) for one in group], {}).number == shown


def test_numbers_restart_with_the_season() -> None:
    every = [*titles("Episodio {n}", 1, 9), *titles("Episodio {n}", 1, 9)]
    seasons = {place: {"season": 1 + place // 8} for place in range(16)}
    assert numbers(weekly(*every, said=seasons)) == [*range(1, 9)] * 2
    assert not any(numbers(weekly(*every)))
    assert not [*counts_in("S1 E4: Owls")]


def test_a_declared_number_and_a_curators_win() -> None:
    entries = weekly(*titles("Ep. {n}", 1, 13), said={6: {"number": 70}})
    found = merged(entries)
    assert [one.number for one in found] == [*range(1, 7), 70, *range(8, 13)]
    assert (found[0].provenance["number"].source, found[0].provenance["number"].agree) == ("feed", ("feed",))
    by_hand = merged(entries, number="99")[3]
    assert (by_hand.number, by_hand.provenance["number"].locked) == (99, True)
    assert by_hand.provenance["number"].others == (("4", ("feed",)),)


@pytest.mark.parametrize("others, counts", [(2, True), (3, False)])
def test_declared_numbers_that_contradict_titles_are_no_count(others: int, counts: bool) -> None:
    entries = weekly(*titles("Ep. {n}", 1, 13), said={place: {"number": place + 50} for place in range(others)})
    assert (numbers(entries)[-1] == 12) == counts


def test_only_dated_entries_of_own_sources_count() -> None:
    every = titles("Ep. {n}", 1, 7)
    assert not any(numbers(weekly(*every, own=False)))
    assert numbers([*weekly(*every), entry("Ep. 7", key="7")]) == [*range(1, 7), None]
    assert NUMBER.value_in(weekly(*every)[0].said) is None


@pytest.mark.parametrize(
    "title, found",
    [("S2 E5: Owls", [(2, 5)]), ("Ep. 5: 7 owls", [(None, 5)]), ("Owls", []), ("5: Owls (2)", [(None, 5), (None, 2)])],
)
def test_the_numbers_that_a_title_says(title: str, found: list[tuple[int | None, int]]) -> None:
    assert [*numbers_of(title)] == found
