"""Episodes that are taken out, moved or published again, conflicts that are closed: no source brings them back, a curator can."""

import json
import re
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.test import Client

from episodes import curation
from episodes.curation import InvalidChange
from episodes.identity.partition import JUDGED
from episodes.models import Attachment, Change, Decision, Episode, Held, Item, LearningPath, Podcast, WithdrawnEpisode
from episodes.records import FieldConflict

from ..admin.conftest import doubtful, episode, talks
from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .conftest import bring_back, curator, export, feed, notes, small, small_show

__all__ = ["curator", "doubtful", "small", "talks"]


def status(address: str) -> int:
    return Client().get(address).status_code


FILES = (".md", "/card.png", "/chapters.json", "/transcript.vtt")
PAGES = ("/episodes/", "/episodes.rss", "/episodes.json", "/sitemap-episodes.xml", "/changes/", "/llms.txt")


def test_what_is_taken_out_is_on_no_page(talks: Podcast, curator: User) -> None:
    gone = episode(2)
    take("feed", feed(range(5), text=lambda n: f"Of mirrors 2, as it was. {n}" * 20), "--accept")
    take("feed", feed(range(5), text=lambda n: f"Of mirrors 2, in other words. {n}" * 20), "--accept")
    client = Client()
    searches = [f"/episodes/?q={gone.title}", f"/search/suggest?q={gone.title}"]

    def naming(pages: Sequence[str], *words: str) -> list[str]:
        texts = {page: client.get(page).content.decode() for page in pages}
        return [page for page, text in texts.items() if any(word in text for word in words)]

    assert naming(PAGES, gone.slug, gone.title) == list(PAGES)
    assert naming(searches, gone.slug) == searches
    curation.withdraw_episode(curator, gone, "no-episode")
    assert naming(PAGES, gone.slug, gone.title) == naming(searches, gone.slug) == []
    assert not any(e["slug"] == gone.slug for e in json.loads(export())["episodes"])
    assert {"podcast": "small-talks", "slug": gone.slug, "replaced_by": None} in json.loads(export())["gone"]


def test_its_addresses_are_gone_and_back_with_it(talks: Podcast, curator: User) -> None:
    former, before = episode(2).slug, export()
    for kind in ("", "nothing", "replaced"):
        with pytest.raises(InvalidChange):
            curation.withdraw_episode(curator, episode(2), kind, episode(2))
    assert not Change.objects.exists()
    curation.override_fields(curator, episode(2), {"title": "Mirrors", "number": "40"})
    curation.withdraw_episode(curator, Episode.objects.get(slug="mirrors"), "hidden", reason="asked by the host")
    files = [f"/episodes/{name}{file}" for name in ("mirrors", "40") for file in FILES]
    for address in (f"/episodes/{former}/", "/episodes/mirrors/", "/40", "/episodes/40/", *files):
        assert status(address) == 410, address
    assert {status(f"/episodes/never-there{file}") for file in FILES} == {404}
    assert "removed" in Client().get("/episodes/mirrors/").content.decode()
    bring_back(curator, WithdrawnEpisode.objects.get())
    assert status("/episodes/mirrors/") == 200
    assert status(f"/episodes/{former}/") == 301
    curation.undo_change(curator, Change.objects.get(verb="edit"))
    assert export() == before


def test_addresses_of_replaced_episode_redirect(talks: Podcast, curator: User) -> None:
    former = episode(2).slug
    curation.override_fields(curator, episode(2), {"number": "40", "title": "Mirrors"})
    for file in FILES:
        assert Client().get(f"/episodes/{former}{file}").headers["Location"] == f"/episodes/mirrors{file}"
    there = f"/episodes/{episode(3).slug}"
    curation.withdraw_episode(curator, Episode.objects.get(slug="mirrors"), "replaced", episode(3))
    for file in ("/", *FILES):
        answer = Client().get(f"/episodes/mirrors{file}")
        assert (answer.status_code, answer.headers["Location"]) == (301, there + file)
        assert Client().get(f"/episodes/40{file}").headers["Location"] == there + file
    assert Client().get("/40").headers["Location"] == f"{there}/"
    assert Client().get("/episodes/mirrors/chapters.json").headers["Access-Control-Allow-Origin"] == "*"


def test_no_import_takes_an_address(talks: Podcast, curator: User) -> None:
    gone = episode(2)
    curation.withdraw_episode(curator, gone, "no-episode")
    with pytest.raises(InvalidChange, match="taken out"):
        curation.override_fields(curator, episode(3), {"slug": gone.slug})
    curation.override_fields(curator, episode(3), {"slug": "first"})
    older = "".join(
        f"<item><title>{title}</title><pubDate>01 Jan 2019 13:00:00 GMT</pubDate><guid>{title}</guid></item>"
        for title in ("All about mirrors 2", "First")
    )
    body = feed(range(5)).replace(b"</channel>", older.encode() + b"</channel>")
    take("feed", body, "--accept")
    assert Episode.objects.get(title=gone.title).slug.startswith(f"{gone.slug}-")
    assert status(gone.get_absolute_url()) == 410
    assert episode(3).slug == "first"
    assert Episode.objects.get(title="First").slug.startswith("first-")


