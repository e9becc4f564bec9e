"""Credits come from fields, labels, phrases and titles, nobody else is credited, and they are of one person or several."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from episodes.notes.credits import (
    DeclaredPeople,
    PersonCredit,
    blank_sentences_linking_other_episodes,
    credits_in_text,
    episode_credits,
)
from episodes.notes.person_identity import person_slug, unified_identity_by_identity
from episodes.records import Show
from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth, assert_even_growth_for_text

CASES = tomllib.loads((Path(__file__).parents[1] / "data" / "credits.toml").read_text("utf-8"))
Person = tuple[str, str, str]


def read(
    text: str = "",
    title: str = "",
    people: Sequence[Person] = (),
    authors: Sequence[str] = (),
    show_people: Sequence[Person] = (),
    **of_show: Any,
) -> list[PersonCredit]:
    show = Show("small-talks", "Small Talks", people=tuple(show_people), **of_show)
    declared = DeclaredPeople(people, authors)
    return [*episode_credits(declared, title, credits_in_text(text, show), show)]


def test_evidence_has_no_blanks_of_addresses():
    (credit,) = read("Host: Ada Roe (https://looms.example/ada)", title="Looms")
    assert credit.evidence == "Host: Ada Roe"
    (guest,) = read("An hour about looms, with special guest Bo Ek.")
    assert guest.name == "Bo Ek"
    (guest,) = read("See https://looms.example where Ada Roe joins me.")
    assert guest.evidence == "See where Ada Roe joins me."


def in_words(credited: Sequence[PersonCredit]) -> list[str]:
    lines = []
    for credit in credited:
        handle = f" @{credit.handle}" if credit.handle else ""
        lines.append(f"{credit.role} {credit.name}{handle}")
    return lines


@pytest.mark.parametrize("case", CASES["notes"], ids=lambda case: case["text"][:40])
def test_labels_and_phrases_credit_people(case: dict[str, Any]) -> None:
    assert in_words(read(case["text"], language=case.get("language", "en"))) == case["credits"]


@pytest.mark.parametrize("case", CASES["titles"], ids=lambda case: case["title"])
def test_titles_credit_guests(case: dict[str, Any]) -> None:
    authors = [case["author"]] if "author" in case else []
    credited = read(title=case["title"], authors=authors, language=case.get("language", "en"))
    assert in_words(credited) == case["credits"]


@pytest.mark.parametrize("case", CASES["authors"], ids=lambda case: case["author"])
def test_authors_are_hosts(case: dict[str, Any]) -> None:
    values = {key: case[key] for key in ("author", "language", "description") if key in case}
    authors = [case["item_author"]] if "item_author" in case else []
    assert in_words(read(authors=authors, **values)) == case["credits"]


@pytest.mark.parametrize("case", CASES["declared"], ids=lambda case: case["case"])
def test_declared_people_are_credited(case: dict[str, Any]) -> None:
    values = {name: value for name, value in case.items() if name not in ("case", "credits")}
    assert in_words(read(**values)) == case["credits"]


def test_declared_address_identifies_a_person() -> None:
    (credit,) = read(people=[("Ann Okoye", "Guest", "https://mill.example/ann")])
    assert credit.identity == "ann-okoye mill.example/ann"


def test_two_people_of_one_name_stay_two() -> None:
    shows = [Show("a", "A"), Show("b", "B")]
    identities = {credits_in_text("Guest: Li Wei", show)[0].identity for show in shows}
    assert identities == {"li-wei@a", "li-wei@b"}


@pytest.mark.parametrize(
    "address, credited",
    [
        ("https://small.example/episodes/7", ["guest Bo Ek"]),
        ("https://podcasts.apple.com/show/id7", ["guest Bo Ek"]),
        ("https://mill.example/ann", ["guest Ann Okoye", "guest Bo Ek"]),
    ],
)
def test_sentence_that_links_another_episode_credits_nobody(address: str, credited: list[str]) -> None:
    text = "Guest: Ann Okoye (number 7)\nBo Ek joins us."
    without = blank_sentences_linking_other_episodes(text, [(18, address)])
    assert len(without) == len(text)
    assert in_words(read(without)) == credited


@pytest.mark.parametrize(
    "piece",
    [
        "a", "A. ", "the ", "Shen Odell, ", "Shen Odell joins me ", "joins me ", "joined by ", "(", "李", "嘉宾：",
        "Guest: ", "Guest: Ab Cd, ", "Guests\nAb Cd\n", "word: ", "with Ab Cd ", "by Ab Cd and ", "‘",
    ],
)  # fmt: skip
def test_work_for_a_long_text_grows_evenly(piece: str) -> None:
    assert_even_growth_for_text(lambda text: read(text, title=text[:2_000], description=text), piece)


def test_work_for_many_links_grows_evenly() -> None:
    def work(count: int) -> None:
        links = [(place * 5, "https://a.example/episode/1") for place in range(count)]
        blank_sentences_linking_other_episodes("Wool\n" * count, links)

    assert_even_growth(work, SHORTEST_TEXT)


def test_declared_people_are_limited() -> None:
    people = [(f"Ann Number{number}", "guest", "") for number in range(300)]
    assert len(read(people=people)) == 200


def credit(name: str, address: str = "", handle: str = "") -> PersonCredit:
    return PersonCredit(name, "guest", "show", name, address=address, handle=handle)


def test_decision_by_address_is_of_its_only_person() -> None:
    assert unified_identity_by_identity([[credit("Ada Roe", "mill.example")]])["mill.example"] == "ada-roe mill.example"
    shared = [credit("Ada Roe", "mill.example"), credit("Bo Ek", "mill.example")]
    assert "mill.example" not in unified_identity_by_identity([shared])


def test_people_who_share_an_address_stay_apart() -> None:
    names = ("Ann Lee", "Bo Ek", "Ann Leigh", "Charlotte Church")
    everybody = [credit(name, "network.example") for name in names]
    settled = unified_identity_by_identity([everybody])
    assert [settled[one.identity] for one in everybody] == [one.identity for one in everybody]
    assert settled["bo-ek@show"] == "bo-ek network.example"


def test_bare_name_goes_to_its_only_bearer() -> None:
    bare, full, other = credit("Shen Li"), credit("Shen Li", handle="mrshenli"), credit("Shen Li", handle="other")
    assert unified_identity_by_identity([[bare], [full]]) == {"@mrshenli": "@mrshenli", "shen-li@show": "@mrshenli"}
    assert unified_identity_by_identity([[bare], [full], [other]])["shen-li@show"] == "shen-li@show"
    listed = credit("Shen Li", "mill.example")
    assert unified_identity_by_identity([[bare], [listed]])["shen-li@show"] == "shen-li mill.example"


def test_slug_keeps_letters_of_every_script() -> None:
    assert [person_slug(name) for name in ("Łukasz Kaiser", "José García", "李沐", "Jean-Luc O'Brien")] == [
        "łukasz-kaiser", "josé-garcía", "李沐", "jean-luc-obrien",
    ]  # fmt: skip
    assert person_slug("!", "@x").startswith("person-")
