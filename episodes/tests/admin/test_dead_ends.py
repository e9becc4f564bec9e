"""Contradictions are told of until a curator settles them: values of two sources, and numbers of two episodes."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User

from episodes.curation import override, undo
from episodes.models import Change, Podcast

from ..curation.conftest import feed
from ..ingest.conftest import run
from .conftest import episode, logged_in, said


def test_a_curators_own_value_closes_the_conflict_of_its_field(talks: Podcast, curator: User, tmp_path: Path) -> None:
    other = feed(range(4), cut=True).replace(b"03 May 2021", b"20 May 2021")
    (tmp_path / "other.xml").write_bytes(
        other.replace(b"<item><title>All about mirrors 2", b"<item><guid>small-2</guid><title>All about mirrors 2")
    )
    assert run(tmp_path / "other.xml", "--source", "other", "--accept").code == 0
    assert [one["field"] for one in episode(2).conflicts] == ["published"]
    client = logged_in(curator)
    assert "Conflicts between sources" in said(client.get("/admin/"))
    override(curator, episode(2), {"published": "2021-05-20"})
    assert episode(2).conflicts == []
    assert "sources contradict each other" not in said(client.get("/admin/"))
    undo(curator, Change.objects.latest("id"))
    assert episode(2).conflicts != []


def test_two_episodes_of_one_number_are_counted_and_listed(talks: Podcast, curator: User) -> None:
    for n, number in ((1, "46"), (2, "46"), (3, "47")):
        override(curator, episode(n), {"number": number})
    client = logged_in(curator)
    assert "episodes/episode/?needs=number" in said(client.get("/admin/"))
    page = said(client.get("/admin/episodes/episode/?needs=number"))
    assert "All about ladders 1" in page
    assert "All about mirrors 2" in page
    assert "All about needles 3" not in page
