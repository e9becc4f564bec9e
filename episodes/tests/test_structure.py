"""Who may import whom, and who may write (docs/design.md): every module is parsed once and held to its package."""

import ast
import inspect
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import django
from django.conf import settings
from django.views import csrf, defaults

import podcast_catalog
from episodes.resolve import load_inputs
from episodes.text.fingerprints import FILE_KINDS

from .conftest import TESTS

APP = Path(settings.BASE_DIR) / "episodes"

# A package, and the packages of ours that it may import.
MAY_IMPORT = {
    "records": (),
    "queue": (),  # the one seam to the engine of jobs
    "meaning": (),  # the one seam to the encoder
    "text": (),
    "dates": ("records", "text"),
    "fields": ("dates", "records", "text"),
    "models": ("fields", "records", "text"),
    "search": ("dates", "meaning", "models", "notes", "text"),  # a query is read for topics as a title is
    "site": ("models",),
    "identity": ("fields", "records", "text"),
    "notes": ("fields", "identity", "records", "text"),
    "transcripts": ("records", "text"),
    "listings": ("dates", "identity", "records", "text"),
    "gather": ("fields", "identity", "listings", "models", "records", "text"),
    "resolve": ("fields", "gather", "identity", "meaning", "models", "notes", "queue", "records", "text", "transcripts"),
    "ingest": ("gather", "identity", "listings", "models", "records", "resolve", "text", "transcripts"),
    "schedule": ("gather", "ingest", "models", "resolve", "site", "text"),
    "outputs": ("fields", "models", "records", "search", "site", "text"),
    "templatetags": (),
    "templating": ("models", "outputs", "search", "text"),
    "views": ("fields", "models", "outputs", "records", "search", "site", "text"),
    "urls": ("outputs", "views"),
    "publish": ("models", "records", "site", "text", "views"),
    "curation": ("fields", "gather", "identity", "ingest", "models", "records", "resolve", "text"),
    "backup": ("gather", "models", "records", "text"),
    "admin": ("curation", "fields", "ingest", "models", "records", "text", "views"),
    "management": (
        "backup", "curation", "gather", "ingest", "models", "outputs", "publish", "queue", "records", "resolve",
        "schedule",
    ),
    "apps": ("models",),
}  # fmt: skip
PACKAGES = {path.name for path in APP.iterdir() if (path / "__init__.py").exists()}
# Packages of small tools: each of their modules is public.
TOOLBOXES = {"text"}
# Pure packages know nothing of Django, and of ours only values and text; these modules are their edges.
PURE = ("records", "text", "dates", "fields", "gather", "identity", "listings", "notes", "resolve", "transcripts")
EDGES = {
    "gather.fetch", "gather.images", "gather.limited_process", "gather.link_checks", "gather.paged_feeds",
    "gather.parse_document", "gather.evidence", "resolve.counts", "resolve.background", "resolve.ledger",
    "resolve.load_inputs", "resolve.people", "resolve.sync_rows", "resolve.write", "resolve.write_transcripts",
    "resolve.word_proposals", "resolve.write_corrections", "resolve.write_entries", "resolve.write_episodes",
    "resolve.write_meanings",
}  # fmt: skip
FACES_OF_EDGES = {"gather", "resolve"}

