"""Static files as they are served: what a style sheet or script imports stands in it, so that a
page asks for one of each."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

Sources = Mapping[str, tuple[Any, str]]  # by name the storage and the path there
# How a style sheet, and a script, names another of its folder.
IMPORT = re.compile(r'^(?:@import "([^"/]+)"|import "\./([^"/]+)");\n', re.MULTILINE)
# What browsers do without: indentation, and comments on lines of their own.
SPARE = re.compile(r"^[ \t]*(?://.*\n|/\*[^*]*(?:\*(?!/)[^*]*)*\*/\n)|^[ \t]+", re.MULTILINE)
OWN = ("css/", "js/")


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise brings no types
    """Whitenoise's storage; in the files that `collectstatic` writes, imports of neighbours are put
    in place, and what is written for people alone is left out of our own."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        sources = dict(paths)
        for name in () if dry_run else sources:
            if name.endswith((".css", ".js")):
                whole = _whole(sources, name, set())
                if name.startswith(OWN):
                    whole = SPARE.sub("", whole)
                self.delete(name)
                self.save(name, ContentFile(whole.encode()))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def _whole(sources: Sources, name: str, seen: set[str]) -> str:
    """A file with the text of each import in its place, once."""
    storage, path = sources[name]
    with storage.open(path) as file:
        text: str = file.read().decode()

    def put_in(found: re.Match[str]) -> str:
        other = str(PurePosixPath(name).parent / (found[1] or found[2]))
        if other in seen:
            return ""
        seen.add(other)
        inner = _whole(sources, other, seen)
        # A module's names are its own; in one file a block keeps them apart.
        return f"{{\n{inner}}}\n" if found[2] else inner

    return IMPORT.sub(put_in, text)
