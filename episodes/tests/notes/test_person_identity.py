"""Credits of a show are one person or several."""

from collections.abc import Sequence

import pytest

from episodes.notes.credits import PersonCredit
from episodes.notes.person_identity import person_slug, unified_identity_by_identity

from ..tables import cases

CASES = cases("notes_person_identity")


def credit(name: str, address: str = "", handle: str = "") -> PersonCredit:
    return PersonCredit(name, "guest", "show", name, address=address, handle=handle)


def count_at_one_address(*names: str) -> int:
    episodes: Sequence[list[PersonCredit]] = [[credit(name, "mill.example")] for name in names]
    settled = unified_identity_by_identity(episodes)
    assert settled == unified_identity_by_identity(episodes[::-1])
    count = len({settled[one.identity] for (one,) in episodes})
    assert ("mill.example" in settled) == (count == 1)
    return count


@pytest.mark.parametrize("left, right, count", CASES["spellings_at_one_address_are_one_person"])
def test_spellings_at_one_address_are_one_person(left: str, right: str, count: int) -> None:
    assert count_at_one_address(left, right) == count


def test_several_spellings_go_to_the_fullest() -> None:
    assert count_at_one_address("Ada", "Ada Roe", "A. Roe", "Ada Roe") == 1
    assert count_at_one_address("Ada", "Ada Roe", "Bo Ek") == 2


def test_two_names_of_one_episode_are_two_people() -> None:
    both = [credit("Ada Roe", "mill.example"), credit("Ada B. Roe", "mill.example")]
    assert len(set(unified_identity_by_identity([both, both[:1]]).values())) == 2


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
    listed, longer = credit("Shen Li", "mill.example"), credit("Shen B. Li", "mill.example")
    assert unified_identity_by_identity([[bare], [listed], [longer]])["shen-li@show"] == "shen-b-li mill.example"


def test_slug_keeps_letters_of_every_script() -> None:
    assert [person_slug(name) for name in ("Łukasz Kaiser", "José García", "李沐", "Jean-Luc O'Brien")] == [
        "łukasz-kaiser", "josé-garcía", "李沐", "jean-luc-obrien",
    ]  # fmt: skip
    assert person_slug("!", "@x").startswith("person-")