def test_replacement_is_followed(talks: Podcast, curator: User) -> None:
    gone = [episode(n).get_absolute_url() for n in range(5)]
    curation.withdraw_episode(curator, episode(0), "replaced", episode(1))
    curation.withdraw_episode(curator, episode(1), "replaced", episode(2))
    assert Client().get(gone[0]).headers["Location"] == gone[2]
    curation.override_fields(curator, episode(2), {"title": "Renamed"})
    assert Client().get(gone[0]).headers["Location"] == "/episodes/renamed/"
    curation.merge_episodes(curator, episode(3), Episode.objects.get(slug="renamed"), {"title": "Both"})
    assert Client().get(gone[1]).headers["Location"] == "/episodes/both/"
    curation.withdraw_episode(curator, Episode.objects.get(slug="both"), "hidden")
    assert [status(address) for address in gone] == [410, 410, 410, 410, 200]


def test_replacements_that_go_round_are_gone(talks: Podcast, curator: User) -> None:
    one, other = episode(0), episode(1)
    curation.withdraw_episode(curator, one, "replaced", other)
    bring_back(curator, WithdrawnEpisode.objects.get())
    curation.withdraw_episode(curator, episode(1), "replaced", episode(0))
    curation.undo_change(curator, Change.objects.get(verb="undo"))
    assert Episode.objects.count() == 3
    assert [status(e.get_absolute_url()) for e in (one, other)] == [410, 410]


def test_episode_merged_into_replacement_is_shown(talks: Podcast, curator: User) -> None:
    one, other = episode(0), episode(1)
    curation.merge_episodes(curator, one, other)
    merged = Change.objects.latest("id")
    curation.undo_change(curator, merged)
    curation.withdraw_episode(curator, episode(1), "replaced", episode(0))
    curation.undo_change(curator, Change.objects.get(verb="undo"))
    assert not WithdrawnEpisode.objects.exists()
    assert {status(e.get_absolute_url()) for e in (one, other)} == {200, 301}


def test_path_follows_replacement_and_drops_hidden(talks: Podcast, curator: User) -> None:
    steps = [{"episode": episode(n).slug, "why": "Because."} for n in (0, 1)]
    curation.save_row(curator, LearningPath(slug="way", title="Way", steps=steps))
    curation.withdraw_episode(curator, episode(0), "replaced", episode(2))
    curation.withdraw_episode(curator, episode(1), "hidden")
    text = Client().get("/paths/way/").content.decode()
    assert "mirrors 2" in text
    assert "ladders 1" not in text


def test_matched_entry_is_withdrawn_with_its_episode(doubtful: Podcast, curator: User) -> None:
    curation.withdraw_episode(curator, episode(2), "hidden")
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    assert [(c["episode"], c["withdrawn"]) for c in held.candidates] == [("all-about-mirrors-2", True)]
    assert "all-about-mirrors-2" not in json.dumps(json.loads(export())["held"])
    curation.decide_match(curator, held.item, "same", WithdrawnEpisode.objects.get())
    assert not Episode.objects.filter(title="All about mirrors 2").exists()
    assert WithdrawnEpisode.objects.get().attachments.filter(item=held.item).exists()


def entry(n: int, source: str = "other") -> Item:
    return Item.objects.get(attachment__episode=episode(n), document__source__slug=source)


def test_a_move_leaves_other_judgements_as_they_are(talks: Podcast, curator: User) -> None:
    with pytest.raises(InvalidChange, match="merge the two episodes"):
        curation.split_episode(curator, episode(1), [entry(1), entry(1, "feed")], episode(2))
    with pytest.raises(InvalidChange, match="another episode"):
        curation.split_episode(curator, episode(1), [entry(1)], episode(1))
    curation.merge_episodes(curator, episode(2), episode(3))
    judged = set(Decision.objects.filter(kind="match", ended_at=None).values_list("pk", flat=True))
    target = Episode.objects.get(attachments__item__key="guid:small-2")
    curation.split_episode(curator, episode(1), [entry(1)], target)
    assert judged <= set(Decision.objects.filter(kind="match", ended_at=None).values_list("pk", flat=True))


