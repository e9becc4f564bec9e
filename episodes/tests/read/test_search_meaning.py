"""Searching by what words mean, with a model of a few words that a test makes itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from episodes.models import Episode, raise_version
from episodes.search import prepare, ranking, results

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")

# A zebra is nearly what strides are, and a gnu somewhat; a quagga and vmap are something else.
WORDS = {
    "[UNK]": [9, 9],
    "zebra": [10, 1],
    "strides": [10, 0],
    "gnu": [3, 9.5],
    "quagga": [1, 10],
    "vmap": [0, 10],
    "%%%": [0, 10],
}
VECTORS = np.array([*WORDS.values()], np.float16)


def write(folder: Path, vectors: np.ndarray = VECTORS, name: str = "model") -> str:
    folder.mkdir(exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file({"embeddings": vectors}, folder / f"{name}.safetensors")
    return str(folder)


@pytest.fixture
def model(tmp_path: Path, settings: Any) -> Iterator[str]:
    ranking.meanings.cache_clear()
    settings.SEMANTIC_MODEL = write(tmp_path / "model")
    yield settings.SEMANTIC_MODEL
    ranking.meanings.cache_clear()


def found(text: str) -> list[str]:
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    answer = results(prepare(text))
    assert answer.near == bool(answer.ids)
    return [slugs[pk] for pk in answer.ids]


def test_a_word_that_no_text_has_finds_what_means_the_same(model: str, client: Client) -> None:
    assert "strides" in found("Zebra")
    assert "vmap" in found("quagga")
    assert not {"vmap", "autograd"} & {*found("zebra")}
    page = see(client, "/episodes/", q="zebra")
    assert page.one("h1").text().startswith(f"{page.total} episode")
    assert "close to “zebra”" in page.one("h1").text(), "no headline says that a text has the word"
    assert page.one("article .why").text() == "Only related; missing: zebra"


@pytest.mark.parametrize("text", ['"zebra"', 'near:"zebra quagga"', "kumquat", "zebra under 2 minutes", "%%%"])
def test_phrases_facts_and_unknown_words_mean_nothing(model: str, text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ["vmap", "strides", "vmap jax", "autograd"])
def test_what_episodes_say_is_found_as_without_a_model(client: Client, model: str, text: str, settings: Any) -> None:
    by_words, etag = results(prepare(text)), client.get("/episodes.json")["ETag"]
    ranking.meanings.cache_clear()
    settings.SEMANTIC_MODEL = ""
    assert results(prepare(text)) == by_words
    assert not by_words.near
    assert client.get("/episodes.json")["ETag"] != etag, "other searches may find something else"


def test_words_and_meaning_are_fused_by_their_ranks(model: str) -> None:
    # "Strides" has one of three words (1/3 of a rank) and is first in meaning (0.4 of one).
    assert found("zebra strides kumquat")[0] == "strides"
    # vmap has neither word, but what both mean.
    both = found("quagga jax")
    assert "vmap" in both
    answer = results(prepare("quagga jax"))
    of_vmap = answer.lacking[Episode.objects.get(slug="vmap").pk]
    assert of_vmap == {0}, "its notes have one of the words"


def test_a_little_likeness_is_none(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from episodes.search import meaning

    assert {"vmap", "strides"} <= {*found("gnu")}, "cosines of .95 and .3"
    monkeypatch.setattr(meaning, "LEAST_ALIKE", 0.4)
    whole = found("gnu")
    assert "vmap" in whole
    assert "strides" not in whole
    monkeypatch.setattr(meaning, "MOST_ALIKE", 1)
    assert found("gnu") == whole[:1]


def test_a_changed_episode_is_compared_anew(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "vmap" in found("quagga")
    Episode.objects.filter(slug="vmap").update(title="", summary="")
    Episode.objects.filter(slug="torch-nn").update(title="Vmap", summary="vmap " * 9)
    raise_version()
    assert "torch-nn" in found("quagga")
    assert "vmap" not in found("quagga")
    Episode.objects.filter(slug="torch-nn").update(listed=False)
    raise_version()
    assert "torch-nn" not in found("quagga")
    Episode.objects.all().update(listed=False)
    raise_version()
    assert found("quagga") == []


def spoil(folder: Path, case: str) -> None:
    if case == "short":
        write(folder, VECTORS[:-1])
    elif case == "flat":
        write(folder, VECTORS[:, 0].copy())
    elif case == "two":
        write(folder, name="another")
    elif case == "none":
        (folder / "model.safetensors").unlink()
    else:
        (folder / case).write_text("{")


@pytest.mark.parametrize("case", ["short", "flat", "two", "none", "tokenizer.json", "model.safetensors"])
def test_a_model_that_cannot_be_read_stops_the_site(model: str, case: str) -> None:
    spoil(Path(model), case)
    with pytest.raises(ImproperlyConfigured, match=f"^SEMANTIC_MODEL {model} cannot be used: ."):
        apps.get_app_config("episodes").ready()


def test_it_is_told_what_has_to_be_installed(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "episodes.search.meaning", None)
    with pytest.raises(ImproperlyConfigured, match=r"^SEMANTIC_MODEL needs .* -r requirements-meaning.txt$"):
        ranking.meanings()
