"""Who may import whom (docs/design.md): walks the imports of every module and holds it to its room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings

APP = Path(settings.BASE_DIR) / "episodes"
MODULES = sorted(path for path in APP.rglob("*.py") if not {"tests", "migrations"} & set(path.relative_to(APP).parts))
SHAPES = {"records", "folding", "formulas", "stems", "clock", "public_addresses"}
READING = (
    "changes",
    "citing",
    "code_names",
    "confirmed",
    "coverage",
    "cross_references",
    "excerpts",
    "facets",
    "filters",
    "freshness",
    "link_index",
    "link_labels",
    "mentions",
    "months",
    "outputs",
    "people",
    "provenance",
    "reading_order",
    "search_reasons",
    "selection",
    "shows",
    "structured_data",
    "templatetags",
    "time_budget",
    "timeline",
    "timestamps",
    "topic_map",
    "urls",
    "views",
    "wording",
)
EDGES = {
    "gather.fetch",
    "gather.link_checks",
    "gather.locate",
    "gather.store",
    "resolve.apply",
    "resolve.apply_companions",
    "resolve.apply_statistics",
    "resolve.rows",
}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(APP).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> set[str]:
    """What a module imports: `django.db`, and ours as `episodes.gather.html`."""
    package = ["episodes", *path.relative_to(APP).parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def ours(path: Path) -> set[str]:
    return {name.removeprefix("episodes.") for name in imports(path) if name.startswith("episodes.")}


def within(name: str, *rooms: str) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_its_room_allows(path: Path) -> None:
    name, own = name_of(path), ours(path)
    if name in SHAPES:
        assert not own
        assert not any(within(i, "django") for i in imports(path))
    elif within(name, "gather", "resolve") and name not in EDGES:
        room = name.split(".")[0]
        assert not any(within(i, "django") for i in imports(path))
        assert all(within(i, room, *SHAPES) and i not in EDGES for i in own)
    elif within(name, "models", "querysets", "search", "search_terms"):
        assert not any(within(i, "gather", "resolve", *READING) for i in own)
    elif within(name, *READING):
        assert not any(within(i, "gather", "resolve", "ingest", "curation", "admin") for i in own)
    elif within(name, "curation"):
        assert all(within(i, "resolve.apply") for i in own if within(i, "gather", "resolve"))
        assert not any(within(i, "admin", *READING) for i in own)
    elif within(name, "admin"):
        assert not any(within(i, "gather", "resolve") for i in own)


WRITERS = [
    ("evidence", {"gather.store"}),
    ("catalog", {"resolve.apply", "resolve.apply_companions"}),
    ("decisions", {"curation"}),
    ("link_checks", {"gather.link_checks"}),
]


@pytest.mark.parametrize("kind, writers", WRITERS)
def test_each_kind_of_data_has_one_writer(kind: str, writers: set[str]) -> None:
    """No other module calls what writes on a model of that kind."""
    models = {
        node.name
        for node in ast.parse((APP / "models" / f"{kind}.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    writes = {"create", "bulk_create", "bulk_update", "update", "get_or_create", "update_or_create", "delete"}
    for path in MODULES:
        if within(name_of(path), *writers):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in writes:
                named = {n.id for n in ast.walk(node.func) if isinstance(n, ast.Name)}
                assert not named & models, f"{name_of(path)} writes {named & models}"


@pytest.mark.parametrize("path", sorted(APP.rglob("*.py")), ids=name_of)
def test_every_module_opens_with_a_sentence_on_what_it_is_for(path: Path) -> None:
    if "migrations" not in path.parts:
        docstring = ast.get_docstring(ast.parse(path.read_text()))
        assert docstring
        assert docstring.split("\n")[0].strip()
