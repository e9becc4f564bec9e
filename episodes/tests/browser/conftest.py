"""A chromium for all browser tests, and a short audio file that needs no network."""

from __future__ import annotations

import io
import os
import wave
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from .checking import CHROMIUM, CI, FLAGS

ARGUMENTS = [*FLAGS, "--autoplay-policy=no-user-gesture-required"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM and not CI:
        pytest.skip("no chromium is installed")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def silence() -> bytes:
    """Two minutes of nothing as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(4000)
        written.writeframes(b"\x80" * 4000 * 120)
    return file.getvalue()
