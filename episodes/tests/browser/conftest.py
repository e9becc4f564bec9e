"""A chromium for all browser tests, and a short audio file that needs no network."""

import io
import shutil
import wave
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
ARGUMENTS = [*FLAGS, "--autoplay-policy=no-user-gesture-required"]
MAX_WAIT = 60_000  # milliseconds to load a page, and to reach an expected state, on any machine


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    expect.set_options(timeout=MAX_WAIT)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        try:
            started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        except Error as error:  # Playwright is pinned, chromium is the machine's
            pytest.skip(f"this Playwright cannot start {CHROMIUM}: {error.message.splitlines()[0]}")
        started.on("context", lambda context: context.set_default_timeout(MAX_WAIT))
        yield started
        started.close()


@pytest.fixture
def trouble() -> list[str]:
    """Collect the errors of the console."""
    return []


def listened_to(context: BrowserContext, trouble: list[str]) -> Page:
    """Open a tab. Its errors are added to `trouble`."""
    page = context.new_page()
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    return page


@pytest.fixture(scope="session")
def silence() -> bytes:
    """Return two minutes of silence as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(4000)
        written.writeframes(b"\x80" * 4000 * 120)
    return file.getvalue()
