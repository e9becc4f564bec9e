"""Static files as they are served: what a style sheet or script imports stands in it, so that a
page asks for one of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

Sources = Mapping[str, tuple[Any, str]]  # by name the storage and the path there
# How a file names another of its folder, by its ending.
IMPORT = {".css": '@import "{}";', ".js": 'import "./{}";'}


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise brings no types
    """Whitenoise's storage; in the files that `collectstatic` writes, imports of neighbours are put
    in place."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        sources = {
            name: source for name, source in paths.items() if PurePosixPath(name).suffix in IMPORT
        }
        for name in [] if dry_run else sources:
            text = _text(sources, name)
            whole = "".join(_lines(sources, name, text, set()))
            if whole != text:
                self.delete(name)
                self.save(name, ContentFile(whole.encode()))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def _text(sources: Sources, name: str) -> str:
    storage, path = sources[name]
    with storage.open(path) as file:
        text: str = file.read().decode()
    return text


def _lines(sources: Sources, name: str, text: str, seen: set[str]) -> Iterator[str]:
    """The lines of a file with those of each import in its place, once."""
    for line in text.splitlines(keepends=True):
        other = _imported(name, line)
        if other not in sources:
            yield line
        elif other not in seen:
            seen.add(other)
            inner = _lines(sources, other, _text(sources, other), seen)
            # A module's names are its own; in one file a block keeps them apart.
            yield from ("{\n", *inner, "}\n") if name.endswith(".js") else inner


def _imported(name: str, line: str) -> str:
    """The file that a line imports; "" for any other line."""
    path = PurePosixPath(name)
    before, after = IMPORT[path.suffix].split("{}")
    line = line.strip()
    if not (line.startswith(before) and line.endswith(after)):
        return ""
    return str(path.parent / line.removeprefix(before).removesuffix(after))
