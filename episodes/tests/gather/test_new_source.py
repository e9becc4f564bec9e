"""`manage.py new_source` makes a reader that gives the entries of the page it was made from, with its data pair."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import CommandError, call_command

import episodes.gather.sources
from episodes.gather.learn import learn
from episodes.records import DocumentRejected, FetchedDocument, Show
from episodes.text.normalize import fold

from .pages import FIXTURES, SHOW, entries
from .report_listing import FOLDER, page_of

pytestmark = pytest.mark.django_db
PAGES = ("podhub-table", "ecoute-fr", "lista-es", "nami-ja", "topic-mixed-en",
         "alphacast", "castnest-de", "dmy-glued", "earshelf", "ep-prefix", "loudcast-us", "months", "teksty-ru")  # fmt: skip
ANOTHER = "JAX Talks"


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Path]:
    """A root for the command whose readers can be imported as if they stood beside the shipped ones."""
    folder = tmp_path / "episodes" / "gather" / "sources"
    folder.mkdir(parents=True)
    package = episodes.gather.sources
    before = list(package.__path__)
    package.__path__ = [*before, str(folder)]
    yield tmp_path
    package.__path__ = before
    for name, module in list(sys.modules.items()):
        if str(folder) in (getattr(module, "__file__", "") or ""):
            del sys.modules[name]


def new_source(root: Path, slug: str, page: Path, **options: Any) -> str:
    out = StringIO()
    call_command("new_source", slug, str(page), root=root, stdout=out, stderr=out, **options)
    return out.getvalue()


def made(slug: str) -> ModuleType:
    importlib.invalidate_caches()
    return importlib.import_module(f"episodes.gather.sources.{slug.replace('-', '_')}")


def key_of(name: str) -> tuple[Path, dict[str, Any]]:
    folder = FOLDER / name
    path = next(path for path in folder.iterdir() if path.name.startswith("page."))
    return path, json.loads((folder / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_the_reader_gives_the_entries_of_its_page_and_refuses_other_shows(name: str, sources: Path):
    path, key = key_of(name)
    said = new_source(sources, f"new-{name}", path, url=key["url"])
    assert "It would take the same page for another show's" not in said
    reader, page = made(f"new-{name}"), page_of(FOLDER / name, key)
    assert reader.recognises(page)
    found = reader.read(page, SHOW).entries
    by_title = {fold(one.title): one for one in found}
    due = [one for one in key["attached"] if one["title"]]
    if name == "teksty-ru":
        assert len(found) >= 0.9 * len(key["attached"])
        assert all(one.text for one in found)
    else:
        right = [one for one in due if fold(one["title"]) in by_title]
        assert len(right) >= 0.9 * len(due)
        dated = [one for one in right if one["date"] and not one.get("date_may_be_null")]
        agree = [one for one in dated if by_title[fold(one["title"])].published[:10] == one["date"]]
        assert len(agree) >= 0.9 * len(dated)
        usual = {fold(one["title"]) for one in due} | {fold(title) for title in (*key["held"], *key["maybe"])}
        assert sum(title not in usual for title in by_title) <= 0.1 * len(found)
    other = FetchedDocument(
        page.body.replace(SHOW.title.encode(), ANOTHER.encode()).replace(SHOW.title.upper().encode(), b"JAX TALKS")
    )
    with pytest.raises(DocumentRejected):
        reader.read(other, SHOW)


@pytest.mark.parametrize("name", ["podhub-table", "ep-prefix", "lista-es"])
def test_the_module_passes_the_checks_of_the_others(name: str, sources: Path):
    new_source(sources, name, key_of(name)[0], title='The "best" \\ list')
    module = sources / "episodes" / "gather" / "sources" / f"{name.replace('-', '_')}.py"
    assert 15 <= len(module.read_text().splitlines()) <= 45
    assert made(name).TITLE == 'The "best" \\ list'
    for command in (["check"], ["format", "--check"]):
        ruff = [
            sys.executable,
            "-m",
            "ruff",
            *command,
            "--config",
            str(FIXTURES.parent / "pyproject.toml"),
            str(module),
        ]
        assert subprocess.run(ruff, capture_output=True).returncode == 0, module.read_text()


@pytest.mark.parametrize("name", ["podhub-table", "castnest-de"])
def test_the_pair_says_what_the_reader_makes_of_the_page(name: str, sources: Path):
    path, key = key_of(name)
    new_source(sources, name, path, url=key["url"])
    data = sources / "episodes" / "tests" / "data" / name
    own = next(one for one in data.iterdir() if one.stem == "page")
    assert own.read_bytes() == path.read_bytes()
    expected = json.loads((data / "page.expected.json").read_text("utf-8"))
    about = expected.pop("page")
    reading = made(name).read(FetchedDocument(own.read_bytes(), about["address"]), SHOW)
    assert expected == {"show": reading.show, "foreign": 0, "posts": False, "entries": entries(reading)}
    refused = json.loads((data / "other.expected.json").read_text("utf-8"))["refused"]
    with pytest.raises(DocumentRejected, match=refused):
        made(name).read(FetchedDocument((data / "other.txt").read_bytes()), SHOW)


@pytest.mark.parametrize("name", ["podhub-table", "ep-prefix"])
def test_the_shipped_documents_are_not_taken_for_the_new_site(name: str, sources: Path):
    new_source(sources, f"alone-{name}", key_of(name)[0])
    for path in (FIXTURES / "feed.xml", *(FIXTURES / "pages").iterdir()):
        assert not made(f"alone-{name}").recognises(FetchedDocument(path.read_bytes(), name=path.name))


@pytest.mark.parametrize(
    "body", [b"", b"\0\0", b"<html>" + b"<div>" * 60_000, b"<html><p " + b"a " * 9_000 + b">", b"\xff\xfe"]
)
@pytest.mark.parametrize("name", ["podhub-table", "castnest-de"])
def test_a_hostile_page_is_only_refused(name: str, body: bytes, sources: Path):
    new_source(sources, f"h-{name}", key_of(name)[0])
    made(f"h-{name}").recognises(FetchedDocument(body))
    with pytest.raises(DocumentRejected):
        made(f"h-{name}").read(FetchedDocument(body), SHOW)


def refusal(root: Path, slug: str, page: Path, **options: Any) -> CommandError:
    with pytest.raises(CommandError) as caught:
        new_source(root, slug, page, **options)
    return caught.value


def test_what_is_there_is_not_written_over(sources: Path):
    path, _ = key_of("castnest-de")
    new_source(sources, "castnest", path)
    module = sources / "episodes" / "gather" / "sources" / "castnest.py"
    module.write_text("# corrected by hand\n")
    error = refusal(sources, "castnest", path)
    assert error.returncode == 2
    assert "exists already" in str(error)
    assert module.read_text() == "# corrected by hand\n"
    new_source(sources, "castnest", path, force=True)
    assert "LAYOUT" in module.read_text()


@pytest.mark.parametrize("body", [b"", b"\0\0\0", b"PyTorch Developer Podcast\nNothing here", b"<html><p>vmap</p>"])
def test_a_page_without_entries_writes_nothing(body: bytes, sources: Path):
    page = sources / "saved.html"
    page.write_bytes(body)
    error = refusal(sources, "nothing", page)
    assert error.returncode == 1
    assert "nothing was written" in str(error)
    assert not list(sources.rglob("nothing*"))


def test_wrong_usage_is_told(sources: Path):
    path, _ = key_of("castnest-de")
    for slug in ("../x", "Upper", "1st", "a_b", "class"):
        assert refusal(sources, slug, path).returncode == 2
    assert refusal(sources, "gone", sources / "gone.html").returncode == 2
    assert refusal(sources, "a-show", path, podcast="no-such").returncode == 2


def test_with_a_catalog_its_episodes_are_the_example(catalog: None, sources: Path):
    path, key = key_of("castnest-de")
    assert "24 entries" in new_source(sources, "castnest", path, podcast="pytorch-developer-podcast")
    assert made("castnest").read(page_of(FOLDER / "castnest-de", key), SHOW).entries


def test_a_page_of_another_show_teaches_nothing(sources: Path):
    path, _ = key_of("hostile-other-show")
    assert refusal(sources, "jax", path).returncode == 1
    with pytest.raises(DocumentRejected):
        learn(FetchedDocument(path.read_bytes()), Show("x", "x"), ())
