"""A browser on a JupyterLab of its own: loopback only, with a token, and everything it writes in a temporary folder.

`open_notebook("01_graph_synthesis")` opens a copy of a notebook, runs all of it and gives the `Desk` with its page.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workbench_lib.params import NOTEBOOKS_DIR

HERE = Path(__file__).resolve().parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},  # all cells are drawn
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
}
START_S, RUN_S = 60, 120


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@dataclass
class Desk:
    """A notebook that is open in the browser, and what the page said and asked for meanwhile."""

    page: Any
    address: str
    complaints: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("websocket", lambda socket: self._note(socket.url.replace("ws://", "http://")))

    def _note(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:", "about:")):
            self.outside.append(url)

    def command(self, name: str, **arguments: Any) -> None:
        """Start one of JupyterLab's commands."""
        self.page.evaluate("([name, args]) => { window.jupyterapp.commands.execute(name, args) }", [name, arguments])

    def contrast(self, one: str, other: str) -> float:
        """The contrast ratio of two CSS colours (WCAG 2)."""
        low, high = sorted(luminance(colour) for colour in (one, other))
        return (high + 0.05) / (low + 0.05)

    def is_painted(self, figure: Any) -> bool:
        """Whether the canvas inside a graph's iframe has pixels of more than one colour."""
        figure.scroll_into_view_if_needed()
        canvas = figure.locator("iframe").content_frame.locator("canvas").first
        canvas.wait_for()
        script = """canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size > 1;
        }"""
        deadline = time.monotonic() + 10
        while not canvas.evaluate(script):
            if time.monotonic() > deadline:
                return False
            self.page.wait_for_timeout(100)
        return True


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address and the token of a running JupyterLab on copies of the notebooks."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS_DIR, home / "notebooks")
    for name, values in SETTINGS.items():
        path = home / "config/lab/user-settings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    token, address = secrets.token_hex(16), f"http://127.0.0.1:{free_port()}"
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command(address, token), cwd=home, env=environment(home), stdout=log, stderr=log)
        try:
            wait_until_up(server, f"{address}/api?token={token}", home / "log")
            yield address, token
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="session")
def open_notebook(browser: Any, lab: tuple[str, str]) -> Iterator[Callable[[str], Desk]]:
    address, token = lab
    pages = []

    def open_(stem: str) -> Desk:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        pages.append(page)
        desk = Desk(page, address)
        desk.listen()
        page.goto(f"{address}/lab/workspaces/{stem}/tree/{stem}.ipynb?token={token}")  # no tabs of others
        page.get_by_text("(ipykernel) | Idle").wait_for(timeout=START_S * 1000)  # in the status bar
        desk.command("notebook:run-all-cells")
        page.locator(".jp-OutputArea-output .jupyter-widgets").last.wait_for(timeout=RUN_S * 1000)
        return desk

    yield open_
    for page in pages:
        page.close()


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def command(address: str, token: str) -> list[str]:
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": address.rsplit(":", 1)[1],
        "ServerApp.port_retries": 0,
        "ServerApp.open_browser": False,
        "ServerApp.root_dir": "notebooks",
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
        "LabApp.expose_app_in_browser": True,
        "LabApp.extension_manager": "readonly",
    }
    return [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())]


def environment(home: Path) -> dict[str, str]:
    own = {"HOME": ".", "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    own |= {"IPYTHONDIR": "ipython", "WORKBENCH_HOME": "workbench"}
    return {**os.environ, **{name: str(home / folder) for name, folder in own.items()}}


def wait_until_up(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")
