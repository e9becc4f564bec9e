"""Static files: imports of style sheets and scripts are inlined, so that a page loads one of each."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import rcssmin
import rjsmin
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

StaticSources = Mapping[str, tuple[Any, str]]  # storage and path by name


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise brings no types
    """Whitenoise's storage. `collectstatic` inlines imports, and minifies our own files."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        # A copy, because `paths` gets the changed files below, and a file may be imported after it changed.
        sources = dict(paths)
        for name in sources:
            if dry_run or not name.endswith((".css", ".js")):
                continue
            text = text_with_inlined_imports(sources, name, inlined_names=set())
            is_our_file = name.startswith(("css/", "js/"))  # not of Django's admin
            if is_our_file:
                text = minified(text, name)
            # The storage would save under another name ("js/player_x7Qz.js") if the file were left.
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
            paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def text_with_inlined_imports(sources: StaticSources, name: str, inlined_names: set[str]) -> str:
    """Return the text of a file in which each import is replaced by the text of the imported file.

    A file is inlined once: later imports of it are left out. The names of inlined files are added to
    `inlined_names`.
    """
    storage, path = sources[name]
    with storage.open(path) as file:
        lines = file.read().decode().splitlines(keepends=True)
    texts = []
    for line in lines:
        file_name = imported_file_name(line)
        if not file_name:
            texts.append(line)
            continue
        # In "js/start.js", `import "./player.js";` is of "js/player.js".
        imported_name = str(PurePosixPath(name).parent / file_name)
        if imported_name in inlined_names:
            continue
        inlined_names.add(imported_name)
        # Imported files share the set: two scripts of a page often import the same third one.
        text = text_with_inlined_imports(sources, imported_name, inlined_names)
        # Each module has its own names. A block {…} keeps them apart in the joined file.
        texts.append(f"{{\n{text}}}\n" if imported_name.endswith(".js") else text)
    return "".join(texts)


def imported_file_name(line: str) -> str:
    """Return the name of the file of the same folder that a line imports, or "".

    Such a line is `@import "base.css";` or `import "./player.js";`. Other imports stay as they are.
    """
    # `import `, `./player.js` and `;`, without the quotes between them.
    before, _, rest = line.partition('"')
    name, _, after = rest.partition('"')
    is_style_import = before == "@import "
    is_script_import = before == "import " and name.startswith("./")
    if not is_style_import and not is_script_import:
        return ""
    if is_script_import:
        name = name.removeprefix("./")
    is_in_same_folder = "/" not in name
    return name if after == ";\n" and is_in_same_folder else ""


def minified(text: str, file_name: str) -> str:
    """Return a style sheet or script without comments and needless spaces."""
    minify = rcssmin.cssmin if file_name.endswith(".css") else rjsmin.jsmin
    return str(minify(text))