def test_only_what_a_person_judged_says_so(doubtful: Podcast, curator: User) -> None:
    held = Held.objects.get(item__revisions__payload__title="All about mirrors 2")
    curation.decide_match(curator, held.item, "same", episode(2))
    reasons = dict(Attachment.objects.filter(episode=episode(2)).values_list("item", "reasons"))
    assert [item for item in reasons if JUDGED in reasons[item]] == [held.item_id]
    came = set(episode(3).attachments.values_list("item", flat=True))
    curation.merge_episodes(curator, episode(1), episode(3))
    merged = Episode.objects.filter(attachments__item__in=came).distinct().get()
    reasons = dict(Attachment.objects.filter(episode=merged).values_list("item", "reasons"))
    assert {item for item in reasons if JUDGED in reasons[item]} == came
    assert [reasons[item] for item in came] == [[JUDGED]] * 2


def test_closed_conflict_returns_with_new_evidence(talks: Podcast, curator: User) -> None:
    take("other", feed(range(4), cut=True).replace(b"02 May 2021", b"22 May 2021"))
    (row,) = episode(1).conflicts
    curation.remove_list_entry(curator, episode(1), "conflict", FieldConflict(**row).key, reason="the site is wrong")
    assert episode(1).conflicts == []
    take("other", feed(range(3), cut=True).replace(b"02 May 2021", b"22 May 2021"))
    assert episode(1).conflicts == []
    take("other", feed(range(3), cut=True).replace(b"02 May 2021", b"25 May 2021"))
    assert len(episode(1).conflicts) == 1


@pytest.mark.django_db
def test_one_wrong_number_is_one_conflict(catalog: None, curator: User) -> None:
    before = Episode.objects.exclude(conflicts=[]).count()
    newest = Episode.objects.order_by("-order")[0]
    curation.override_fields(curator, newest, {"number": "1"})
    assert Episode.objects.exclude(conflicts=[]).count() <= before + 1


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
    for later in Episode.objects.all():
        told = [one for one in later.versions if one["is"] in ("replaces", "repeats")]
        found |= {(later.slug, one["is"], one["slug"]) for one in told}
    return found


def listed() -> set[str]:
    return set(Episode.objects.listed().values_list("title", flat=True))


def test_lists_show_the_replacing_version(client: Client, curator: User, twice: Podcast) -> None:
    assert Episode.objects.count() == len(listed()) == 7, "an import merges nothing"
    assert rows() == set()
    assert [(e["replaces"], e["repeats"]) for e in json.loads(export())["episodes"]] == [([], [])] * 7
    curation.decide_rerun(curator, at("fixed"), at("small-0"), "replaces", reason="the first was silent")
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
    curation.decide_rerun(curator, new, old, "replaces")
    curation.decide_rerun(curator, at("rerun"), at("small-2"), "repeats")
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
    curation.decide_rerun(curator, at("fixed"), at("small-0"), "repeats")
    curation.decide_rerun(curator, at("fixed"), at("small-0"), "replaces", reason="audio")
    assert Decision.objects.get(kind="match", ended_at=None).value == "replaces"
    last = Change.objects.latest("id")
    assert (last.verb, last.subject, last.reason) == ("judge replaces", at("fixed").heading, "audio")
    assert "All about kettles 0" in last.told[0][0]


def test_merged_episodes_are_no_reruns(curator: User, twice: Podcast) -> None:
    curation.decide_rerun(curator, at("fixed"), at("small-0"), "replaces")
    curation.merge_episodes(curator, at("small-0"), at("fixed"))
    assert at("small-0") == at("fixed")
    assert at("small-0").listed
    curation.split_episode(curator, at("small-0"), [Item.objects.get(key="guid:fixed")])
    assert at("fixed").listed
    assert (at("fixed").slug, "replaces", at("small-0").slug) not in rows(), "the merge ended it"


def test_merge_ends_judgements_on_its_entries(curator: User, twice: Podcast) -> None:
    take("other", feed(range(4), cut=True))
    entry = Item.objects.get(document__source__slug="other", attachment__episode=at("small-0"))
    named = {"source": "other", "item_key": entry.key, "other_source": "feed", "other_key": "guid:fixed"}
    Decision.objects.create(kind="match", podcast=twice, value="replaces", **named)
    curation.merge_episodes(curator, at("small-0"), at("fixed"))
    assert Item.objects.get(pk=entry.pk).attachment.episode == at("small-0") == at("fixed")


def test_unknown_verdict_or_viewer_is_refused(curator: User, viewer: User, twice: Podcast) -> None:
    with pytest.raises(InvalidChange):
        curation.decide_rerun(curator, at("fixed"), at("small-0"), "same")
    with pytest.raises(PermissionDenied):
        curation.decide_rerun(viewer, at("fixed"), at("small-0"), "replaces")
    assert not Decision.objects.filter(kind="match").exists()
