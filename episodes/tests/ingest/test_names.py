"""Names of code are part of the catalog: found at every resolve, each with a page and the sentences around it."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client

from episodes.models import CodeMention, CodeName

pytestmark = pytest.mark.usefixtures("catalog")


def rows() -> list[tuple[str, str, str, int]]:
    return list(
        CodeMention.objects.order_by("episode__slug", "name__name", "field", "position").values_list(
            "episode__slug", "name__name", "field", "position"
        )
    )


def test_the_shipped_episodes_name_code() -> None:
    names = set(CodeName.objects.values_list("name", flat=True))
    assert {"torch.nn", "__torch_function__", "AOTAutograd", "TensorIterator", "native_functions.yaml"} <= names
    assert not names & {"PyTorch", "GitHub", "CUDA", "CircleCI"}


def test_a_rebuild_finds_the_same_names() -> None:
    before = rows()
    call_command("rebuild", verbosity=0)
    assert rows() == before


def test_a_name_has_a_page_with_its_sentences(client: Client) -> None:
    name = CodeName.objects.get(name="torch.nn")
    page = client.get(name.get_absolute_url()).content.decode()
    assert "What goes into the implementation of" in page
    assert "torch.nn" in client.get("/names/").content.decode()
