"""A free and a members' feed of one show, whose audio differs: the one has adverts, the other has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from episodes.models import Episode, Held, Podcast, Source

from .conftest import command, export, run
from .test_add_show import Write

MINUTES = (41, 29, 63)
ADVERTS = 4  # minutes, which are less than a quarter of the length but more than a little


def show(host: str, guids: str, *, has_adverts: bool, title: str = "Insects") -> str:
    """Three episodes with notes of their own, audio on the host and another length with adverts."""
    items = []
    for number, minutes in enumerate(MINUTES, 1):
        length = (minutes + ADVERTS * has_adverts) * 60
        advert = "<p>Brought to you by Honey.</p>" if has_adverts else ""
        items.append(
            f"<item><title>Insect number {'ABC'[number - 1]}</title><guid>{guids}{number}</guid>"
            f"<pubDate>0{number} Feb 2024 10:00:00 GMT</pubDate><itunes:duration>{length}</itunes:duration>"
            f"<description>{advert}&lt;p&gt;All about the {number} wings of insect {number}.&lt;/p&gt;</description>"
            f'<enclosure url="https://{host}/{number}.mp3" type="audio/mpeg"/></item>'
        )
    return (
        '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
        f"<title>{title}</title>{''.join(items)}</channel></rss>"
    )


def both(free: Path, members: Path, *, first: str) -> None:
    """Import both feeds of the show, each with a source of its own."""
    show_ = Podcast.objects.create(slug="insects", title="Insects")
    for slug, rank in (("feed", 1), ("members", 2)):
        Source.objects.create(
            podcast=show_, slug=slug, title=slug, reader="feed", rank=rank, may_create=True, complete=True, own=True
        )
    paths = {"feed": free, "members": members}
    for slug in sorted(paths, reverse=first == "members"):
        assert run(paths[slug], podcast="insects", source=slug).code == 0
    command("rebuild")


@pytest.mark.parametrize("guids", ["guid-", "members-"], ids=["the same guids", "other guids"])
@pytest.mark.parametrize("first", ["feed", "members"])
def test_ad_free_twins_are_one_episode_each_and_the_free_audio_is_played(
    db: None, file: Write, guids: str, first: str
) -> None:
    free = file("free.xml", show("free.example", "guid-", has_adverts=True))
    both(free, file("members.xml", show("members.example", guids, has_adverts=False)), first=first)
    episodes = list(Episode.objects.order_by("published_at"))
    assert [e.title[-1] for e in episodes] == ["A", "B", "C"]
    assert not Held.objects.exists()
    assert [e.audio_url for e in episodes] == [f"https://free.example/{n}.mp3" for n in (1, 2, 3)]
    assert [e.guid for e in episodes] == ["guid-1", "guid-2", "guid-3"]
    assert "members.example" not in export()
