"""The copy of the site as static files: whole, the same bytes as one made from nothing, and nobody else's files touched."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from episodes.models import Attachment, Episode, LearningPath, Link, Podcast, Topic, Transcript
from episodes.publish import FolderRefused, Published, publish_site
from episodes.publish.copy_addresses import CopyAddresses
from episodes.publish.copy_folder import CopyFolder, open_copy_folder
from episodes.publish.page_fingerprints import row_fingerprints_by_address
from episodes.views import episode_list, site_files

from ..curation.conftest import feed, small_show
from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .rows import complete

CASES = cases("read_publish")

HOME = "https://me.example/talks"
MADE: list[tuple[Path, Published]] = []


@pytest.fixture(autouse=True)
def static_files(settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few static files, and cards that take no time to draw."""
    settings.STATIC_ROOT = tmp_path / "static"
    for name in ("css/site.css", "css/site.css.gz", "admin/css/base.css", "img/card.png"):
        (tmp_path / "static" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "static" / name).write_text(name)
    monkeypatch.setattr(episode_list, "CARDS_PER_PAGE", 5)
    monkeypatch.setattr(
        site_files,
        "draw_episode_card_png_or_none",
        lambda episode, *_: None if episode.number == 3 else episode.slug.encode(),
    )


def talks() -> None:
    small_show()
    take("feed", feed(range(8)))
    steps = [{"episode": "all-about-pianos-5", "why": "First."}]
    LearningPath.objects.create(slug="all", title="All of it", steps=steps)


@pytest.fixture
def small(db: None) -> Podcast:
    made_once(talks)
    return Podcast.objects.get()


@pytest.fixture
def copy(small: Podcast, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MADE:
        folder = tmp_path_factory.mktemp("made") / "copy"
        MADE.append((folder, publish_site(folder, HOME)))
    return shutil.copytree(MADE[0][0], tmp_path / "copy")


def files(folder: Path) -> dict[str, bytes]:
    every = (path for path in folder.rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)): path.read_bytes() for path in every}
    return {name: body for name, body in names.items() if name != ".published.json"}


def named_files(folder: Path) -> set[str]:
    """The files of the copy that its pages name: by path, without what the script makes of a query."""
    names = set()
    for path in folder.rglob("*.html"):
        page = f"{HOME}/{path.relative_to(folder)}".removesuffix("index.html")
        for node in LexborHTMLParser(path.read_text()).css("[href], [src], form[action], meta[content^=http]"):
            given = next(filter(None, map(node.attributes.get, ("href", "src", "action", "content"))))
            address = urldefrag(urljoin(page, given))[0].partition("?")[0]
            if address.startswith(f"{HOME}/"):
                names.add(file_of(address.removeprefix(f"{HOME}/")))
    return names


def file_of(path: str) -> str:
    return f"{unquote(path)}index.html" if path.endswith("/") or not path else unquote(path)


def test_copied_addresses_lead_to_copied_files(copy: Path) -> None:
    done, here = MADE[0][1], files(copy)
    assert done == Published(len(here), len(here), 0, done.rendered)
    for name in (
        "index.html", "404.html", ".nojekyll", "search.json", "episodes.rss", "robots.txt", "static/css/site.css", "llms.txt",
        "episodes/all-about-pianos-5/index.html", "episodes/all-about-pianos-5.md", "episodes/all-about-pianos-5/card.png",
        "episodes/page/2/index.html", "topics/music/index.html", "topics/music.rss", "paths/all/index.html", "sitemap-episodes.xml",
    ):  # fmt: skip
        assert name in here, name
    assert not {name for name in here if name.startswith(("static/admin", "admin", "time/", "search/", "mcp"))}
    assert "static/css/site.css.gz" not in here
    assert not {name for name in named_files(copy) - here.keys() if not name.startswith("static/")}
    for name in ("sitemap-indexes.xml", "sitemap-episodes.xml", "episodes.rss", "shows.opml", "llms.txt"):
        for found in re.findall(rf"{HOME}/([^\s\"'<>\\&()\]?]*)", here[name].decode()):
            assert file_of(found) in here, (name, found)


