"""Digests of values and of the code that made them, so that what an earlier release found is found anew."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
READ = (".py", ".toml")


def digest(*given: object) -> str:
    """Equal for equal values of plain types; of texts, numbers, tuples, and data classes of these."""
    return blake2b("\0".join(map(repr, given)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def digest_of_code(*names: str, libraries: Iterable[str] = ()) -> str:
    """Equal while these folders and files of the package, and the libraries, are the same."""
    files = sorted(path for name in names for path in _files(PACKAGE / name))
    return digest(*map(version, libraries), *(path.read_bytes() for path in files))


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else (one for one in path.rglob("*") if one.suffix in READ)
