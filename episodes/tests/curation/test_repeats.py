"""Re-uploads and rebroadcasts: decided by a curator, taken back without a trace."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.test import Client

from episodes.curation import InvalidChange, decide_rerun, merge_episodes, split_episode
from episodes.models import Change, Decision, Episode, Item, Podcast

from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .conftest import export, feed, notes, small_show

CASES = cases("curation_repeats")

FIXED = f"""<item><title>All about kettles 0 (fixed audio)</title><pubDate>02 May 2021 15:00:00 GMT</pubDate>
<description>{notes(0)}</description><guid isPermaLink="false">fixed</guid></item>"""
RERUN = f"""<item><title>All about mirrors 2 (rebroadcast)</title><pubDate>02 Jan 2023 13:00:00 GMT</pubDate>
<description>{notes(2)}</description><guid isPermaLink="false">rerun</guid></item>"""


@pytest.fixture
def twice(db: None) -> Podcast:
    """The small show with a re-upload and a rebroadcast in its feed."""
    made_once(published_twice)
    return Podcast.objects.get()


def published_twice() -> None:
    small_show()
    take("feed", feed(range(5)).replace(b"<item>", f"{RERUN}{FIXED}<item>".encode(), 1))


def at(guid: str) -> Episode:
    return Item.objects.get(key=f"guid:{guid}").attachment.episode


def rows() -> set[tuple[str, str, str]]:
    """The re-runs, as the later episode tells them."""
    found = set()
    for episode in Episode.objects.all():
        told = [one for one in episode.versions if one["is"] in ("replaces", "repeats")]
        found |= {(episode.slug, one["is"], one["slug"]) for one in told}
    return found


def listed() -> set[str]:
    return set(Episode.objects.listed().values_list("title", flat=True))


def test_an_import_merges_nothing(twice: Podcast) -> None:
    assert Episode.objects.count() == len(listed()) == 7
    assert rows() == set()
    said = [(e["replaces"], e["repeats"]) for e in json.loads(export())["episodes"]]
    assert said == [([], [])] * 7


def test_lists_show_the_replacing_version(client: Client, curator: User, twice: Podcast) -> None:
    decide_rerun(curator, at("fixed"), at("small-0"), "replaces", reason="the first was silent")
    assert "All about kettles 0" not in listed()
    assert "All about kettles 0 (fixed audio)" in listed()
    known = {e["slug"]: e for e in json.loads(export())["episodes"]}
    assert known[at("fixed").slug]["replaces"] == [at("small-0").slug]
    assert len(known) == 7
    for address in CASES["feeds_and_lists_leave_out_what_is_replaced"]:
        found = re.findall(r"/episodes/[\w-]+/", client.get(address).content.decode())
        assert at("fixed").get_absolute_url() in found, address
        assert at("small-0").get_absolute_url() not in found, address


def test_old_address_of_page_redirects(client: Client, curator: User, twice: Podcast) -> None:
    old, new = at("small-0"), at("fixed")
    decide_rerun(curator, new, old, "replaces")
    decide_rerun(curator, at("rerun"), at("small-2"), "repeats")
    page = " ".join(client.get(old.get_absolute_url()).content.decode().split())
    assert f'Replaced by <a href="{new.get_absolute_url()}"><bdi>All about kettles 0 (fixed audio)</bdi></a>' in page
    page = " ".join(client.get("/episodes/").content.decode().split())
    assert f'href="{new.get_absolute_url()}"' in page
    assert 'version of <time datetime="2021-05-01T13:00:00Z">1 May 2021</time></a>' in page
    assert "Rebroadcast of" not in page
    assert "Also rebroadcast</a> on" in page
    page = " ".join(client.get(at("rerun").get_absolute_url()).content.decode().split())
    assert f'Rebroadcast of <a href="{at("small-2").get_absolute_url()}"><bdi>All about mirrors 2</bdi></a>' in page
    assert 'rel="next"' not in page or at("small-0").get_absolute_url() not in page


def test_last_judgement_counts_and_history_remains(curator: User, twice: Podcast) -> None:
    decide_rerun(curator, at("fixed"), at("small-0"), "repeats")
    decide_rerun(curator, at("fixed"), at("small-0"), "replaces", reason="audio")
    assert Decision.objects.get(kind="match", ended_at=None).value == "replaces"
    last = Change.objects.latest("id")
    assert (last.verb, last.subject, last.reason) == ("judge replaces", at("fixed").heading, "audio")
    assert "All about kettles 0" in last.told[0][0]


def test_merged_episodes_are_no_reruns(curator: User, twice: Podcast) -> None:
    decide_rerun(curator, at("fixed"), at("small-0"), "replaces")
    merge_episodes(curator, at("small-0"), at("fixed"))
    assert at("small-0") == at("fixed")
    assert at("small-0").listed
    split_episode(curator, at("small-0"), [Item.objects.get(key="guid:fixed")])
    assert at("fixed").listed
    assert (at("fixed").slug, "replaces", at("small-0").slug) not in rows(), "the merge ended it"


def test_merge_ends_judgements_on_its_entries(curator: User, twice: Podcast) -> None:
    take("other", feed(range(4), cut=True))
    entry = Item.objects.get(document__source__slug="other", attachment__episode=at("small-0"))
    named = {"source": "other", "item_key": entry.key, "other_source": "feed", "other_key": "guid:fixed"}
    Decision.objects.create(kind="match", podcast=twice, value="replaces", **named)
    merge_episodes(curator, at("small-0"), at("fixed"))
    assert Item.objects.get(pk=entry.pk).attachment.episode == at("small-0") == at("fixed")


def test_unknown_verdict_or_viewer_is_refused(curator: User, viewer: User, twice: Podcast) -> None:
    with pytest.raises(InvalidChange):
        decide_rerun(curator, at("fixed"), at("small-0"), "same")
    with pytest.raises(PermissionDenied):
        decide_rerun(viewer, at("fixed"), at("small-0"), "replaces")
    assert not Decision.objects.filter(kind="match").exists()