# Evidence, decisions, catalog, configuration, checks of links and images, the schedule: nobody else writes rows.
WRITERS = {
    "backup", "curation", "gather.images", "gather.link_checks", "gather.evidence",
    "ingest.find_source", "ingest.companion_files", "ingest.polling", "ingest.transcript_import",
    "models.catalog_state", "resolve.counts", "resolve.background", "resolve.ledger", "resolve.people",
    "resolve.sync_rows", "resolve.write", "resolve.write_episodes", "resolve.write_meanings", "schedule",
    "views.suggestions",
}  # fmt: skip
OF_KIND = {
    "evidence": {"gather.evidence"},
    "catalog": {
        f"resolve.{name}"
        for name in ("counts", "ledger", "people", "sync_rows", "write", "write_episodes", "write_meanings")
    },
    "decisions": {"curation"},
    "checks.Image": {"gather.images"},
    "checks.LinkCheck": {"gather.link_checks"},
    "schedule": {"ingest.polling", "resolve.background", "schedule"},
}
WRITES = {"bulk_create", "bulk_update", "create", "delete", "get_or_create", "save", "update_or_create"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module without tests and migrations, parsed, by its dotted name below `episodes`."""
    paths = (path for path in APP.rglob("*.py") if not {"tests", "migrations"} & set(path.relative_to(APP).parts))
    return {_name(path): ast.parse(path.read_text()) for path in sorted(paths)}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(APP).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(name: str) -> set[str]:
    """Absolute names that a module imports: `django.db`, and ours as `episodes.gather.html`."""
    own = ["episodes", *name.split(".")]
    package = own if (APP / Path(*name.split(".")) / "__init__.py").exists() else own[:-1]
    found: set[str] = set()
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def ours(name: str) -> set[str]:
    return {imported.removeprefix("episodes.") for imported in imports(name) if imported.startswith("episodes.")}


def package(name: str) -> str:
    return name.split(".")[0]


def within(name: str, *packages: str) -> bool:
    return any(name == outer or name.startswith(f"{outer}.") for outer in packages)


def test_a_package_imports_only_the_packages_below_it() -> None:
    faults = []
    for name in modules().keys() - {"__init__"}:
        allowed = (package(name), *MAY_IMPORT[package(name)])
        faults += [f"{name} imports {imported}" for imported in ours(name) if package(imported) not in allowed]
    assert not faults


def face(name: str) -> set[str]:
    for node in modules()[name].body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def test_fingerprint_of_readers_covers_their_imports() -> None:
    readers = load_inputs.fingerprint_of_readers
    covered = [path.removesuffix(".py").replace("/", ".") for path in readers.args]
    own = [each for each in modules() if within(each, *covered) and each not in EDGES]
    assert {other for each in own for other in ours(each) if not within(other, *covered, *FACES_OF_EDGES)} == set()
    others = {other.partition(".")[0] for each in own for other in imports(each)} - sys.stdlib_module_names
    libraries = {packages_distributions()[other][0].lower() for other in others - {"episodes"}}
    assert libraries <= {library.lower() for library in readers.keywords["libraries"]}


def test_code_fingerprint_reads_every_file() -> None:
    data = (path for path in APP.rglob("data/*") if "tests" not in path.parts)
    words = (path for path in APP.rglob("words/*") if "tests" not in path.parts)
    assert {path.suffix for path in (*data, *words) if path.is_file()} <= set(FILE_KINDS)


def test_package_is_entered_through_its_exports() -> None:
    faults = []
    for name in modules():
        for imported in ours(name):
            target, *inner = imported.split(".")
            if target == package(name) or target not in PACKAGES or not inner:
                continue
            deep = len(inner) > 1 and target not in TOOLBOXES
            if inner[0] not in face(target) or deep:
                faults.append(f"{name} imports {imported}")
    assert not faults


def test_pure_modules_know_values_and_text_alone() -> None:
    faults = []
    for name in modules():
        if not within(name, *PURE) or name in EDGES or name in FACES_OF_EDGES:
            continue
        faults += [f"{name} imports {i}" for i in imports(name) if within(i, "django")]
        faults += [f"{name} imports {i}" for i in ours(name) if within(i, *EDGES)]
        faults += [f"{name} imports {i}" for i in ours(name) if not within(i, *PURE)]
    assert not faults


@cache
def writes(name: str) -> list[ast.Call]:
    """Calls of a module that write rows: on a manager, a queryset or a row; `update` is one where it names fields."""
    found = []
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kept = any(word.arg == "commit" for word in node.keywords)  # a form that only fills its row in
            file = node.func.attr == "save" and node.args  # rows are saved without telling them where
            fields = node.func.attr == "update" and node.keywords and not node.args
            if (node.func.attr in WRITES and not kept and not file) or fields:
                found.append(node)
    return found


def test_only_the_writers_write_rows() -> None:
    others = [name for name in modules() if not within(name, *WRITERS)]
    assert [f"{name}:{call.lineno} {ast.unparse(call.func)}" for name in others for call in writes(name)] == []


def test_each_kind_of_data_has_one_writer() -> None:
    faults = []
    for kind, writers in OF_KIND.items():
        module, _, only = kind.partition(".")
        nodes = [node for node in modules()[f"models.{module}"].body if isinstance(node, ast.ClassDef)]
        classes = {node.name for node in nodes if only in ("", node.name)}
        for name in modules():
            for call in () if within(name, *writers) else writes(name):
                named = {node.id for node in ast.walk(call.func) if isinstance(node, ast.Name)}
                faults += [f"{name} writes {model}" for model in named & classes]
    assert not faults


# -- the one door for bytes from outside --------------------------------------------------------------------------------

# Packages that parse documents. What takes bytes there is only called by each other, and through the door.
PARSERS = ("listings", "transcripts", "gather.sources")
DOOR = ("within_limits", "within_seconds", "LimitedBatch", "iterate_rows_in_limited_process")
# Functions of other modules that run behind the door.
BEHIND_THE_DOOR = {
    "backup": ("BackupReader", "_iterate_batches", "_iterate_contents", "iterate_backup_lines"),
    "gather.thumbnails": ("make_thumbnails",),
    "gather.link_checks": ("find_page_title", "_contents"),
    "ingest.transcript_files": ("_zip", "list_transcript_indexes_and_paths", "open", "read_bytes_and_entry_of_file"),
    "resolve.write_transcripts": ("_parse_transcript",),
}  # fmt: skip
# What opens bytes of any kind, and the modules that open with it what is their own, or is bounded in another way.
OPENERS = re.compile(
    r"(?:json\.loads?|zlib\.decompress\w*|gzip\.(?:open|decompress)|tomllib\.loads?|pickle\.loads?|ZipFile|csv\.(?:reader|DictReader)"
    r"|ET\.\w+|etree\.(?:fromstring|parse|XML|HTML|iterparse)|feedparser\.parse|LexborHTMLParser|parse_untrusted_html|Picture\.open|Image\.open)"
)
OPENS_ITS_OWN = {
    "curation.history": "rows of the history",
    "curation.shipped_aliases": "data of the program",
    "curation.shipped_credits": "data of the program",
    "dates.words": "data of the program",
    "gather.fetch": "the compression of an answer, in pieces, within the sizes and seconds of a request",
    "gather.limited_process": "the answers of the limited process",
    "gather.evidence": "readings that the program packed",
    "models.evidence": "bytes that the program packed",
    "outputs.pictures": "pictures of the program",
    "publish.copy_folder": "the list of its own files",
    "search.prepare": "rows of the catalog",
    "text.public_addresses": "data of the program",
    "text.vocabulary": "data of the program",
    "views.episode_links": "sanitised notes",
    "views.mcp": "a question of at most 64 KB",
}


@cache
def parsers() -> set[str]:
    """The functions of the packages that parse which must not be called outside the door."""
    names = {"PageDocument"}
    for module in (module for module in modules() if within(module, *PARSERS)):
        for node in ast.walk(modules()[module]):
            takes_bytes = r"\b(?:FetchedDocument|PageDocument|bytes)\b"
            if isinstance(node, ast.FunctionDef) and re.search(takes_bytes, ast.unparse(node.args)):
                names.add(node.name)
    return names


def parsers_known_to(name: str) -> set[str]:
    """The names that a module has for parsers: imported ones, and its own."""
    known = set(BEHIND_THE_DOOR.get(name, ()))
    for node in ast.walk(modules()[name]):
        module = (getattr(node, "module", "") or "").removeprefix("episodes.")
        if isinstance(node, ast.ImportFrom) and within(module, *PARSERS, "sources"):
            known |= {alias.asname or alias.name for alias in node.names if alias.name in parsers()}
    return known


def nodes_behind_the_door(name: str) -> set[ast.AST]:
    behind = set[ast.AST]()
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            is_decorated = "behind_limits" in map(ast.unparse, node.decorator_list)
            if is_decorated or node.name in BEHIND_THE_DOOR.get(name, ()):
                behind.update(ast.walk(node))
    return behind


def is_parser(node: ast.AST, known: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        reader = (
            r"(?:feed|reader|hand|any_page)\.(?:join_feed_pages|parse|read|read_feed_with_changed_entries|recognises)"
        )
        return node.attr == "recognises" or re.fullmatch(reader, ast.unparse(node)) is not None
    return isinstance(node, ast.Name) and node.id in known


def loose_parsers(name: str) -> list[str]:
    """The places of a module that name a parser otherwise than to pass it through the door."""
    passed = nodes_behind_the_door(name)
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split("[")[0] in (*DOOR, "_within_limits"):
            passed.update(node.args)
            for inner in node.args:
                # `LimitedBatch(partial(parser, …))` calls nothing either.
                if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "partial":
                    passed.update(inner.args)
        # An annotation calls nothing.
        passed.update(ast.walk(getattr(node, "annotation", None) or ast.Pass()))
        passed.update(ast.walk(getattr(node, "returns", None) or ast.Pass()))
    known = parsers_known_to(name)
    loose = [node for node in ast.walk(modules()[name]) if is_parser(node, known) and node not in passed]
    return [f"{name}:{node.lineno} {ast.unparse(node)}" for node in loose]  # type: ignore[attr-defined]


def test_documents_are_parsed_through_the_door() -> None:
    assert [fault for name in modules() if not within(name, *PARSERS) for fault in loose_parsers(name)] == []


def test_other_modules_open_nothing_from_outside() -> None:
    faults = []
    for name in modules():
        if within(name, *PARSERS) or name in OPENS_ITS_OWN:
            continue
        behind = nodes_behind_the_door(name)
        for node in ast.walk(modules()[name]):
            if isinstance(node, ast.Call) and OPENERS.fullmatch(ast.unparse(node.func)) and node not in behind:
                faults.append(f"{name}:{node.lineno} {ast.unparse(node.func)}")
    assert faults == []


def test_tests_named_by_security_page_exist() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "security.md").read_text()
    file, found, missing = "", 0, []
    for named, test in re.findall(r"`((?:[a-z_]+/)?test_\w+\.py|(?=::))(?:::(test_\w+))?`", page):
        file, found = named or file, found + 1
        text = (TESTS / file).read_text() if (TESTS / file).is_file() else ""
        missing += [] if text and f"def {test}" in text else [f"{file}::{test}"]
    assert found > 60
    assert missing == []


def test_every_template_is_used() -> None:
    folder = Path(settings.BASE_DIR) / "templates"
    paths = [path for path in folder.rglob("*") if path.is_file()]
    texts = {path.relative_to(folder).as_posix().removeprefix("django/"): path.read_text() for path in paths}
    modules = [*APP.rglob("*.py"), *Path(podcast_catalog.__file__).parent.rglob("*.py")]
    own = (path for path in modules if "tests" not in path.relative_to(settings.BASE_DIR).parts)
    code = "".join(path.read_text() for path in own)
    code += inspect.getsource(defaults) + inspect.getsource(csrf)
    unused = set(texts)
    for name in texts:
        folder_name, _, file_name = name.rpartition("/")
        is_named_by_stem = folder_name in ("episodes", "feeds") and f'"{file_name.partition(".")[0]}"' in code
        is_of_django = any((Path(django.__file__).parent).glob(f"contrib/*/templates/{name}"))
        if f'"{name}"' in code or is_named_by_stem or is_of_django:
            unused -= {name, *names_in(name, texts)}
    assert not unused


def names_in(name: str, texts: Mapping[str, str]) -> set[str]:
    """Return the templates that a template extends or includes, and those that these do."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        text = texts[waiting.pop()]
        new = {other for other in texts if f'"{other}"' in text} - found
        found |= new
        waiting += new
    return found