def test_page_names_only_copied_pages(copy: Path, tmp_path: Path) -> None:
    listing = (copy / "episodes" / "index.html").read_text()
    tree = LexborHTMLParser(listing)
    assert [a.attributes["href"] for a in tree.css(".pages a")][-1] == "/talks/episodes/page/2/"
    assert "/talks/episodes/?topic=music" in {a.attributes.get("href") for a in tree.css(".facets a")}
    assert not tree.css('[href*="/time/"]')
    assert tree.css_first("script[src$='js/published.js']")
    second = LexborHTMLParser((copy / "episodes" / "page" / "2" / "index.html").read_text())
    canonical = [link.attributes["href"] for link in second.css("link[rel=canonical]")]
    assert canonical == [f"{HOME}/episodes/page/2/"]
    links = LexborHTMLParser((copy / "links" / "index.html").read_text())
    assert [form.attributes["action"] for form in links.css("form[action]")] == ["/talks/episodes/"]
    assert {a.attributes.get("href") for a in links.css("a") if "?" in (a.attributes.get("href") or "")} == set()
    index = json.loads((copy / "search.json").read_text())
    assert [one["title"] for one in index][:2] == ["All about ladders 7", "All about kettles 6"]
    one = next(one for one in index if one["title"] == "All about pianos 5")
    assert one["address"] == "/talks/episodes/all-about-pianos-5/"
    assert (one["date"], one["topics"], one["podcast"]) == ("2021-05-06", ["music"], "small-talks")
    assert "Music" in one["words"]
    assert "where they come from" in one["text"]


def test_unchanged_copy_renews_only_import_pages(copy: Path, tmp_path: Path) -> None:
    first = len(files(copy))
    times = {path: path.stat().st_mtime_ns for path in (copy).rglob("*.html")}
    again = publish_site(copy, HOME)
    assert (again.files, again.deleted, again.rendered) == (first, 0, 3)
    assert again.written == 0
    assert times == {path: path.stat().st_mtime_ns for path in (copy).rglob("*.html")}
    (copy / "about" / "index.html").unlink()
    assert publish_site(copy, HOME).rendered == 4
    assert (copy / "about" / "index.html").exists()


def a_new_title() -> None:
    take("feed", feed(range(8)).replace(b"All about pianos 5<", b"All about grand pianos 5<"))


def a_new_episode() -> None:
    take("feed", feed(range(9)))


def a_renamed_topic() -> None:
    Topic.objects.filter(slug="music").update(name="Musical instruments")


def a_titled_link() -> None:
    Link.objects.filter(key__contains="organs/4").update(title="The piano page")


def a_transcript() -> None:
    episode = Episode.objects.get(slug="all-about-organs-4")
    Transcript.objects.create(episode=episode, url="", sha256="x", text="Hello.", cues=[[0, "", "Hello."]])


def an_episode_gone() -> None:
    Episode.objects.get(slug="all-about-organs-4").delete()
    complete()


Edit = Callable[[], None]
EDITS = ((a_new_episode, a_renamed_topic), (a_titled_link, a_transcript), (an_episode_gone,))


# A title that changes after a run that was stopped is `test_a_run_that_was_stopped_is_taken_up`.
@pytest.mark.parametrize("edits", [pytest.param((a_new_title,), marks=pytest.mark.long), *EDITS])
def test_changed_copy_equals_fresh_one(copy: Path, tmp_path: Path, edits: tuple[Edit, ...]) -> None:
    before = files(copy)
    for edit in edits:
        edit()
    again, fresh = publish_site(copy, HOME), publish_site(tmp_path / "fresh", HOME)
    after, whole = files(copy), files(tmp_path / "fresh")
    assert {name for name in after.keys() | whole.keys() if after.get(name) != whole.get(name)} == set()
    assert after != before
    written = {name for name in after if after[name] != before.get(name)}
    assert again.written == len(written)
    assert again.deleted == len(before.keys() - after.keys())
    if a_transcript in edits:
        assert again.rendered < fresh.rendered * 2 / 3


def test_other_settings_make_all_pages_anew(copy: Path, tmp_path: Path, settings: LazySettings) -> None:
    first = len(files(copy))
    settings.SITE_NAME = "All the talks"
    assert publish_site(copy, HOME).rendered > first - 10
    assert "All the talks" in (copy / "index.html").read_text()
    assert publish_site(copy, "https://other.example").rendered > first - 10
    assert "me.example" not in (copy / "index.html").read_text()


