"""Processes as they start and end: what they import, the loop beside a server, and the static files that they serve."""

import os
import signal
import subprocess
import sys
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

import pytest
from django.conf import LazySettings, settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command, load_command_class

from .patience import until
from .processes import migrated_file

READ = """
import sys, django
django.setup()
from django.test import RequestFactory
from django.urls import resolve, reverse
from episodes.views import site_files
resolve("/episodes/"), reverse("episodes"), resolve("/")
site_files.robots_txt(RequestFactory().get("/robots.txt"))
heavy = ("episodes.admin", "episodes.curation", "episodes.gather", "episodes.resolve", "episodes.notes.read_notes", "PIL")
print([name for name in heavy if name in sys.modules])
resolve("/admin/"), reverse("admin:index"), reverse("admin:episodes_episode_changelist")
print("episodes.admin" in sys.modules)
"""
CHECK = """
import sys, django
django.setup()
from django.core.management import call_command
call_command("check")
print("episodes.admin" in sys.modules)
"""


def printed(program: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "podcast_catalog.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.splitlines()


COMPILED = """
import re, sys, django
compile, patterns = re.compile, []
re.compile = lambda pattern, flags=0: patterns.append(pattern) or compile(pattern, flags)
django.setup()
import episodes.ingest
print([pattern[:60] for pattern in patterns if len(pattern) > 4000], "PIL" in sys.modules)
"""


@pytest.mark.parametrize(
    "program, lines",
    [
        (READ, ["[]", "True"]),
        (CHECK, ["System check identified no issues (0 silenced).", "True"]),
        (COMPILED, ["[] False"]),
    ],
)
def test_process_loads_only_what_it_uses(program: str, lines: list[str]) -> None:
    assert printed(program) == lines


@pytest.mark.parametrize("command", ["ingest", "export", "rebuild", "run_schedule", "tidy"])
def test_commands_start_without_checking_the_whole_site(command: str) -> None:
    assert load_command_class("episodes", command).requires_system_checks == ()


# A process as `make run` starts it, without the server that it becomes.
WITH_SCHEDULE = """
from threading import Event
from podcast_catalog import serve
serve.prepare_database(loads_sample=False)
serve.start_schedule_in_child_process()
print("started", flush=True)
Event().wait()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_loop_ends_with_its_parent_however_that_ends(tmp_path: Path, number: signal.Signals) -> None:
    def is_running() -> bool:
        with (tmp_path / "catalog.sqlite3.schedule").open("a") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                return True
        return False

    address = migrated_file(tmp_path / "catalog.sqlite3")
    environment = os.environ | {"DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings"}
    program = [sys.executable, "-c", WITH_SCHEDULE]
    with subprocess.Popen(program, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        try:
            assert parent.stdout.readline() == "started\n"
            until(is_running)
        finally:
            parent.send_signal(number)
    until(lambda: not is_running())


@pytest.fixture
def collected(settings: LazySettings, tmp_path: Path) -> Path:
    files = {
        "css/page.css": '@import "site.css";\n@import "extra.css";\np { color: red; } /* why */\n',
        "css/extra.css": '@import "site.css";\nb {\n  color: blue;\n}\n',
        "css/site.css": '/* Why,\n** and how. */\nbody { background: url("../img/a.svg"); }\n',
        "img/a.svg": "<svg/>",
        "js/page.js": 'import "./keys.js";\nconst a = 1;\n',
        "js/keys.js": "// Why.\nconst a = () => {\n  // How.\n  return 2 // 3;\n};\n",
        "admin/js/theirs.js": "// Licence\n  const a = 1;\n",
    }
    for name, text in files.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATIC_ROOT = tmp_path / "served"
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "podcast_catalog.static_files.StaticStorage"}}
    for _ in range(2):
        call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path / "served"


def test_style_sheets_and_scripts_are_served_with_imports(collected: Path) -> None:
    served = (collected / served_name("css/page.css")).read_text()
    assert "@import" not in served
    assert [served.count(word) for word in ("background", "blue", "red")] == [1, 1, 1]
    assert served_name("img/a.svg").split("/")[1] in served
    assert served.index("background") < served.index("blue") < served.index("red")
    # Without comments and needless spaces.
    assert (collected / "js/page.js").read_text() == "{const a=()=>{return 2};}\nconst a=1;"
    assert (collected / "css/extra.css").read_text().endswith("b{color:blue}")
    assert (collected / "css/page.css").read_text().endswith("p{color:red}")
    assert (collected / "admin/js/theirs.js").read_text() == "// Licence\n  const a = 1;\n"


def served_name(name: str) -> str:
    return staticfiles_storage.url(name).removeprefix("/static/")
