"""Processes import what they need: readers' pages no admin, and the admin's checks all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings

READ = """
import sys, django
django.setup()
from django.test import RequestFactory
from django.urls import resolve, reverse
from episodes import views
resolve("/episodes/"), reverse("episodes"), resolve("/")
views.robots_txt(RequestFactory().get("/robots.txt"))
heavy = ("episodes.admin", "episodes.curation", "episodes.gather", "episodes.resolve", "episodes.notes.enrich", "PIL")
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
        env={
            "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings",
            "SECRET_KEY": "x" * 60,
            "DEBUG": "off",
            "ALLOWED_HOSTS": "*",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.splitlines()


def test_pages_of_readers_are_found_without_the_admin_and_the_admin_when_somebody_goes_there() -> None:
    assert printed(READ) == ["[]", "True"]


def test_the_checks_of_the_system_look_at_the_admin() -> None:
    assert printed(CHECK)[-1] == "True"


@pytest.mark.parametrize("command", ["ingest", "export", "rebuild", "run_schedule", "tidy"])
def test_commands_start_without_checking_the_whole_site(command: str) -> None:
    from django.core.management import load_command_class

    assert load_command_class("episodes", command).requires_system_checks == ()
