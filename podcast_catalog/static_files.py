"""Static files as they are served: what a style sheet or script imports stands in it, so that a page asks for one of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

IMPORTS = {
    ".css": re.compile(r'^@import "([\w-]+\.css)";\n', re.MULTILINE),
    ".js": re.compile(r'^import "\./([\w-]+\.js)";\n', re.MULTILINE),
}
Sources = Mapping[str, tuple[Any, str]]  # by name the storage and the path there
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INDENTED = re.compile(r"\n\s+")


class Storage(CompressedManifestStaticFilesStorage):
    """Whitenoise's storage; in the files that `collectstatic` writes, imports of neighbours are put in place."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        sources = {name: source for name, source in paths.items() if PurePosixPath(name).suffix in IMPORTS}
        for name in [] if dry_run else sources:
            text = _text(sources, name)
            if IMPORTS[PurePosixPath(name).suffix].search(text):
                self.delete(name)
                self.save(name, ContentFile(_with_imports(sources, name, text, set()).encode()))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def _text(sources: Sources, name: str) -> str:
    storage, path = sources[name]
    with storage.open(path) as file:
        text: str = file.read().decode()
    return text


def _with_imports(sources: Sources, name: str, text: str, seen: set[str]) -> str:
    """The text of a file with that of each import in its place, once."""
    path = PurePosixPath(name)

    def imported(found: re.Match[str]) -> str:
        other = str(path.with_name(found[1]))
        if other in seen:
            return ""
        seen.add(other)
        inner = _with_imports(sources, other, _text(sources, other), seen)
        # A module's names are its own; in one file a block keeps them apart.
        return f"{{\n{inner}}}\n" if path.suffix == ".js" else inner

    whole = IMPORTS[path.suffix].sub(imported, text)
    return INDENTED.sub("\n", COMMENT.sub("", whole)) if path.suffix == ".css" else whole
