"""Credits of a show are one person or several."""

from episodes.notes.credits import PersonCredit
from episodes.notes.person_identity import person_slug, unified_identity_by_identity


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
