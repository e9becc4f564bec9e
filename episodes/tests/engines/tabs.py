"""A tab of Firefox or WebKit behind one small interface, so that a behaviour is tested in the same words in both.

Firefox is asked over WebDriver BiDi, which it speaks itself. Selenium drives WebKit by WebKitGTK's driver.
"""

import json
import os
import shutil
import subprocess
import warnings
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

import websocket
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import WebKitGTK
from selenium.webdriver.remote.command import Command
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from ..patience import PATIENCE, until

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox") or ""
WEBKIT_DRIVER = shutil.which("WebKitWebDriver") or ""
# Debian keeps it beside the library, in a folder of the machine's architecture.
MINI_BROWSER = max(map(str, Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")), default="")
XVFB = shutil.which("Xvfb") or ""

PREFERENCES = {
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "layout.css.prefers-color-scheme.content-override": 1,  # light
    "ui.useOverlayScrollbars": 1,  # so that a width is the page's
}
LOCAL = "http://127.0.0.1:"  # where every site of a test begins
# Firefox says so of a request that was under way when another page came.
LEFT_BEHIND = "A ServiceWorker intercepted the request and encountered an unexpected error."
# The buttons of MiniBrowser take 450 pixels. A phone has 360.
NARROW_TOOLBAR = "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0 }"

# The keys of WebDriver that are no letters.
KEYS = {
    "Control": "\ue009", "Enter": "\ue007", "Escape": "\ue00c",
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}  # fmt: skip

# The middle of the first visible element that fits a selector and, if there is one, a text. Null as long as a click there would
# reach something else: a page that fades in gets no clicks.
REACH = """((selector, text) => {
    const element = [...document.querySelectorAll(selector)].find((element) =>
        element.checkVisibility({ visibilityProperty: true }) && (!text || element.textContent.trim() === text));
    if (!element) return null;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = element.getClientRects()[0];
    const middle = [Math.round(x + width / 2), Math.round(y + height / 2)];
    return element.contains(document.elementFromPoint(...middle)) ? middle : null;
})"""


class Tab(ABC):
    """A tab of a browser. `console` has the errors that its driver logs."""

    # Raised while one page goes and the next one comes.
    errors: tuple[type[Exception], ...] = ()

    def __init__(self) -> None:
        self.console: list[str] = []

    @abstractmethod
    def open(self, address: str) -> None:
        """Go to an address and wait until the page is loaded."""

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript, which may be a promise."""

    @abstractmethod
    def perform(self, kind: str, actions: list[dict[str, Any]]) -> None:
        """Perform actions of WebDriver with one device, a `pointer` or a `key`."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Give the viewport a width in CSS pixels, and about this height."""

    @abstractmethod
    def close(self) -> None:
        """End the browser."""

    def wait(self, expression: str) -> None:
        """Wait until an expression of JavaScript is true."""

        def holds() -> bool:
            with suppress(*self.errors):
                return bool(self.evaluate(f"(async () => Boolean(await ({expression})))()"))
            return False

        until(holds)

    def click(self, selector: str, text: str = "") -> None:
        """Click the first visible element that fits a selector and a text, as soon as a click reaches it."""
        middle = f"{REACH}({json.dumps(selector)}, {json.dumps(text)})"
        self.wait(middle)
        x, y = self.evaluate(middle)
        move = {"type": "pointerMove", "x": x, "y": y}
        self.perform("pointer", [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def press(self, key: str) -> None:
        """Press a key, such as `j`, `Enter` or `Control+k`."""
        keys = [KEYS.get(name, name) for name in key.split("+")]
        down = [{"type": "keyDown", "value": value} for value in keys]
        up = [{"type": "keyUp", "value": value} for value in reversed(keys)]
        self.perform("key", [*down, *up])

    def type(self, text: str) -> None:
        """Press the key of each letter."""
        for letter in text:
            self.press(letter)

    def take_complaints(self) -> list[str]:
        """Return what the console complained of since the last call."""
        site = self.evaluate("location.origin")
        # The service worker of a site that was stopped may still ask for its pages.
        complaints = [text for text in self.console if site in text or LOCAL not in text]
        complaints += (self.evaluate("sessionStorage.complaints") or "").splitlines()
        self.console.clear()
        self.evaluate("sessionStorage.removeItem('complaints')")
        return complaints


class FirefoxError(Exception):
    """Firefox refused a command."""


class Firefox(Tab):
    """A tab of Firefox, which is asked over WebDriver BiDi."""

    errors = (FirefoxError,)

    def __init__(self, folder: Path) -> None:
        super().__init__()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("".join(lines))
        command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number = 0
        listening = folder / "WebDriverBiDiServer.json"
        until(lambda: listening.exists() or self.process.poll() is not None)
        if not listening.exists():
            raise FirefoxError(f"it ended with {self.process.returncode}")
        server = json.loads(listening.read_text())
        address = f"ws://{server['ws_host']}:{server['ws_port']}/session"
        self.socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
        self.command("session.new", capabilities={})
        self.tab = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.command("session.subscribe", events=["log.entryAdded"])

    def command(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and return its result. Entries of the console that come before it are noted."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded":
                self.note(**message["params"])
            if message.get("id") != self.number:
                continue
            if message["type"] == "error":
                raise FirefoxError(f"{method}: {message['message']}")
            return dict(message["result"])

    def note(self, level: str, text: str, **_: object) -> None:
        """Note an error of the console."""
        if level == "error" and not text.endswith(LEFT_BEHIND):
            self.console.append(text)

    def open(self, address: str) -> None:
        self.command("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        script = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        answer = self.command("script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=True)
        if answer["type"] == "exception":
            raise FirefoxError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def perform(self, kind: str, actions: list[dict[str, Any]]) -> None:
        devices = [{"type": kind, "id": kind, "actions": actions}]
        self.command("input.performActions", context=self.tab, actions=devices)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.command("browsingContext.setViewport", context=self.tab, viewport=size)

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class WebKit(Tab):
    """A tab of WebKitGTK's MiniBrowser on a screen that nobody sees."""

    errors = (WebDriverException,)

    def __init__(self, folder: Path) -> None:
        super().__init__()
        (folder / "gtk-3.0").mkdir()
        (folder / "gtk-3.0" / "gtk.css").write_text(NARROW_TOOLBAR)
        command = [XVFB, "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self.screen = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.screen.stdout
        display = f":{self.screen.stdout.readline().strip()}"
        options = Options()
        options.binary_location = MINI_BROWSER
        options.add_argument("--automation")
        environment = os.environ | {"DISPLAY": display, "GDK_BACKEND": "x11", "XDG_CONFIG_HOME": str(folder)}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Selenium warns of a call of its own
                self.driver = WebKitGTK(options=options, service=Service(WEBKIT_DRIVER, env=environment))
        except WebDriverException:
            self.end_screen()
            raise
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)

    def open(self, address: str) -> None:
        self.driver.get(address)

    def evaluate(self, expression: str) -> Any:
        script = """const done = arguments[0];
            (async () => (await ({})) ?? null)().then((value) => done([value]), (error) => done([null, String(error)]))"""
        value, *errors = self.driver.execute_async_script(script.replace("{}", expression))
        if errors:
            raise WebDriverException(errors[0])
        return value

    def perform(self, kind: str, actions: list[dict[str, Any]]) -> None:
        self.driver.execute(Command.W3C_ACTIONS, {"actions": [{"type": kind, "id": kind, "actions": actions}]})

    def resize(self, width: int, height: int) -> None:
        # The size is the window's, with a toolbar above the page.
        self.driver.set_window_size(width, height)
        self.wait(f"innerWidth === {width}")

    def close(self) -> None:
        self.driver.quit()
        self.end_screen()

    def end_screen(self) -> None:
        assert self.screen.stdout
        self.screen.terminate()
        self.screen.wait()
        self.screen.stdout.close()
