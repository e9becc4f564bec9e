"""The yardstick (`make yardstick`) on the invented material that comes with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.conf import settings

from bench.yardstick import fold, score, table

pytestmark = pytest.mark.django_db
FOLDER = Path(settings.BASE_DIR) / "episodes/tests/data/yardstick"


def test_it_scores_the_material_that_comes_with_it() -> None:
    ours, theirs = score(FOLDER)
    right = {"feeds right": 2, "attached": 14, "number right": 13, "people right": 18, "link right": 3}
    assert {name: ours[name] for name in right} == right
    faults = ("wrong", "let in", "number wrong", "people wrong")
    assert [ours[name] for name in faults] == [0] * 4
    assert (theirs["number right"], theirs["feeds right"]) == (0, 2)
    for line in ("| people: recall | 18 / 18 | 0 / 18 |", "| attached wrongly | 0 / 14 | – |"):
        assert line in table(ours, theirs)


def test_what_the_key_has_otherwise_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "material"
    shutil.copytree(FOLDER, folder)
    for name, old, new in [
        ("manifest.csv", "feed.xml,8", "feed.xml,9"),
        ("pages_key.csv", "63: Sailcloth with Maren Okafor", "Oars"),
        ("values_key.csv", "number,61", "number,16"),
        ("values_key.csv", "guest,Idris Vale", "guest,Ada Roe"),
    ]:
        path = folder / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    ours, _ = score(folder)
    names = ("feeds right", "attached", "wrong", "number right", "number wrong", "people right", "people shown")
    assert [ours[name] for name in names] == [1, 13, 1, 12, 1, 17, 18]
    assert "harbourtalk__index.html: oars" in capsys.readouterr().err


def test_files_without_a_key_count_nothing(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "feeds", tmp_path / "feeds")
    rows = (FOLDER / "manifest.csv").read_text().splitlines()
    (tmp_path / "manifest.csv").write_text("\n".join(row for row in rows if ",page," not in row))
    assert table(*score(tmp_path)).count("\n") == 4  # feeds, fields, order below the head


def test_titles_are_compared_without_markup_and_signs() -> None:
    assert fold("<b>Öfen</b>: Teil №\u00a02!") == "öfen teil no 2"