def test_no_file_of_others_is_touched(small: Podcast, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "CNAME").write_text("me.example")
    with open_copy_folder(copy), pytest.raises(FolderRefused, match="Another publish"):
        publish_site(copy, HOME)
    publish_site(copy, HOME)
    (copy / "notes.txt").write_text("mine")
    known = json.loads((copy / ".published.json").read_text())
    known["files"] |= {"../outside.txt": "x", "about": "y"}
    (copy / ".published.json").write_text(json.dumps(known))
    (tmp_path / "outside.txt").write_text("mine")
    publish_site(copy, HOME)
    assert (tmp_path / "outside.txt").read_text() == (copy / "notes.txt").read_text() == "mine"
    assert (copy / "CNAME").read_text() == "me.example"
    assert (copy / "about" / "index.html").exists()


def test_files_of_stopped_run_are_renewed(copy: Path) -> None:
    before = files(copy)
    Topic.objects.filter(slug="music").update(name="Wrong")
    with (
        mock.patch.object(CopyFolder, "delete_other_files_and_save_list", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        publish_site(copy, HOME)
    assert files(copy) != before
    Topic.objects.filter(slug="music").update(name="Music")
    publish_site(copy, HOME)
    assert not [name for name, body in files(copy).items() if b"Wrong" in body]
    assert files(copy) == before


@pytest.mark.parametrize("name", ["episodes", "about/index.html"])
def test_no_link_leads_out_of_the_folder(copy: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").mkdir()
    shutil.move(copy / name, tmp_path / "outside" / "kept")
    (copy / name).symlink_to(tmp_path / "outside" / "kept")
    kept = files(tmp_path / "outside")
    with pytest.raises(FolderRefused, match="not ours"):
        publish_site(copy, "https://other.example")
    assert files(tmp_path / "outside") == kept


def test_command_publishes_long_title_in_any_script(
    small: Podcast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take("feed", feed(range(8)).replace(b"All about organs 4", ("字" * 150).encode()))
    call_command("publish", str(tmp_path / "copy"), "--address", f"{HOME}/")
    assert re.search(r"copy: \d+ files, \d+ written, 0 deleted; \d+ pages made anew\n", capsys.readouterr().out)
    assert "字" * 66 in {path.name for path in (tmp_path / "copy" / "episodes").iterdir()}


def refused(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as error:
        call_command("publish", *arguments)
    return error.value


def test_a_folder_that_is_not_ours_is_refused(copy: Path, tmp_path: Path, settings: LazySettings) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("mine")
    assert "did not write" in str(refused(str(mine), "--address", HOME))
    assert [path.name for path in mine.iterdir()] == ["index.html"]
    file = tmp_path / "file"
    file.write_text("")
    for no_folder in (file, file / "below"):
        assert f"{no_folder} cannot be made a folder: " in str(refused(str(no_folder), "--address", HOME))
    list_of_files = (copy / ".published.json").read_text()
    for damaged in (
        "{", "[]", "null", "{}", "[" * 100_000, '{"files": ["a"], "pages": {}}', '{"files": null, "pages": {}}', '{"files": {"a": 1}, "pages": {}}',
        r'{"files": {"a\u0000": ""}, "pages": {}}', r'{"files": {"a\ud800": ""}, "pages": {}}', '{"files": {}, "pages": []}',
        '{"files": {}, "pages": {"/": null}}', '{"files": {}, "pages": {"/": [1, 2]}}', '{"files": {}}',
    ):  # fmt: skip
        (copy / ".published.json").write_text(damaged)
        assert "damaged" in str(refused(str(copy), "--address", HOME)), damaged
    known = json.loads(list_of_files)
    (copy / ".published.json").write_text(json.dumps(known | {"pages": {address: [] for address in known["pages"]}}))
    assert publish_site(copy, HOME).rendered > 20, "as a copy of an earlier version has it"
    settings.STATIC_ROOT = tmp_path / "nothing"
    assert "collectstatic" in str(refused(str(tmp_path / "new"), "--address", HOME))


def test_foreign_file_in_our_place_is_refused(copy: Path, tmp_path: Path) -> None:
    (copy / "episodes" / "all-about-organs-4-new").mkdir()
    (copy / "episodes" / "all-about-organs-4-new" / "index.html").write_text("mine")
    Episode.objects.filter(slug="all-about-organs-4").update(slug="all-about-organs-4-new")
    with pytest.raises(FolderRefused, match="not ours"):
        publish_site(copy, HOME)
    assert (copy / "episodes" / "all-about-organs-4-new" / "index.html").read_text() == "mine"


@pytest.mark.parametrize("address", CASES["unusable_address_of_copy_is_refused"])
def test_unusable_address_of_copy_is_refused(tmp_path: Path, address: str) -> None:
    assert refused(str(tmp_path / "copy"), "--address", address).returncode == 2


def test_former_address_in_page_redirects(copy: Path, tmp_path: Path, client: Client) -> None:
    a_new_title()
    page = Episode.objects.get(slug="all-about-organs-4")
    former = f'<a href="{HOME}/episodes/all-about-pianos-5/">before</a>'
    Episode.objects.filter(pk=page.pk).update(description_html=f"<p>{former}</p>")
    publish_site(copy, HOME)
    there = copy / "episodes" / "all-about-pianos-5" / "index.html"
    assert f'rel="canonical" href="{HOME}/episodes/all-about-grand-pianos-5/"' in there.read_text()


def test_later_page_keeps_all_its_digits() -> None:
    feed = f"<link>{HOME}/episodes.rss?page=2</link><link>{HOME}/episodes.rss?page=20</link>"
    copied = CopyAddresses(HOME).convert_non_page_and_collect_addresses(feed)
    assert copied.text == f"<link>{HOME}/episodes.page-2.rss</link><link>{HOME}/episodes.page-20.rss</link>"
    assert copied.addresses == ["/episodes.rss?page=2", "/episodes.rss?page=20"]


@pytest.mark.parametrize(
    "text, copied, addresses",
    [
        (f"other,{HOME}/topics/?page=2,about", f"other,{HOME}/topics/page/2/,about", ["/topics/?page=2"]),
        (f"{HOME}/about/?page=../../../../pwn", f"{HOME}/about/?page=../../../../pwn", []),
        (f"{HOME}/about/?page={'9' * 300}", f"{HOME}/about/?page={'9' * 300}", []),
    ],
)
def test_page_of_an_address_is_a_number(text: str, copied: str, addresses: list[str]) -> None:
    linked = CopyAddresses(HOME).convert_non_page_and_collect_addresses(text)
    assert (linked.text, linked.addresses) == (copied, addresses)


def test_text_in_page_head_is_no_address() -> None:
    head = (
        f'<meta name="description" content="Is it torch.nn?page=2"><meta property="og:image" content="{HOME}/card.png">'
    )
    linked = CopyAddresses(HOME).convert_page_and_collect_addresses(head, "/topics/looms/")
    assert (linked.text, linked.addresses) == (head, ["/card.png"])


def test_copy_of_an_older_release_is_renewed(copy: Path) -> None:
    before = files(copy)
    listed = json.loads((copy / ".published.json").read_text())
    listed["everywhere"] = "5f0c9a1e2b3d4c5f-00c0ffee"
    listed["files"] = dict.fromkeys(listed["files"], "5f0c9a1e2b3d4c5f")
    listed["pages"] = {address: [305419896, *named] for address, (_, *named) in listed["pages"].items()}
    (copy / ".published.json").write_text(json.dumps(listed))
    assert publish_site(copy, HOME).written == len(before)
    assert files(copy) == before
    assert publish_site(copy, HOME).written == 0


@pytest.mark.on_both
def test_fingerprint_follows_its_rows(small: Podcast) -> None:
    before = row_fingerprints_by_address()
    every = [*Podcast.objects.all(), *Topic.objects.all(), *Link.objects.all(), *Episode.objects.all()]
    assert {thing.get_absolute_url() for thing in every} <= before.keys()
    link = Link.objects.get(key__contains="organs/4")
    Link.objects.filter(pk=link.pk).update(title="The organ page")
    Attachment.objects.filter(episode__slug="all-about-pianos-5").update(reasons=["the same title"])
    after = row_fingerprints_by_address()
    changed = {address for address in after if after[address].all_values != before[address].all_values}
    episodes = {"/episodes/all-about-organs-4/", "/episodes/all-about-pianos-5/"}
    assert changed == {link.get_absolute_url(), *episodes}
    around = {
        address
        for address in after
        if after[address].all_values_and_episodes != before[address].all_values_and_episodes
    }
    assert {"/shows/small-talks/", "/topics/music/"} <= around
    assert "/episodes/all-about-ladders-7/" not in around, "neither of these nor beside one"


def test_row_added_during_a_run_waits(small: Podcast) -> None:
    def add_topic_before_chapters(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if 'FROM "episodes_chapter"' in sql:
            Topic.objects.create(slug="late", name="Late")
        return execute(sql, *rest)

    with connection.execute_wrapper(add_topic_before_chapters):
        assert "/topics/late/" not in row_fingerprints_by_address()
    assert "/topics/late/" in row_fingerprints_by_address()
