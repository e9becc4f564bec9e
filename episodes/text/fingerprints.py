"""Two hashes. A fingerprint tells whether the inputs of something derived have changed, and may be
another one in another release. A stable hash stands for a key or for bytes, and stays for ever."""

from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import version
from pathlib import Path

FILE_KINDS = (".css", ".html", ".js", ".json", ".py", ".toml", ".txt")  # that make the program


def fingerprint(*inputs: object) -> str:
    """Return the fingerprint of texts, bytes, numbers, times, and tuples, lists, dicts and data classes
    of these. The order of a dict counts. A set has none, so sort it first."""
    written = "\0".join(map(repr, inputs)).encode("utf-8", "surrogatepass")
    return blake2b(written, digest_size=16).hexdigest()


def fingerprint_of_program_files(*files_and_folders: Path) -> str:
    files: list[Path] = []
    for path in files_and_folders:
        files += [path, *path.rglob("*")]
    fingerprints = []
    for file in sorted(files):
        if file.suffix in FILE_KINDS:
            fingerprints.append(fingerprint(file.read_bytes()))
    return fingerprint(*fingerprints)


@cache
def fingerprint_of_code(*names: str, libraries: tuple[str, ...]) -> str:
    package = Path(__file__).parents[1]
    paths = [package / name for name in names]
    return fingerprint(fingerprint_of_program_files(*paths), *map(version, libraries))


def stable_hash(value: str | bytes, length: int = 64) -> str:
    """Return the first characters of the SHA-256 of a text or of bytes, for stored keys and public
    addresses. Its results never change."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return sha256(value).hexdigest()[:length]
