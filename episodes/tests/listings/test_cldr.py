"""The words of dates in the world's languages, kept as a file."""

import json
import runpy

from django.conf import settings

from episodes.dates.words import CLDR


def test_stored_date_words_are_babels() -> None:
    made = runpy.run_path(str(settings.BASE_DIR / ".ci" / "cldr.py"))["words"]()
    kept = json.loads(CLDR.read_text("utf-8"))
    assert json.loads(json.dumps(made)) == kept
