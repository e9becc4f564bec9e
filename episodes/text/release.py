"""Digests of values, and of the code that made them, so that results of an earlier release are not
reused."""

from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
READ = (".py", ".toml", ".json", ".txt")


def digest(*given: object) -> str:
    """A digest of values: texts, numbers, tuples, and data classes of these."""
    return blake2b(
        "\0".join(map(repr, given)).encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()


@cache
def digest_of_code(*names: str, libraries: tuple[str, ...]) -> str:
    """A digest of folders and files of the package, and of the versions of libraries; read once."""
    roots = [PACKAGE / name for name in names]
    files = sorted(one for root in roots for one in (root, *root.rglob("*")) if one.suffix in READ)
    return digest(*map(version, libraries), *(path.read_bytes() for path in files))
