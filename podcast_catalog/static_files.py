"""Static files: imports of style sheets and scripts are inlined, so that a page loads one of each."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

StaticSources = Mapping[str, tuple[Any, str]]  # storage and path by name
# The import of another style sheet, or script, of the same folder: `@import "base.css";` or
# `import "./player.js";`.
IMPORT = re.compile(
    r'^(?:@import "(?P<style_sheet>[^"/]+)"|import "\./(?P<script>[^"/]+)");\n', re.MULTILINE
)
# Comments on lines of their own, `// …` and `/* … */`, and indentation.
SPARE = re.compile(
    r"""
    ^ [ \t]* (?: //.*\n | /\* [^*]* (?: \*(?!/) [^*]* )* \*/\n )
    | ^ [ \t]+
    """,
    re.MULTILINE | re.VERBOSE,
)


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise brings no types
    """Whitenoise's storage. `collectstatic` inlines imports, and removes comments and indentation from our
    own files."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        # A copy, because `paths` gets the changed files below.
        sources = dict(paths)
        for name in sources:
            if dry_run or not name.endswith((".css", ".js")):
                continue
            text = text_with_inlined_imports(sources, name, inlined=set())
            # Our own files.
            if name.startswith(("css/", "js/")):
                text = SPARE.sub("", text)
            # A name that exists would get another ending.
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
            paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def text_with_inlined_imports(sources: StaticSources, name: str, inlined: set[str]) -> str:
    """Return the text of a file in which each import is replaced by the imported file, at its first import.

    `inlined` collects the names of imported files.
    """
    storage, path = sources[name]
    with storage.open(path) as file:
        text: str = file.read().decode()

    def imported_text(match: re.Match[str]) -> str:
        file_name = match["style_sheet"] or match["script"]
        imported_name = str(PurePosixPath(name).parent / file_name)
        if imported_name in inlined:
            return ""
        inlined.add(imported_name)
        inner = text_with_inlined_imports(sources, imported_name, inlined)
        # Each module has its own names. A block {…} keeps them apart in the joined file.
        return f"{{\n{inner}}}\n" if match["script"] else inner

    return IMPORT.sub(imported_text, text)
