"""Tables of cases, which are data: `data/cases/<package>_<file>.toml` has those of a file of tests."""

import tomllib
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "data" / "cases"


def cases(name: str) -> dict[str, list[Any]]:
    """Return the tables of a file of cases. A row has one value for each parameter of the test."""
    return tomllib.loads((CASES / f"{name}.toml").read_text("utf-8"))
