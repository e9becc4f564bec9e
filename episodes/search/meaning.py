"""Episodes that are near a query in meaning, by a static embedding: a model that has one vector for
each token, of which those of a text are added up.

What it needs is installed apart (requirements-meaning.in), so nothing imports this module unless
`SEMANTIC_MODEL` is set.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from ..models import CatalogVersion, Episode
from .engine import PreparedQuery

MOST_COMPARED = 20_000  # the newest episodes: with 256 numbers each, 20 MB in each process
MOST_ALIKE = 10
# The least cosine. Words without meaning come to .1 to .2 among 82 episodes, most of those that were
# meant to more.
LEAST_ALIKE = 0.2

Vectors = np.ndarray[Any, Any]  # of 32-bit numbers


class Meanings:
    """A model, and the vectors that it gives the episodes of a catalog."""

    def __init__(self, tokenizer: Tokenizer, of_tokens: Vectors) -> None:
        self.tokenizer, self.of_tokens = tokenizer, of_tokens
        self.lock = Lock()
        self.made_of = ""  # the version of the catalog
        self.ids: list[int] = []
        self.of_episodes = of_tokens[:0]
        self.of_texts: dict[int, Vectors] = {}  # by the hash of the text

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The model in a folder, with its tokenizer.

        Raises:
            ValueError: its files do not belong together, or need more than this can do.
            Exception: one of them cannot be read.
        """
        (file,) = folder.glob("*.safetensors")
        (of_tokens,) = load_file(file).values()
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        if of_tokens.ndim != 2 or len(of_tokens) < tokenizer.get_vocab_size():
            raise ValueError(f"{file.name} does not have one row for each token")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        of_tokens = of_tokens.astype(np.float32)
        # All words that a model does not know have one token, and nothing in common.
        unknown = tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or "")
        of_tokens[[] if unknown is None else unknown] = 0
        return cls(tokenizer, of_tokens)

    def alike(self, asked: PreparedQuery) -> list[int]:
        """The ids of the listed episodes that are nearest to a query in meaning, best first."""
        version = CatalogVersion.current()
        with self.lock:
            if version != self.made_of:
                self._compare_with_episodes()
                self.made_of = version
            ids, of_episodes = self.ids, self.of_episodes
        likeness = of_episodes @ self._directions([asked.query.typed])[0]
        best = np.argsort(-likeness, kind="stable")[:MOST_ALIKE]
        return [ids[place] for place in best if likeness[place] >= LEAST_ALIKE]

    def _compare_with_episodes(self) -> None:
        """Make the vectors of the episodes as they are now; only those of new texts are computed.

        A title counts as much as the summary. The rest of the notes is more often about the show or
        its sponsors than about the episode.
        """
        newest = Episode.objects.listed().newest_first(one_show=False)[:MOST_COMPARED]
        rows = newest.values_list("pk", "title", "summary")
        texts = {pk: (title, summary) for pk, title, summary in rows}
        new = {hash(text): text for text in texts.values() if hash(text) not in self.of_texts}
        titles = self._directions([title for title, _ in new.values()])
        openings = self._directions([summary for _, summary in new.values()])
        known = self.of_texts | dict(zip(new, _of_length_one(titles + openings), strict=True))
        self.of_texts = {hash(text): known[hash(text)] for text in texts.values()}
        vectors = [known[hash(text)] for text in texts.values()]
        self.ids, self.of_episodes = [*texts], np.array(vectors).reshape(-1, titles.shape[1])

    def _directions(self, texts: Sequence[str]) -> Vectors:
        """A vector of length one for each text; of length 0 where no token of it is known."""
        encoded = self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        sums = [self.of_tokens[text.ids].sum(axis=0) for text in encoded]
        return _of_length_one(np.array(sums).reshape(-1, self.of_tokens.shape[1]))


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    ones: Vectors = vectors / np.where(lengths, lengths, 1)
    return ones
