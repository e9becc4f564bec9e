"""Readers' templates (templates/): they compile, escape what they print, and miss nothing; Python prints no HTML for them."""

import ast
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from episodes.models import Episode
from episodes.templating import (
    join_with_every_second_marked,
    mark_words,
    render_notes_with_audio_links,
    split_breakable,
)

from ..tables import cases

CASES = cases("read_templates")

ENVIRONMENT = engines["jinja2"].env  # type: ignore[attr-defined]
NAMES = sorted(name for name in ENVIRONMENT.list_templates() if not name.startswith("django/"))
# Names by which Python makes text count as HTML.
TRUSTING = {"Markup", "SafeString", "format_html", "format_html_join", "mark_safe"}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles(name: str) -> None:
    assert ENVIRONMENT.get_template(name)


def test_tags_of_django_are_on_one_line() -> None:
    """Django shows a tag as it is written if it has a line break."""
    for path in (Path(settings.BASE_DIR) / "templates" / "django").rglob("*.html"):
        for line in path.read_text().splitlines():
            for opening, closing in (("{%", "%}"), ("{{", "}}"), ("{#", "#}")):
                assert line.count(opening) == line.count(closing), f"{path.name}: {line}"


def test_missing_template_value_is_an_error() -> None:
    for source in ("{{ nothing }}", "{% if nothing %}{% endif %}", "{{ 'word'.nothing }}"):
        with pytest.raises(UndefinedError):
            ENVIRONMENT.from_string(source).render()


def test_only_notes_and_marks_are_python_markup() -> None:
    app = Path(settings.BASE_DIR) / "episodes"
    found = set()
    for path in app.rglob("*.py"):
        parts = path.relative_to(app).parts
        if parts[0] not in ("admin", "templatetags", "tests"):
            imported = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom))
            found |= {"/".join(parts) for node in imported if TRUSTING & {alias.name for alias in node.names}}
    assert found == {"templating.py"}


@given(st.text(max_size=80), st.text(max_size=20))
def test_marks_add_nothing_else_to_a_text(text: str, words: str) -> None:
    for shown in (mark_words(text, words), join_with_every_second_marked(["", text, words])):
        bare = shown.replace("<mark>", "").replace("</mark>", "")
        assert "<" not in bare
        assert unescape(bare) in (text, text + words)


@pytest.mark.parametrize(
    "html, audio, shown",
    [
        ('<p>1:05 <a href="https://a.example/b_c/d">https://a.example/b_c/d</a></p>', "https://a.example/1.mp3",
         '<p><a class="time" href="?t=65">1:05</a> <a href="https://a.example/b_c/d">x/<wbr>y &lt;z&gt;</a></p>'),
        ("<p><abbr>AD</abbr> 1:05</p>", "https://a.example/1.mp3",
         '<p><abbr>AD</abbr> <a class="time" href="?t=65">1:05</a></p>'),
        ('<p>At 1:05 <a href="https://a.example/b_c/d">see</a></p>', "", None),
        ('<p><a href="https://other.example/">1:05</a></p>', "https://a.example/1.mp3", None),
    ],
)  # fmt: skip
def test_notes_get_names_and_times_and_nothing_else(html: str, audio: str, shown: str | None) -> None:
    episode = Episode(audio_url=audio, duration_seconds=600)
    assert render_notes_with_audio_links(html, episode, {"https://a.example/b_c/d": "x/y <z>"}) == (
        html if shown is None else shown
    )


@pytest.mark.parametrize("cut", CASES["names_break_inside_and_keep_the_marks_they_begin_and_end_with"])
def test_names_may_break_inside(cut: list[str]) -> None:
    assert split_breakable("".join(cut)) == cut


@pytest.mark.parametrize("kind, address, plays", CASES["sound_goes_on_from_page_to_page_and_no_video_or_document"])
def test_sound_continues_without_video_or_document(kind: str, address: str, plays: bool) -> None:
    assert Episode(audio_url=address, audio_type=kind).is_playable is plays
