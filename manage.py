#!/usr/bin/env python3
"""Django's command-line entry point; `manage.py help` lists the commands."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
    try:
        from django import get_version
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.stderr.write(
            "Django is not installed here. Run .venv/bin/python manage.py; `make install` creates .venv.\n"
        )
        sys.exit(3)

    from podcast_catalog import __version__
    from podcast_catalog.errors import exit_with_one_line_errors

    if sys.argv[1:] in (["--version"], ["version"]):
        print(f"podcast-catalog {__version__} (Django {get_version()})")
        sys.exit()
    with exit_with_one_line_errors():
        execute_from_command_line(sys.argv)
